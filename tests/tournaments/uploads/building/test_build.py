"""Building uploads in a real sandbox: what is built, what is said, and what is contained."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

import pytest
from msgspec.structs import replace
from tests.clients.toolchains import require, require_sandboxes

from polynya_contest.config.sandbox_settings import SandboxLimits, SandboxSettings
from polynya_hosting.sandbox.selection import sandbox_of
from polynya_tournaments.uploads.archives.manifest import Manifest
from polynya_tournaments.uploads.build_queue import python_environment
from polynya_tournaments.uploads.building.build import Build, BuildLimits, Built, first_error
from polynya_tournaments.uploads.building.build_tools import find_build_tools
from polynya_tournaments.uploads.foreign_trees import TreeBounds
from polynya_tournaments.uploads.service import BUILD_LIMITS

LIMITS = SandboxLimits(memory_mb=256, processes=32, cpu_s=10, file_mb=16, space_mb=16)

SMALL = BuildLimits(folder=TreeBounds(bytes=20 * 2**20))


@pytest.fixture(autouse=True)
def bubblewrap() -> None:
    require_sandboxes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "program"
    made.mkdir()
    return made


def all_command_lines() -> str:
    """The words of all processes of this machine."""
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            lines.append((process / "cmdline").read_text(errors="replace"))
    return "\n".join(lines)


async def built(
    folder: Path,
    *commands: str,
    limits: BuildLimits | None = None,
    box: SandboxLimits = LIMITS,
    paths: Sequence[Path] = (),
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Built:
    manifest = Manifest(
        name="fish", version="1", language="sh", build=commands, run="./bot", games=("packeis",)
    )
    settings = SandboxSettings(
        driver="bubblewrap",
        limits=box,
        paths=tuple(map(str, paths)),
    )
    sandbox = sandbox_of(settings)
    return await Build(folder, manifest, sandbox, limits or BuildLimits(), environment).run()


async def test_commands_run_one_after_the_other_and_write_into_the_folder(folder: Path) -> None:
    (folder / "source").write_text("echo hello")

    done = await built(folder, "cp source bot", "chmod 700 bot")

    assert done == Built("$ cp source bot\n$ chmod 700 bot", None)
    assert (folder / "bot").read_text() == "echo hello"


async def test_commands_share_a_home_that_is_gone_afterwards(folder: Path) -> None:
    done = await built(
        folder,
        "sh -c 'mkdir ~/.cargo && echo fetched > ~/.cargo/registry'",
        "cp -r .polynya-home out",
    )

    assert (done.failure, os.listdir(folder)) == (None, ["out"])
    assert (folder / "out" / ".cargo" / "registry").read_text() == "fetched\n"


async def test_go_finds_offline_the_download_of_the_command_before(folder: Path) -> None:
    require("go")
    tools = find_build_tools()
    module = folder / "proxy" / "example.org" / "fish" / "@v"
    module.mkdir(parents=True)
    (module / "list").write_text("v1.0.0\n")
    (module / "v1.0.0.info").write_text('{"Version": "v1.0.0"}')
    (module / "v1.0.0.mod").write_text("module example.org/fish\n")
    with zipfile.ZipFile(module / "v1.0.0.zip", "w") as packed:
        packed.writestr("example.org/fish@v1.0.0/go.mod", "module example.org/fish\n")
        packed.writestr("example.org/fish@v1.0.0/fish.go", "package fish\n\nconst Name = 1\n")
    (folder / "go.mod").write_text("module bot\n\ngo 1.20\n\nrequire example.org/fish v1.0.0\n")
    (folder / "main.go").write_text(
        'package main\n\nimport "example.org/fish"\n\nfunc main() { println(fish.Name) }\n'
    )
    environment = {
        **tools.environment(python_environment(), {}),
        "GOFLAGS": "-mod=mod",
        "GONOSUMDB": "*",
        "GOPROXY": f"file://{folder}/proxy",
    }

    done = await built(
        folder,
        "go mod download example.org/fish",
        "env GOPROXY=off go mod vendor",
        box=BUILD_LIMITS,
        paths=tools.paths,
        environment=environment,
    )

    assert done.failure is None, done.log
    assert (folder / "vendor" / "example.org" / "fish" / "fish.go").is_file()


async def test_what_was_built_is_ours_and_may_be_read_by_all(folder: Path) -> None:
    await built(folder, "mkdir -m 700 out", "touch out/bot", "chmod 4700 out/bot")

    found = (folder / "out" / "bot").stat()
    assert (found.st_uid, stat.S_IMODE(found.st_mode)) == (os.geteuid(), 0o755)
    assert stat.S_IMODE((folder / "out").stat().st_mode) == 0o755


async def test_the_first_command_that_fails_ends_it_with_its_error(folder: Path) -> None:
    script = "echo compiling; echo 'bot.c:3: error: no such thing as fish' >&2; exit 2"

    done = await built(folder, f'sh -c "{script}"', "touch later")

    assert str(done.failure) == (
        "build[0] ended by itself with exit code 2: bot.c:3: error: no such thing as fish"
    )
    assert done.log.splitlines()[1:] == ["compiling", "bot.c:3: error: no such thing as fish"]
    assert not (folder / "later").exists()


async def test_the_log_names_files_from_the_programs_folder_on(folder: Path) -> None:
    done = await built(folder, "sh -c 'echo $PWD/bot.c:3: error; exit 1'")

    assert str(done.failure) == "build[0] ended by itself with exit code 1: bot.c:3: error"


async def test_commands_stand_back_behind_the_server(folder: Path) -> None:
    await built(folder, "sh -c 'nice > nice'", "sh -c 'cat /proc/self/autogroup > sessions; true'")

    nice = f"{min(os.nice(0) + 10, 19)}"
    assert (folder / "nice").read_text().strip() == nice
    assert (folder / "sessions").read_text().rpartition(" ")[2].strip() in (nice, "")


async def test_a_program_that_is_missing_is_said(folder: Path) -> None:
    done = await built(folder, "no-such-compiler --version")

    assert done.failure is not None
    assert str(done.failure).startswith("build[0] cannot be started: no-such-compiler --version")


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("sleep 100", "takes longer than 1 s"),
        ("sh -c 'while :; do :; done'", "takes longer than 1 s"),
        ("sh -c 'sleep 100 & setsid sleep 100 & wait'", "takes longer than 1 s"),
    ],
)
async def test_a_build_without_an_end_is_ended(command: str, sentence: str, folder: Path) -> None:
    done = await built(folder, command, limits=BuildLimits(wall_s=1))

    assert done.failure is not None
    assert sentence in str(done.failure)


async def test_a_build_that_fills_its_folder_is_ended(folder: Path) -> None:
    fill = "sh -c 'i=0; while :; do head -c 1000000 /dev/zero > f$i; i=$((i+1)); done'"

    done = await built(folder, fill, limits=SMALL)

    assert done.failure is not None
    assert "filled its folder with more than" in str(done.failure)


async def test_a_build_that_makes_files_without_end_is_ended(folder: Path) -> None:
    fill = "sh -c 'i=0; while :; do : > f$i; i=$((i+1)); done'"

    done = await built(folder, fill, limits=BuildLimits(folder=TreeBounds(entries=1_000)))

    assert str(done.failure) == "build[0] made more than 1,000 files"


async def test_files_that_are_unlinked_and_held_open_take_no_more_than_the_folder_may(
    folder: Path,
) -> None:
    (folder / "hold.py").write_text(
        "import os, time\n"
        "held = []\n"
        "try:\n"
        "    while len(held) < 10:\n"
        "        held.append(open('big', 'wb'))\n"
        "        os.unlink('big')\n"
        "        held[-1].write(bytes(8 * 2**20))\n"
        "        print(8 * len(held), flush=True)\n"
        "except OSError:\n"
        "    time.sleep(100)\n"
    )

    done = await built(
        folder, "python3 hold.py", limits=BuildLimits(folder=TreeBounds(bytes=20 * 2**20))
    )

    assert str(done.failure) == "build[0] filled its folder with more than 20 MiB: 16"
    assert done.log.splitlines()[1:] == ["8", "16"]


async def test_memory_of_the_folder_is_beside_the_memory_of_the_build(folder: Path) -> None:
    fill = "head -c 10000000 /dev/zero"
    files = 2 * LIMITS.memory_mb * 2**20 // 10_000_000

    done = await built(folder, f"sh -c 'for i in $(seq {files}); do {fill} > f$i; done'")

    assert done.failure is None
    assert len(list(folder.iterdir())) == files


async def test_each_link_to_a_file_counts(folder: Path) -> None:
    links = "head -c 8000000 /dev/zero > a; ln a b; ln a c"

    done = await built(
        folder, f"sh -c '{links}'", limits=BuildLimits(folder=TreeBounds(bytes=20 * 2**20))
    )

    assert str(done.failure) == "build[0] filled its folder with more than 20 MiB"


async def test_folders_without_end_in_each_other_are_refused(folder: Path) -> None:
    nest = 'import os; [(os.mkdir("d"), os.chdir("d")) for _ in range(1_500)]'

    done = await built(folder, f"python3 -c '{nest}'")

    assert str(done.failure) == "build[0] made more than 100 folders in each other"


async def test_next_command_finds_files_links_and_times_of_the_one_before(folder: Path) -> None:
    done = await built(
        folder,
        "sh -c 'mkdir -m 0 closed; touch -d 2001-02-03 old; ln -s old link; mkdir out'",
        "sh -c 'ls -d *; readlink link; date -r old +%F'",
    )

    assert done.failure is None
    assert done.log.splitlines()[2:] == ["closed", "link", "old", "out", "old", "2001-02-03"]


async def test_build_cannot_reach_the_descriptor_of_the_folder_outside(folder: Path) -> None:
    done = await built(folder, "sh -c 'ls -l /proc/self/fd /proc/1/fd; ls /proc/1/cwd'")

    assert str(folder) not in done.log.replace("/proc/1/cwd", "")
    assert "cannot open directory '/proc/1/fd': Permission denied" in done.log


@pytest.mark.parametrize(
    "command",
    [
        "cat {secret}",
        "cp {secret} stolen",
        "ln {secret} stolen",
        "cc -x c -include {secret} -c /dev/null -o stolen",
        "cc -x c -include /etc/shadow -c /dev/null -o stolen",
        "cc -fplugin={secret} -c main.c -o stolen",
        "cc @{secret} -c main.c -o stolen",
        "ld -r -b binary {secret} -o stolen",
        "sh -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'",
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 2)'",
    ],
)
async def test_a_build_reaches_nothing_but_its_folder(
    command: str, folder: Path, tmp_path: Path, listening_port: int
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the contest's key")
    filled = command.replace("{secret}", str(secret)).replace("{beside}", str(tmp_path))

    done = await built(folder, filled.replace("{port}", str(listening_port)))

    assert done.failure is not None
    assert "the contest's key" not in done.log
    assert secret.read_text() == "the contest's key"
    assert {path.name for path in tmp_path.iterdir()} == {"program", "secret"}
    assert not (folder / "stolen").exists()


@pytest.mark.parametrize("command", ["sh -c 'echo x >> {secret}'", "touch {beside}/new"])
async def test_what_a_build_writes_elsewhere_is_gone(
    command: str, folder: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the contest's key")

    await built(folder, command.format(secret=secret, beside=tmp_path))

    assert secret.read_text() == "the contest's key"
    assert {path.name for path in tmp_path.iterdir()} == {"program", "secret"}


async def test_a_link_to_a_file_outside_shows_nothing_of_it(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the contest's key")
    secret.chmod(0o600)

    done = await built(folder, f"ln -s {secret} bot", "cat bot")

    assert done.failure is not None
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600


async def test_rust_reads_no_file_of_the_hosts_into_a_program(folder: Path, tmp_path: Path) -> None:
    require("cargo", "c")
    secret = tmp_path / "secret"
    secret.write_text("the contest's key")
    code = f'fn main() {{ print!("{{}}", include_str!("{secret}")); }}'
    (folder / "main.rs").write_text(code)
    tools = find_build_tools()
    environment = tools.environment(python_environment(), {})

    done = await built(folder, "rustc main.rs -o bot", paths=tools.paths, environment=environment)

    assert done.failure is not None
    assert "couldn't read" in str(done.failure)
    assert not (folder / "bot").exists()


async def test_a_plugin_of_the_compiler_is_in_the_sandbox_too(folder: Path, tmp_path: Path) -> None:
    """It comes with the upload: code that runs while building, as any command of it may."""
    secret = tmp_path / "secret"
    secret.write_text("the contest's key")
    (folder / "plugin.c").write_text(
        "#include <stdio.h>\n#include <stdlib.h>\nint plugin_is_GPL_compatible;\n"
        f'__attribute__((constructor)) void load(void) {{ FILE *f = fopen("{secret}", "r");\n'
        'printf("plugin: %s\\n", f ? "reads it" : "sees nothing"); fflush(stdout); exit(3); }\n'
    )

    done = await built(
        folder,
        "cc -shared -fPIC plugin.c -o plugin.so",
        "cc -fplugin=./plugin.so -c plugin.c -o x.o",
    )

    assert "plugin: sees nothing" in done.log


async def test_processes_that_a_build_leaves_are_ended(folder: Path) -> None:
    leave = "import os, time; os.fork() or (os.setsid(), os.fork(), time.sleep(1000))"
    mark = f"{folder.name}-{os.getpid()}"

    done = await built(folder, f"python3 -c '{leave}' {mark}")

    assert done.failure is None
    assert mark not in all_command_lines()


async def test_a_build_that_computes_without_end_is_ended(folder: Path) -> None:
    done = await built(folder, "sh -c 'while :; do :; done'", box=replace(LIMITS, cpu_s=1))

    assert done.failure is not None
    assert "processor time" in str(done.failure)


async def test_a_build_that_fills_memory_is_ended(folder: Path) -> None:
    done = await built(folder, "python3 -c 'x = bytearray(2**30); x[::4096] = bytes(2**18)'")

    assert done.failure is not None


async def test_a_pipe_that_was_made_is_removed(folder: Path) -> None:
    await built(folder, "mkfifo pipe")

    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], ""),
        (["", "make: nothing to be done", " "], "make: nothing to be done"),
        (["warning: x", "a.rs:1: error[E0308]: mismatched", "error: aborting"], "a.rs:1: error"),
        (["ld: undefined reference to `main'", "exit"], "ld: undefined reference"),
        (["\x1b[31merror\x1b[0m: here"], "?[31merror?[0m: here"),
    ],
)
def test_the_line_that_says_what_was_wrong(lines: list[str], said: str) -> None:
    assert first_error(lines).startswith(said)
