"""Contests in the browser: live boards, replays, ladders and tournaments."""
