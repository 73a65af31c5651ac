"""Pictures of the rows in two directions, and what stands out among them."""
