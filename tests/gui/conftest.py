"""Empty on purpose: pytest puts the folder of a conftest.py on the path, so the tests below find the fakes."""
