"""What customizes the agent of a session: found in its workspace, published by its clients, and the MCP servers among it."""
