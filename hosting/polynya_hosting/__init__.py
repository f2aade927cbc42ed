"""Strangers' programs as processes: starting, guarding, and enclosing them in sandboxes."""
