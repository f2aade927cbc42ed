"""Tests a sandbox with a hostile program, for `polynya doctor --sandbox`."""
