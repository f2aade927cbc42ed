"""Sandboxes: what keeps a hosted bot from all that is not its own, one driver a module.

:func:`~polynya_hosting.sandbox.selection.sandbox_of` makes the configured sandbox.
"""
