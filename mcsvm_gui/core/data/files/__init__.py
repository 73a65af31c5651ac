"""Access to files: one or several, packed files, pasted text, and packages that some formats need."""
