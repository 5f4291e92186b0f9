"""Who may reach files outside of their tenant's directory, and how do they come to?

Rules that operators write, and grants that a person gives to one user for a time. Source: PROTOCOL.md section 12.
"""
