"""Tables of results, used by several pages."""
