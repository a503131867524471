"""The smaller parts of the screen: each shows what it is given and asks."""
