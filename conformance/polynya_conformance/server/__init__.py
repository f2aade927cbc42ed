"""Servers tried against the protocol, paragraph by paragraph."""
