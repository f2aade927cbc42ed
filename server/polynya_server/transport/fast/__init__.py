"""Parts of the transport for speed alone; each module has a plain way of doing the same beside it.

``docs/design/002-mechanisms-for-speed.md`` has the measurements.
"""
