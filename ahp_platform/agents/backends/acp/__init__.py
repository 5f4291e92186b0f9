"""Agents that speak the Agent Client Protocol: any program that does so over its standard input and output."""
