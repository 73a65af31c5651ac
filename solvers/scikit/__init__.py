"""What MultiClassSVC (`solvers/estimator.py`) is made of, and what scikit-learn asks of it."""
