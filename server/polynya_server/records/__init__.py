"""What a match is before and after it is played, and who keeps it.

It knows no other part of the server.
"""
