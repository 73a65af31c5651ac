"""Widgets and looks that know no page: theme, icons, dialog, buttons, file dialogs."""
