"""Tie-breaks after FIDE Handbook C.07 (in force since 1 March 2026), for Swiss and round robin."""
