"""A tournament as one signed file, from which a stranger can check everything."""
