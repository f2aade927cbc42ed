"""One match: its seats, referee, clocks, forfeits, result.

It knows neither connections nor sessions nor spectators.
"""
