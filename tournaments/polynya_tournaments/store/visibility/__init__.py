"""Which results pages may show now."""
