"""How do several processes run as one service?"""
