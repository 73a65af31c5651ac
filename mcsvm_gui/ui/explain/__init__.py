"""The Explain page: why a row gets its predicted class, which columns matter over all rows, maps of two columns."""
