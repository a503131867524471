"""The browser and what opens above it."""
