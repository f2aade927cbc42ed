"""Runs strangers' programs as processes: starts, guards and sandboxes them."""
