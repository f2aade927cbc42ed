"""The scripts say the server's sentences as the pages do."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser
from tests.web.browsing import tab

from polynya_web.content.texts import LANGUAGES, ORIGINAL, TEXTS

OTHERS = [language for language in LANGUAGES if language != ORIGINAL]
VALUES = ("5", "bot-a, b and c", "1.5", "it is in play", "no such sentence; at all", "x: y")
SAY = """async ([script, texts, sentences]) => {
  const { said } = await import(script);
  return sentences.map((sentence) => said(texts, sentence)).map(({ text, lang }) => [text, lang]);
}"""


@pytest.mark.parametrize("language", OTHERS)
def test_scripts_say_a_sentence_as_the_pages_do(
    browser: Browser, address: str, language: str
) -> None:
    texts = TEXTS[language]
    groups = [f"said.{group}." for group in texts.sentences]
    known = texts.starting("number.", "viewer.result.and", *groups)
    sentences = [
        re.sub(r"\{\w+\}", lambda _, value=value: value, sentence)  # type: ignore[misc]
        for table in texts.sentences.values()
        for sentence in table
        for value in VALUES
    ]
    with tab(browser, address, locale=language) as page:
        page.goto("/")
        base = page.locator("link[rel=stylesheet]").first.get_attribute("href") or ""
        script = f"{base.rpartition('/')[0]}/boards/texts.js"
        told = page.evaluate(SAY, [script, known, sentences])
    assert [list(texts.said(sentence)) for sentence in sentences] == told
