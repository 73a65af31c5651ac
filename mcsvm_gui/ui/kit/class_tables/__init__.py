"""Tables with a value for each class: factors on C, costs of errors."""
