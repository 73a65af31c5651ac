"""The components of MultiClassSVC (`solvers/estimator.py`), and its adaptation to scikit-learn."""
