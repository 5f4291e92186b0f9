"""Speaks with the MCP servers of sessions: starts nothing itself, holds no state of a session."""
