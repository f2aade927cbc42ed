"""``polynya languages``: which of the languages of starter kits can be built on this machine."""

from __future__ import annotations

from polynya_app.console.output import write_json, write_table
from polynya_app.flags.parameters import Json
from polynya_hosting.bots.templates import KITS
from polynya_hosting.bots.toolchains import shortcomings


def languages(*, as_json: Json = False) -> None:
    """Show for which languages this machine has what building and running bots needs.

    Uploaded programs are built with the tools of the server's machine. The
    mirrors are the hosts that the build of an uploaded starter kit reaches:
    the setting upload_mirrors names them.

    Args:
        as_json: Write JSON instead of a table.
    """
    missing = {language: shortcomings(kit.tools) for language, kit in KITS.items()}
    if as_json:
        write_json(
            {
                name: {"missing": said, "mirrors": KITS[name].mirrors}
                for name, said in missing.items()
            }
        )
    else:
        rows = [
            [name, " ".join(said) or "here", ", ".join(KITS[name].mirrors) or "none"]
            for name, said in missing.items()
        ]
        write_table(["language", "tools", "mirrors"], rows)
