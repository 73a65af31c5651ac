"""LASVM, which learns example by example: as a method of runs, and for rows in portions (`partial_fit`)."""
