"""Twins of the example games: the same game with states of another class, which may leak."""

from __future__ import annotations

from typing import Any

from polynya_example_games.kuhn import Kuhn, KuhnState


def twin(state_class: type[KuhnState], **attributes: Any) -> Kuhn:
    """Kuhn poker with states of another class."""

    def become(state: KuhnState) -> KuhnState:
        return state_class(**{name: getattr(state, name) for name in state.__struct_fields__})

    class Twin(Kuhn):
        def setup(self, *arguments: Any, **given: Any) -> KuhnState:
            return become(super().setup(*arguments, **given))

        def state_from_json(self, data: object) -> KuhnState:
            return become(super().state_from_json(data))

    for name, value in attributes.items():
        setattr(Twin, name, value)
    return Twin()
