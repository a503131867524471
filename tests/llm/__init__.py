"""The real libraries against a server of our own."""
