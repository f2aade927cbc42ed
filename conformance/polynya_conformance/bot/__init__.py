"""Checks a bot against the protocol, requirement by requirement.

Each scenario runs a fresh process, so that one fault fails one requirement.
"""
