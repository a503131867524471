"""A terminal browser and chat client for branching conversations with models."""
