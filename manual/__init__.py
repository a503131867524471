"""The manual page, and what makes it."""
