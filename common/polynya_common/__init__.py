"""Parts that every room may use: text, errors, extras, file names."""
