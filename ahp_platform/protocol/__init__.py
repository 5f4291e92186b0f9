"""The Agent Host Protocol, pure: no Django, no asyncio, no clock, no randomness. See README.md."""
