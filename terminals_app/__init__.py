"""Which terminals does a tenant have, and who may write to them?"""
