"""Games and engines from elsewhere: rules processes, OpenSpiel's games, adapters of protocols."""
