"""Pictures of the rows in two dimensions, and the rows that are outliers."""
