"""Sandboxes: isolate hosted bots from the host and from each other, with one driver per module.

:func:`~polynya_hosting.sandbox.selection.sandbox_of` makes the configured sandbox.
"""
