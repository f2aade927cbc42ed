"""Examines what strangers made in separate processes with limits of their own."""
