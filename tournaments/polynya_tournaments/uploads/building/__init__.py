"""Building an uploaded program: its commands, their tools, and the hosts that they reach."""
