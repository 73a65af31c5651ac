"""Small dense systems in double precision: factors, Newton steps on a face, an interior point."""
