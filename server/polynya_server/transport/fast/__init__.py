"""What the transport does for speed alone; each module has a plain way of doing the same beside it.

``docs/design/002-mechanisms-for-speed.md`` has the measurements.
"""
