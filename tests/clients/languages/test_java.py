"""The Java SDK: its own tests, and its bots in whole matches on the real server."""

from __future__ import annotations

import os
import re
import ssl
import subprocess
from pathlib import Path
from typing import Any

import pytest
import trustme
from tests.clients import program_checks, toolchains
from tests.clients.matches import forfeits, play

JAVA = toolchains.CLIENTS / "java"
JAR = JAVA / "examples" / "target" / "bots.jar"
MAVEN = ("mvn", "--quiet", "--batch-mode")


@pytest.fixture(scope="session")
def bots() -> list[str]:
    """The command that starts a bot, but for its class; the bots are built if they are not."""
    toolchains.require("java", "maven")
    sources = [*JAVA.glob("*/src/main/**/*.java"), *JAVA.glob("**/pom.xml")]
    if not toolchains.newer(JAR, sources):
        toolchains.run(*MAVEN, "-DskipTests", "package", cwd=JAVA)
    return ["java", "-XX:+UseSerialGC", "-cp", str(JAR)]


@pytest.mark.usefixtures("bots")
def test_unit_tests_pass() -> None:
    toolchains.run(*MAVEN, "verify", cwd=JAVA)


@pytest.mark.usefixtures("bots")
def test_documentation_has_no_warning(tmp_path: Path) -> None:
    words = ("-Xdoclint:all", "-Werror", "-quiet", "-protected", "-d", tmp_path)
    jars = ":".join(map(str, (JAR.parent / "lib").glob("msgpack-core-*.jar")))
    sources = JAVA / "client" / "src" / "main" / "java"
    toolchains.run(
        "javadoc", *words, "-cp", jars, "-sourcepath", sources, "polynya.client", cwd=JAVA
    )


async def test_bot_thinks_on_the_opponents_time(bots: list[str]) -> None:
    ponder, greedy = ([*bots, f"polynya.examples.{name}Bot"] for name in ("Ponder", "Greedy"))
    record = await play({"ponder": ponder, "greedy": greedy}, "packeis")

    assert (record.reason, forfeits(record)) == ("finished", [])


async def test_bots_play_whole_matches(bots: list[str]) -> None:
    random, greedy = ([*bots, f"polynya.examples.{name}Bot"] for name in ("Random", "Greedy"))
    await program_checks.plays_whole_matches(random, greedy)


def start(bots: list[str], port: int, **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*bots, "polynya.examples.RandomBot"],
        env={
            **os.environ,
            "POLYNYA_PORT": str(port),
            "POLYNYA_NAME": "ada",
            "POLYNYA_RECONNECT": "0",
            **environment,
        },
        stderr=subprocess.PIPE,
    )


def test_interrupted_bot_says_goodbye(bots: list[str], scripted_server: Any) -> None:
    with start(bots, scripted_server.port) as process:
        peer = scripted_server.accept()
        peer.welcome()
        peer.send({"type": "ping", "nonce": 1})
        peer.receive()
        process.send_signal(2)

        assert peer.receive() == {"type": "goodbye", "reason": "the bot was interrupted"}
        assert process.wait(120) == 0


def test_bot_verifies_the_servers_certificate(
    bots: list[str], scripted_server: Any, tmp_path: Path
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    context = program_checks.server_side(authority)
    trusting = {"POLYNYA_TLS": "1", "SSL_CERT_FILE": str(tmp_path / "authority.pem")}
    with start(bots, scripted_server.port, **trusting) as process:
        peer = scripted_server.accept_over(lambda sock: context.wrap_socket(sock, server_side=True))
        assert peer.welcome()["name"] == "ada"
        peer.send({"type": "goodbye", "reason": "finished"})

        assert process.wait(120) == 0


@pytest.mark.parametrize("trusted", [True, False])
def test_certificate_of_another_host_or_authority_is_refused(
    bots: list[str], scripted_server: Any, tmp_path: Path, trusted: bool
) -> None:
    authority = trustme.CA()
    known = authority if trusted else trustme.CA()
    known.cert_pem.write_to_path(tmp_path / "authority.pem")
    context = program_checks.server_side(authority, "192.0.2.7" if trusted else "127.0.0.1")
    trusting = {"POLYNYA_TLS": "1", "SSL_CERT_FILE": str(tmp_path / "authority.pem")}
    with start(bots, scripted_server.port, **trusting) as process:
        with pytest.raises((ssl.SSLError, AssertionError)):
            scripted_server.accept_over(
                lambda sock: context.wrap_socket(sock, server_side=True)
            ).receive()
        _, complaint = process.communicate(timeout=120)

        assert process.returncode == 75
        assert complaint.startswith(b"cannot connect to 127.0.0.1:")


COMPILER = """<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>tests</groupId><artifactId>kotlin</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.jetbrains.kotlin</groupId>
      <artifactId>kotlin-compiler-embeddable</artifactId>
      <version>2.0.21</version>
    </dependency>
  </dependencies>
</project>
"""
"""What Maven needs to fetch the compiler of Kotlin with all that it needs."""


@pytest.fixture
def kotlin(bots: list[str], tmp_path: Path) -> list[str]:
    """The command that starts the Kotlin bot of the README, compiled."""
    (tmp_path / "pom.xml").write_text(COMPILER)
    plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
    fetched = subprocess.run(
        [*MAVEN, plugin, "-DoutputDirectory=compiler"], cwd=tmp_path, check=False
    )
    if fetched.returncode != 0:
        toolchains.go_without("Maven Central, which has Kotlin's compiler, is not reachable.")
    text = (JAVA / "README.md").read_text("utf-8")
    (source,) = re.findall(r"```kotlin\n(.*?)```", text, re.DOTALL)
    (tmp_path / "Bot.kt").write_text(source)
    compiler = ["java", "-cp", "compiler/*", "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"]
    words = ("-no-stdlib", "-no-reflect", "-Werror", "-d", "bot.jar", "-cp")
    standard = next((tmp_path / "compiler").glob("kotlin-stdlib-2*.jar"))
    (sdk,) = (JAR.parent / "lib").glob("polynya-client-*.jar")
    libraries = f"{sdk}:{standard}"
    toolchains.run(*compiler, *words, libraries, "Bot.kt", cwd=tmp_path)
    everything = f"{tmp_path / 'bot.jar'}:{standard}:{JAR.parent / 'lib'}/*"
    return [*bots[:-1], everything, "BotKt"]


async def test_kotlin_bot_of_the_readme_plays_a_turn_of_several_steps(
    kotlin: list[str], bots: list[str]
) -> None:
    random = [*bots, "polynya.examples.RandomBot"]
    record = await play({"kotlin": kotlin, "random": random}, "icecult", turn_limit=20)

    assert (record.reason, forfeits(record)) == ("finished", [])
