"""What a shell tells of itself between the lines: which command runs, how it ended, where it is."""
