"""Agents that speak the Agent Client Protocol: any program that does so over its standard input and output."""

from ahp_platform.agents.backends.acp.backend import AcpBackend as AcpBackend
from ahp_platform.agents.backends.acp.specification import AgentSpecification as AgentSpecification
