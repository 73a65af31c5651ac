"""What every room stands on: files, errors, settings, languages, programs of others."""
