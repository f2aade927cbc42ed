"""An uploaded archive: its entries, its manifest, and the program that it unpacks to."""
