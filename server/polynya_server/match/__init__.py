"""One match before the referee: seats, clocks, forfeits, result.

It knows neither sockets nor sessions.
"""
