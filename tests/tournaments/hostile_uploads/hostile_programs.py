"""Programs whose builds, or matches, were made to do harm; each declares a version of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

from polynya_hosting.kits.templates import write_kit
from polynya_tournaments.uploads.archives.packing import pack
from polynya_tournaments.uploads.archives.unpacking import Limits

SCRIPTS: Final[Sequence[str]] = (
    "for _ in range({n}): os.mkdir('d'); os.chdir('d')",
    "os.remove('polynya.toml'); os.symlink('/dev/zero', 'polynya.toml')",
    "os.remove('polynya.toml'); os.symlink('/proc/kmsg', 'polynya.toml')",
    "os.remove('polynya.toml'); os.mkfifo('polynya.toml')",
    "os.remove('polynya.toml'); os.mkdir('polynya.toml')",
    "open('polynya.toml', 'w').truncate({n} * 9999)",
    "os.mkfifo('pipe'); os.symlink('/', 'root'); os.symlink('own', 'own')",
    r"open(b'\xff\xfe', 'w').close(); open('a\nb', 'w').close(); open('\x1b[2J', 'w').close()",
    "os.mkdir('c'); open('c/f', 'w').close(); os.chmod('c', 0); os.chmod('.', 0)",
    "open('su', 'w').close(); os.chmod('su', 0o6755); os.link('su', 'two')",
    "[open(f'f{{n}}', 'w').close() for n in range({n} * 9)]",
    "[open(f'f{{n}}', 'wb').truncate(2**28) for n in range(9)]",
    "print('x' * {n} * 999)",
    r"[print('\x1b]0;fish\x07', n) for n in range({n} * 9)]",
    "os.write(1, os.urandom({n} * 99))",
    "sys.exit({n})",
    "os.kill(os.getpid(), 9)",
    "x = []\nwhile True: x.append(bytes(2**20))",
    "os.rename('bot.py', 'b'); os.symlink('/dev/zero', 'bot.py')",
    "os.remove('bot.py'); os.mkfifo('bot.py')",
    "open('bot.py', 'w').write('print(\"x\" * 10**6, flush=True)')",
    "open('bot.py', 'w').write('import sys; sys.setrecursionlimit(9**6); f = lambda: f(); f()')",
)


def program(folder: Path, name: str, version: str, random: Random | None = None) -> bytes:
    """The archive of a starter kit's bot, with some hostile lines in its build by a seed."""
    home = folder / name
    if not home.exists():
        write_kit("python", "packeis", home)
    manifest = home / "polynya.toml"
    lines = [
        f'version = "{version}"' if line.startswith("version") else line
        for line in manifest.read_text().splitlines()
        if not line.startswith("build")
    ]
    build = "[]"
    if random is not None:
        chosen = random.sample(SCRIPTS, random.choice([1, 1, 2]))
        script = "\n".join(each.format(n=random.choice([1, 60, 1_500])) for each in chosen)
        (home / "build.py").write_text(f"import os, sys\n{script}\n")
        build = '["python3 build.py"]'
    manifest.write_text("\n".join([*lines, f"build = {build}", ""]))
    return pack(home, Limits())
