"""The commands of ``polynya``, one module each."""
