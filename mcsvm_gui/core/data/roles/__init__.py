"""The role of each column in a training: feature, text, date, label, weight, group, fold, name, or ignored."""
