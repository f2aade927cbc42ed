"""How busy a machine was between two moments, from the kernel's counters."""

from __future__ import annotations

import sys

import pytest

from polynya_server.records import MachineLoad
from polynya_server.timing.machine_load import LoadMeter, Sample, read_sample

S = 10**9


class Machine:
    """Counters that a test moves, and a clock."""

    def __init__(self) -> None:
        self.now_ns = 0
        self.sample: Sample | None = Sample(busy=100, stolen=10, total=1000, runnable=1.5, cores=2)
        self.readings = 0

    def read(self) -> Sample | None:
        self.readings += 1
        return self.sample

    def advance(self, seconds: float, busy: int, stolen: int) -> None:
        """Let time pass in which the two cores were busy for so many ticks of 10 ms."""
        self.now_ns += int(seconds * S)
        assert self.sample is not None
        old = self.sample
        self.sample = Sample(
            old.busy + busy, old.stolen + stolen, old.total + int(seconds * 200), 2.0, 2
        )


@pytest.fixture
def machine() -> Machine:
    return Machine()


def test_load_is_the_part_of_all_cores_time(machine: Machine) -> None:
    meter = LoadMeter(lambda: machine.now_ns, machine.read)
    begin = meter.sample()
    machine.advance(10, busy=1000, stolen=500)
    assert meter.since(begin) == MachineLoad(busy=0.5, stolen=0.25, runnable=2.0, cores=2)


def test_counters_are_read_once_a_second_at_most(machine: Machine) -> None:
    meter = LoadMeter(lambda: machine.now_ns, machine.read)
    for _ in range(100):
        meter.since(meter.sample())
        machine.advance(0.025, busy=1, stolen=0)
    assert machine.readings == 3


def test_short_match_has_the_load_of_the_second_around_it(machine: Machine) -> None:
    meter = LoadMeter(lambda: machine.now_ns, machine.read)
    meter.sample()
    machine.advance(1, busy=100, stolen=0)
    begin = meter.sample()
    machine.advance(0.1, busy=20, stolen=0)
    load = meter.since(begin)
    assert load is not None
    assert load.busy == 0.5


def test_system_without_counters_has_no_load(machine: Machine) -> None:
    machine.sample = None
    meter = LoadMeter(lambda: machine.now_ns, machine.read)
    assert meter.since(meter.sample()) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these counters")
def test_linux_counts() -> None:
    sample = read_sample()
    assert sample is not None
    assert 0 < sample.busy < sample.total
    assert sample.cores >= 1
