"""The pages of tournaments: their tables, the reveal of a hidden table, and what is downloaded."""
