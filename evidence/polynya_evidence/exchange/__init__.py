"""Results in forms that other programs read and write: CSV, and the TRF of chess federations."""
