"""What pages and the API show, computed so that no match notices."""
