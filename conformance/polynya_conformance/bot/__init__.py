"""Bots tried against the protocol, requirement by requirement.

Each scenario has a process of its own, so that one fault fails one requirement.
"""
