"""Tables of what is said of each class: factors on C, costs of errors."""
