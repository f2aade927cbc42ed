"""The npm package: packed, checked by publint and attw, installed from the file and used."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from tests.clients import toolchains
from tests.packaging.published import CLIENTS, VERSION, example, plays, said

ARTEFACT = "npm polynya-client"
FOLDER = CLIENTS / "typescript"
TYPED = """import { run, type Step, type Turn } from "polynya-client";

await run((turn: Turn): Step[] => [turn.legal[0] as Step], { name: "typed", wants: ["legal"] });
"""
STRICT = {
    "compilerOptions": {
        "target": "es2023",
        "lib": ["es2023", "dom"],
        "module": "nodenext",
        "strict": True,
        "types": [],
        "skipLibCheck": False,
        "noEmit": True,
    },
    "files": ["typed.mts"],
}
PAGE = """import * as polynya from "polynya-client";
polynya.run(() => []).catch((error) => {
  document.title = [error.name, error instanceof polynya.ClientError, error.message].join("|");
});
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packed file."""
    toolchains.require("node", "npm")
    folder = tmp_path_factory.mktemp("package")
    said("npm", "ci", "--no-audit", "--no-fund", cwd=FOLDER)
    said("npm", "pack", "--pack-destination", folder, cwd=FOLDER)
    return folder / f"polynya-client-{VERSION}.tgz"


@pytest.fixture(scope="module")
def project(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with nothing but the package installed."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "package.json").write_text('{"private": true}')
    said("npm", "install", "--no-audit", "--no-fund", package, cwd=folder)
    return folder


def tool(name: str) -> Path:
    return FOLDER / "node_modules" / ".bin" / name


@pytest.mark.step("built")
def test_package_holds_readme_licence_changelog_and_types(package: Path) -> None:
    with tarfile.open(package) as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
    assert {"README.md", "LICENSE", "CHANGELOG.md", "dist/src/index.d.ts"} <= names
    assert [name for name in names if name.startswith(("test", "dist/test"))] == []


@pytest.mark.step("checked")
def test_publint_and_attw_find_nothing(package: Path) -> None:
    said(tool("publint"), "run", package, "--strict", cwd=package.parent)
    said(tool("attw"), package, "--profile", "esm-only", cwd=package.parent)


@pytest.mark.step("installed")
def test_strict_program_is_type_checked_against_the_installed_package(project: Path) -> None:
    (project / "typed.mts").write_text(TYPED)
    (project / "tsconfig.json").write_text(json.dumps(STRICT))
    said(tool("tsc"), "--project", project, cwd=project)


@pytest.mark.step("installed")
def test_names_for_pages_are_those_for_node(project: Path) -> None:
    names = (
        "const names = async (file) => Object.keys(await import(file)).join();"
        "const from = './node_modules/polynya-client/dist/src/';"
        "console.log(await names(from + 'index.js'));"
        "console.log(await names(from + 'browser.js'));"
    )
    command = ("node", "--input-type=module", "--eval", names)
    node, browser = said(*command, cwd=project).splitlines()
    assert node == browser


@pytest.mark.step("installed")
def test_bundle_for_browsers_loads_and_says_that_a_page_has_no_tcp(project: Path) -> None:
    chromium = toolchains.program("chromium")
    (project / "page.js").write_text(PAGE)
    words = ("page.js", "--bundle", "--platform=browser", "--format=esm", "--outfile=bundle.js")
    said(tool("esbuild"), *words, cwd=project)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_content("<title>waiting</title>")
        page.add_script_tag(path=project / "bundle.js", type="module")
        page.wait_for_function("document.title !== 'waiting'")
        name, is_ours, sentence = page.title().split("|")
        browser.close()

    assert (name, is_ours) == ("BadSettings", "true")
    assert sentence.startswith("a browser has no TCP connections")


@pytest.mark.step("played")
async def test_bot_of_the_readme_plays_with_the_installed_package(project: Path) -> None:
    (project / "my_bot.mjs").write_text(example("typescript", "javascript"))
    await plays(["node", project / "my_bot.mjs"])
