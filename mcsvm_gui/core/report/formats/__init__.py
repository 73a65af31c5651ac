"""The formats a report is written in, one file each, and what drawing them takes."""
