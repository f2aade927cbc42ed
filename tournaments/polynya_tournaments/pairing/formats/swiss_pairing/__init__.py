"""Who meets whom in a round of a Swiss: pure functions of numbers, which know no tournament."""
