"""Explains why bubblewrap fails: finds the rule of the system or service unit behind its errors."""

from __future__ import annotations

_HINDRANCES = (
    (
        ("NETLINK_ROUTE",),
        "sockets of the family AF_NETLINK are forbidden here, and bubblewrap makes its network "
        "with one: add AF_NETLINK to RestrictAddressFamilies in the unit of the service",
    ),
    (
        ("create new namespace", "Creating new namespace", "unshare user ns", "setting up uid map"),
        "namespaces of users are forbidden here: remove RestrictNamespaces and a SystemCallFilter "
        "without @mount from the unit of the service, allow them in the system "
        "(kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0, "
        "user.max_user_namespaces), or take sandbox.driver = 'landlock'",
    ),
    (
        ("pivot_root", "Failed to make / slave", "mount proc", "mount tmpfs", "overflowuid"),
        "mounts are forbidden here: remove ProtectKernelTunables, ProcSubset, ProtectProc and a "
        "SystemCallFilter without @mount from the unit of the service, or take "
        "sandbox.driver = 'landlock'",
    ),
)
"""Words of bwrap (``bubblewrap.c``, ``network.c``), and the rule behind them with its remedy."""


def hindrance(said: str) -> str:
    """The cause behind words of bwrap, with its remedy; empty for words that tell of none."""
    return next(
        (cause for signs, cause in _HINDRANCES if any(sign in said for sign in signs)),
        "",
    )
