"""Scripts put into one with all that they import."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.clients.toolchains import program

from polynya_web.http.static_assets import BundleError, bundle

SCRIPTS = {
    "page.js": (
        'import { double,\n  half as halved } from "./lib/numbers.js";\n'
        "export const answer = double(20) + halved(4);\nconsole.log(answer);\n"
    ),
    "lib/numbers.js": (
        'import { two } from "./two.js";\n'
        "export function double(number) {\n  return number * two;\n}\n"
        "export async function never() {}\nexport class Half {}\n"
        "export const half = (number) => number / two;\n"
    ),
    "lib/two.js": "export const two = 2;\n",
}


def test_bundle_does_what_its_modules_do(tmp_path: Path) -> None:
    script = tmp_path / "page.mjs"
    script.write_text(bundle("page.js", SCRIPTS))
    said = subprocess.run([program("node"), str(script)], capture_output=True, check=True)
    assert said.stdout == b"42\n"


def test_each_module_is_there_once() -> None:
    scripts = SCRIPTS | {"page.js": 'import { two } from "./lib/two.js";\n' + SCRIPTS["page.js"]}
    assert bundle("page.js", scripts).count("two = 2") == 1


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"lib/two.js": 'import { half } from "./numbers.js";\n'}, "run in a circle"),
        ({"page.js": 'import { x } from "./missing.js";\n'}, "missing.js, which is not there"),
        ({"lib/two.js": "export default 2;\n"}, "lib/two.js: this cannot be put into a bundle"),
        ({"lib/two.js": "const two = import.meta.url;\n"}, "lib/two.js: this cannot be put"),
    ],
)
def test_script_of_another_form_is_refused(changed: dict[str, str], words: str) -> None:
    with pytest.raises(BundleError, match=words):
        bundle("page.js", SCRIPTS | changed)
