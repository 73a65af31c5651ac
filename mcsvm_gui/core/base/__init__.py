"""Modules that all other packages use: files, errors, settings, translation, external programs."""
