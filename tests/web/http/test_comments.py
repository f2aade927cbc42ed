"""Scripts and styles without comments: browsers do the same with them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.clients.toolchains import program

from polynya_web.http.comments import script_without_comments, style_without_comments
from polynya_web.http.static_assets import read_assets, source_files

OURS = {path: text for path, text in source_files().items() if not path.startswith("vendor/")}
SCRIPTS = {path: text.decode() for path, text in OURS.items() if path.endswith(".js")}
STYLES = {path: text.decode() for path, text in OURS.items() if path.endswith(".css")}
PARSE = """
const { parse } = require("internal/deps/acorn/acorn/dist/acorn");
const tree = (text) => JSON.stringify(
  parse(text, { ecmaVersion: "latest", sourceType: "module" }),
  (key, value) => (key === "start" || key === "end" ? undefined : value),
);
const pairs = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
const other = Object.keys(pairs).filter((path) => tree(pairs[path][0]) !== tree(pairs[path][1]));
console.log(JSON.stringify(other));
"""
RULES = """text => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return [...sheet.cssRules].map(rule => rule.cssText);
}"""


def test_scripts_parse_to_the_same_programs(tmp_path: Path) -> None:
    pairs = {path: (text, script_without_comments(text)) for path, text in SCRIPTS.items()}
    (tmp_path / "pairs.json").write_text(json.dumps(pairs))
    words = (program("node"), "--expose-internals", "-e", PARSE, str(tmp_path / "pairs.json"))
    other = subprocess.run(words, capture_output=True, text=True, check=True)
    assert json.loads(other.stdout) == []


def test_styles_have_the_same_rules(browser: Browser) -> None:
    page = browser.new_page()
    for path, text in STYLES.items():
        rules = page.evaluate(RULES, text)
        assert page.evaluate(RULES, style_without_comments(text)) == rules != [], path
    page.close()


def test_only_comments_that_fill_lines_leave_a_script() -> None:
    script = 'a("// no"); // stays\n  // goes\n/** goes\n * too */\nb(/\\/*x/); /* stays */\n'
    left = 'a("// no"); // stays\nb(/\\/*x/); /* stays */\n'
    assert script_without_comments(script) == left


def test_text_that_looks_like_a_comment_is_refused() -> None:
    with pytest.raises(ValueError, match="may be a part of a text: // kept"):
        script_without_comments("const text = `\n// kept\n`;\n")


def test_quoted_text_of_a_style_stays() -> None:
    style = 'a { content: "/* x */"; } /* goes */\n\n/* goes */\nb { top: 0; }\n'
    assert style_without_comments(style) == 'a { content: "/* x */"; }\nb { top: 0; }\n'


def test_sent_files_have_no_lines_of_comments() -> None:
    for path in (*SCRIPTS, *STYLES):
        sent = read_assets().text(path)
        assert "\n/*" not in sent, path
        assert "\n  //" not in sent, path
