"""Bundles: publish a tournament as one signed file, and verify everything in such a file."""
