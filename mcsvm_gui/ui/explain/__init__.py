"""The Explain page: why a row is decided as it is, what counts over all rows, and maps over two columns."""
