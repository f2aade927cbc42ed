"""The kit for bot authors: peers that are unkind on purpose, and what they found."""
