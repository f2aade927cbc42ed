"""Swiss and Double-Swiss: rounds drawn from the scores by the rules FIDE C.04.3 and C.04.5."""
