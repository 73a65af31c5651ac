"""A single machine: from a request to a trained model, its file and its predictions."""
