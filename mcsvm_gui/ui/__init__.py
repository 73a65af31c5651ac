"""The window: one room for each page, and what pages share. Qt stays in here."""
