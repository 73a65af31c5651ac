"""The application: a window and a command line around `solvers`."""
