"""What each column is to a training: feature, text, date, label, weight, group, fold, name, or nothing."""
