"""The clock, all deadlines in one task, and how late the loop is."""
