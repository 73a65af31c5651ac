"""The Compare page: presenter, page and widgets."""
