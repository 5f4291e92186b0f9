"""The agents that operators describe in rows: what stands in them, how they are installed and checked, what a process knows of them."""
