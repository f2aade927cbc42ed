"""Perfect matchings of the greatest weight, with weights of many fields, in C++ (py4swiss).

A weight is a plain integer here; a field that counts more stands in higher bits.
"""

from __future__ import annotations

from collections.abc import Mapping

Edge = tuple[int, int]


def best_matching(vertices: int, weights: Mapping[Edge, int]) -> dict[int, int] | None:
    """The partner of each vertex in a perfect matching of the greatest weight; None if none exists.

    Args:
        vertices: their number; they are 0, 1, 2, ...
        weights: of each edge that exists, at least 0.
    """
    from py4swiss.dynamicuint import DynamicUint
    from py4swiss.matching_computer import ComputerDutchOptimality

    if vertices % 2:
        return None
    if not vertices:
        return {}
    # Each edge weighs more than all the given weights together, so the most edges are taken.
    most = max(weights.values(), default=0)
    perfect = 1 << (most.bit_length() + vertices.bit_length())
    words = (perfect.bit_length() + vertices.bit_length()) // 32 + 2
    made: dict[int, DynamicUint] = {}

    def made_of(weight: int) -> DynamicUint:
        if weight not in made:
            number = DynamicUint(0)
            number.shift_grow(32 * (words - 1))
            for part in reversed(range(words)):
                number <<= 32 if part < words - 1 else 0
                number |= (weight >> (32 * part)) & 0xFFFFFFFF
            made[weight] = number
        return made[weight]

    computer = ComputerDutchOptimality(vertices, made_of(perfect + most))
    for _ in range(vertices):
        computer.add_vertex()
    for (one, other), weight in weights.items():
        computer.set_edge_weight(one, other, made_of(perfect + weight))
    computer.compute_matching()
    found = dict(enumerate(computer.get_matching()))
    return None if any(one == other for one, other in found.items()) else found
