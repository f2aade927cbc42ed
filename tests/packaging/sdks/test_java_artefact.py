"""The Java artefact: deployed with what Maven Central asks for, and used from a repository."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path
from xml.etree import ElementTree  # of files that Maven wrote

import pytest
from tests.clients import toolchains
from tests.packaging.published import ADDRESS, CLIENTS, VERSION, example, plays, said

ARTEFACT = "Maven polynya-client"
FOLDER = CLIENTS / "java"
GROUP = f"io.github.{ADDRESS.split('/')[-2]}"
MAVEN = ("mvn", "--quiet", "--batch-mode")
POM = "{http://maven.apache.org/POM/4.0.0}"
DEMANDED = ("name", "description", "url", "licenses", "developers", "scm")
"""Of each POM, by Maven Central."""

CONSUMER = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>bot</groupId>
  <artifactId>bot</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <repositories>
    <repository><id>deployed</id><url>file://{repository}</url></repository>
  </repositories>
  <dependencies>
    <dependency>
      <groupId>{group}</groupId>
      <artifactId>polynya-client</artifactId>
      <version>{version}</version>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin>
      <plugin>
        <artifactId>maven-dependency-plugin</artifactId>
        <version>3.6.1</version>
        <executions>
          <execution>
            <phase>package</phase>
            <goals><goal>copy-dependencies</goal></goals>
          </execution>
        </executions>
      </plugin>
    </plugins>
  </build>
</project>
"""


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in a folder, with the parent and the client deployed to it."""
    toolchains.require("java", "maven")
    folder = tmp_path_factory.mktemp("repository")
    target = f"-DaltDeploymentRepository=deployed::file://{folder}"
    words = ("-Prelease", "-DskipTests", "--projects", "client", "--also-make", target, "deploy")
    said(*MAVEN, *words, cwd=FOLDER)
    return folder


def files(repository: Path, artefact: str) -> Path:
    return repository.joinpath(*GROUP.split("."), artefact, VERSION)


def clean_cache(folder: Path) -> Path:
    """Maven's cache with the plugins that it has downloaded, and nothing of this project."""
    cache = Path.home() / ".m2" / "repository"
    own = cache.joinpath(*GROUP.split("."))
    shutil.copytree(
        cache,
        folder,
        copy_function=os.link if folder.stat().st_dev == cache.stat().st_dev else shutil.copy2,
        ignore=lambda parent, names: names if Path(parent) == own else [],
        dirs_exist_ok=True,
    )
    return folder


@pytest.mark.step("built")
def test_sources_documentation_and_licence_are_deployed(deployed: Path) -> None:
    stem = f"polynya-client-{VERSION}"
    names = {path.name for path in files(deployed, "polynya-client").iterdir()}
    jars = {f"{stem}.jar", f"{stem}-sources.jar", f"{stem}-javadoc.jar"}
    assert {f"{stem}.pom", *jars} <= names
    with zipfile.ZipFile(files(deployed, "polynya-client") / f"{stem}.jar") as jar:
        assert {"META-INF/LICENSE", "META-INF/CHANGELOG.md"} <= set(jar.namelist())


@pytest.mark.step("checked")
def test_poms_say_what_maven_central_demands(deployed: Path) -> None:
    parent = files(deployed, "polynya-parent") / f"polynya-parent-{VERSION}.pom"
    root = ElementTree.parse(parent).getroot()  # noqa: S314
    assert [name for name in DEMANDED if root.find(POM + name) is None] == []
    assert root.findtext(f"{POM}scm/{POM}url") == ADDRESS
    client = files(deployed, "polynya-client") / f"polynya-client-{VERSION}.pom"
    own = ElementTree.parse(client).getroot()  # noqa: S314
    assert [
        name for name in ("name", "description", "parent") if own.find(POM + name) is None
    ] == []
    assert own.findtext(f"{POM}parent/{POM}groupId") == GROUP


@pytest.mark.step("played")
async def test_bot_built_against_the_deployed_jar_plays(deployed: Path, tmp_path: Path) -> None:
    source = tmp_path / "src" / "main" / "java" / "MyBot.java"
    source.parent.mkdir(parents=True)
    source.write_text(example("java", "java"))
    pom = CONSUMER.format(repository=deployed, group=GROUP, version=VERSION)
    (tmp_path / "pom.xml").write_text(pom)
    cache = tmp_path / "cache"
    cache.mkdir()
    said(*MAVEN, f"-Dmaven.repo.local={clean_cache(cache)}", "package", cwd=tmp_path)
    path = os.pathsep.join(str(tmp_path / "target" / name) for name in ("classes", "dependency/*"))
    await plays(["java", "-XX:+UseSerialGC", "-cp", path, "MyBot"])
