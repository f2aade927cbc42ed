"""What tournaments' pages show: tables, tallies, brackets."""
