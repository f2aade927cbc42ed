"""What every request goes through: tokens, forms, sessions, headers."""
