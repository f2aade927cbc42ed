"""An HTTP/1.1 server in the game server's event loop; matches leave it a share of the time."""
