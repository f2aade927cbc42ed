"""Optional fast parts of the transport; each has a plain equivalent elsewhere.

``docs/design/002-mechanisms-for-speed.md`` has the measurements.
"""
