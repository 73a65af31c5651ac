"""The Playground page: presenter, page and widgets."""
