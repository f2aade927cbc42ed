"""Checks a server against the protocol, paragraph by paragraph."""
