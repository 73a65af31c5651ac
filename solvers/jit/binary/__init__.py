"""A binary machine with an exact bias, solved whole by one call."""
