"""The window: one folder for each page, and folders that pages share. Only this package uses Qt's widgets."""
