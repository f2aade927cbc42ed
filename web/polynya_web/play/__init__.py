"""Matches of people in the browser against bots: requests, seats, and what their pages show."""
