"""Which servers start by themselves where none is named?"""
