"""The Data page: presenter, page and widgets."""
