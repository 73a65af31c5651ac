"""The formats a report is written in, one file each, and their drawing."""
