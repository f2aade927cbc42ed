"""Starter kits: a project around a bot for each language, and the tools that it needs."""
