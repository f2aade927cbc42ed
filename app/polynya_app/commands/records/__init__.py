"""Commands about what a database holds: bots, results, replays, ratings, reports."""
