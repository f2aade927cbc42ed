"""``polynya protocol``: what programs can read about the protocol."""

from __future__ import annotations

import sys

from polynya_protocol.schema import json_schema_text


def schema() -> None:
    """Write the JSON Schema of all messages to standard output."""
    sys.stdout.write(json_schema_text())
