"""What is wrong or risky with data and a plan: one class per finding, all in `table.CHECKS`."""
