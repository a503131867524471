"""Pictures of the program, and what makes them."""
