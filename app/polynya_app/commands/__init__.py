"""The commands of ``polynya``, by subject; a module for each, or for a group of them."""
