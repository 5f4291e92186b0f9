"""What did a session change in files, and what may be done with it?"""
