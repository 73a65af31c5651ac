"""Sphinx's settings; build.py puts this file beside the pages it gathers. Nothing is loaded from elsewhere."""

project = "mcsvm"
author = "the mcsvm authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
html_theme = "furo"
html_title = "mcsvm"
html_static_path = html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = html_show_sphinx = False
html_show_search_summary = False  # it would be fetched from the pages, which browsers refuse to those opened as files
myst_heading_anchors = 3
numpydoc_show_class_members = False
autodoc_typehints = "none"  # docstrings say what arguments are
suppress_warnings = ["misc.highlighting_failure"]  # `$ mcsvm`: blocks of commands have no language of their own
