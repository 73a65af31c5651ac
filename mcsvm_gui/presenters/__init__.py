"""One presenter per page; no widgets."""
