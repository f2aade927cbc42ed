"""What comes into a database from elsewhere: single matches, and whole databases."""
