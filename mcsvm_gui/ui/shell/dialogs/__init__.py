"""The dialogs of the window, one file each."""
