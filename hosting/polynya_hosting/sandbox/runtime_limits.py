"""Variables that tell runtimes their limits: in a sandbox they see the host's memory and cores.

A Java that sees 128 GiB takes a quarter of them for its heap, and is killed at the limit of its
box; a BLAS that sees 64 cores starts 64 threads. A program's own options, on its command line or in
its code, win.
"""

from __future__ import annotations

from typing import Final

from polynya_contest.config.sandbox_settings import SandboxLimits

_JAVA_HEAP_PERCENT: Final = 50
"""Threads, classes and compiled code take some 150 MiB besides."""
_GO_PERCENT: Final = 90
_NODE_HEAP_PERCENT: Final = 75
_THREADS: Final = (
    "BLIS_NUM_THREADS",
    "GOMAXPROCS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "PYTHON_CPU_COUNT",
    "RAYON_NUM_THREADS",
)
"""How many threads these start: BLAS, OpenMP, Go, Python 3.13 and libraries."""


def runtime_variables(limits: SandboxLimits) -> dict[str, str]:
    """The variables that tell a program's runtime the limits of its sandbox."""
    memory_mb, cores = limits.memory_mb, limits.cores
    java = (
        f"-XX:MaxRAM={memory_mb}m",
        f"-XX:MaxRAMPercentage={_JAVA_HEAP_PERCENT}",
        f"-XX:ActiveProcessorCount={cores}",
    )
    return {
        **dict.fromkeys(_THREADS, str(cores)),
        "JAVA_TOOL_OPTIONS": " ".join(java),
        "GOMEMLIMIT": f"{memory_mb * _GO_PERCENT // 100}MiB",
        "NODE_OPTIONS": f"--max-old-space-size={memory_mb * _NODE_HEAP_PERCENT // 100}",
    }
