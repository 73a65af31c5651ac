"""The Predict page: presenter, page and widgets."""
