"""The kinds of channels: of each, its actions with guard and reducer side by side."""
