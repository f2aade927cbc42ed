"""The two kinds of databases, SQLite's files and PostgreSQL's, and all in which they differ."""
