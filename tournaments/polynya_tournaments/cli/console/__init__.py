"""What commands print: tables, announcements, progress, logs."""
