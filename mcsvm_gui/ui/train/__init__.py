"""The Train page: presenter, page and widgets."""
