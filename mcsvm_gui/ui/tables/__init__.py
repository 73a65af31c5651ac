"""Tables of results, which several pages show."""
