"""A tournament as one signed file, from which anybody can check everything."""
