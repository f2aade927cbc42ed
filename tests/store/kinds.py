"""Marks of tests that are about one kind of databases."""

from __future__ import annotations

import pytest

file_only = pytest.mark.parametrize("address", ["file"], indirect=True)
postgresql_only = pytest.mark.parametrize("address", ["postgresql"], indirect=True)
