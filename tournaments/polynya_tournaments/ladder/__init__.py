"""The standing server's matches.

Pairing by rating, suspensions, and what the operator may do.
"""
