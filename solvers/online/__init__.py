"""Learning example by example: LASVM, which knows only the examples it keeps."""
