"""Runs terminals in a host process: claims them, keeps them, ends what nobody holds."""
