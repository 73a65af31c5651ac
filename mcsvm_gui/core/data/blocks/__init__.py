"""Files read block by block: their rows as data sets that follow each other, in memory that no number of rows fills."""
