"""The differences between SQLite and PostgreSQL, behind one interface."""
