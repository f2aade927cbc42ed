"""Accepts programs that authors upload: checks, builds, validates and hosts them."""
