"""LASVM: learning example by example, for runs and for rows that come in portions."""
