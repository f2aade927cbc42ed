"""Whether the frames of a match keep secret what is hidden: ``polynya games check``."""
