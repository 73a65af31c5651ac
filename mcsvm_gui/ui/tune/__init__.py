"""The Tune page: presenter, page and widgets."""
