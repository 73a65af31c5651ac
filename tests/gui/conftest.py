"""That it is here puts this folder on the path: fakes are found from every room."""
