"""Widgets and styles that no single page owns: theme, icons, dialog, buttons, file dialogs."""
