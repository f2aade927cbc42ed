"""Cards of words as PNG, for other sites that show a link to a page."""
