"""What do we compare with? Servers that do nothing but send the same bytes."""
