"""The scripts say reasons as the pages do."""

from __future__ import annotations

import re

import msgspec
import pytest
from playwright.sync_api import Browser
from tests.web.browsing import tab

from polynya_common.reasons import ENGLISH, Reason, groups
from polynya_web.content.texts import LANGUAGES, TEXTS

OTHERS = [language for language in LANGUAGES if language != ENGLISH]
GROUPS = ("match", "replay", "upload")
INNER = Reason.of("connection_broke", why=Reason.of("silent"))
VALUES = ("a b", 1, 5, 12_345, 1.5, None, ["ann", "bob", "cleo"], [INNER], INNER)
PLACE = re.compile(r"\{(\w+)(?::([^{}]*))?\}")
SAY = """async ([script, texts, reasons]) => {
  const { said } = await import(script);
  const all = reasons.map((reason) => said(texts, reason, "English"));
  return all.map(({ text, lang }) => [text, lang]);
}"""


def filled(code: str, template: str) -> list[Reason]:
    """The reason with each value, as far as its places are for such a value."""
    places = PLACE.findall(template)
    return [
        Reason.of(code, **{name: value for name, _ in places})
        for value in VALUES
        if not isinstance(value, float) or all(form in ("", "g", ".1f") for _, form in places)
        if value is not None or not any(form in (",", "g", ".1f", "r") for _, form in places)
        if not places or value is not None or all("#" in form for _, form in places)
    ]


@pytest.mark.parametrize("language", OTHERS)
def test_scripts_say_a_reason_as_the_pages_do(
    browser: Browser, address: str, language: str
) -> None:
    texts = TEXTS[language]
    known = texts.starting("number.", "viewer.result.and") | texts.reasons(*GROUPS)
    reasons = [
        reason
        for group in GROUPS
        for code, templates in groups()[group].items()
        for reason in filled(code, templates[language])
    ]
    with tab(browser, address, locale=language) as page:
        page.goto("/")
        base = page.locator("link[rel=stylesheet]").first.get_attribute("href") or ""
        script = f"{base.rpartition('/')[0]}/boards/texts.js"
        told = page.evaluate(SAY, [script, known, msgspec.to_builtins(reasons)])
    pages = [list(texts.said(reason)) for reason in reasons]
    assert [(one, other) for one, other in zip(pages, told, strict=True) if one != other] == []
