"""The one exception for bad input: its message is a sentence for the user."""


class InputError(ValueError):
    """What is wrong, where, and what would be right."""
