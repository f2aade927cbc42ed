"""docs/protocol.md names everything that the package knows, and its bytes are the codec's."""

import re
import subprocess
import sys
from typing import Any, get_args

from tests.folders import DOCS

from polynya_protocol import encode
from polynya_protocol.messages import ErrorCode, ForfeitReason, FromClient, FromServer, Ready

TEXT = (DOCS / "protocol.md").read_text(encoding="utf-8")
MESSAGES: list[Any] = [*get_args(FromClient), *get_args(FromServer)]


def test_every_message_and_key_is_documented() -> None:
    tags = {message.__struct_config__.tag for message in MESSAGES}
    keys = {key for message in MESSAGES for key in message.__struct_fields__}
    assert [word for word in sorted(tags | keys) if f"`{word}`" not in TEXT] == []


def test_every_code_and_reason_has_a_row() -> None:
    words = get_args(ErrorCode) + get_args(ForfeitReason)
    assert [word for word in words if f"\n| `{word}` |" not in TEXT] == []


def test_each_number_of_a_requirement_occurs_once() -> None:
    numbers = [int(number) for number in re.findall(r"^- \*\*R(\d+)\*\*", TEXT, re.MULTILINE)]
    assert sorted(numbers) == list(range(1, 32))


def test_table_of_what_may_be_nil_is_that_of_the_schema() -> None:
    command = [sys.executable, str(DOCS / "nil_table.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_the_example_frame_is_what_the_codec_gives() -> None:
    block = TEXT.split("```\n00 00 00 15")[1].split("```")[0]
    shown = re.findall(r"^ *((?:[0-9a-f]{2}\b ?)+)", "00 00 00 15" + block, re.MULTILINE)
    assert encode(Ready(match="m1")) == bytes.fromhex("".join(shown))
