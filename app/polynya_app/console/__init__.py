"""Output of commands: tables, announcements, progress, logs."""
