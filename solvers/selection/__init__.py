"""Model selection: which machine, C and gamma predict best, by folds that are the same for all of them."""
