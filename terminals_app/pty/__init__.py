"""Processes behind a pseudo terminal: starting them, reading them, and making sure that none is left."""
