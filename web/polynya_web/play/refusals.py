"""The refusal of a request of a person: a sentence in the language of the page."""

from __future__ import annotations


class RefusedError(Exception):
    """A request that changes nothing; ``key`` and ``values`` are the sentence in any language."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = values
