"""Games with hidden cards, chance and joint turns, as a host plugs them into Polynya."""
