"""Builds the site into ``build/site/html``: ``python docs/website/build_site.py``.

Any warning fails the build: a link or an anchor that leads nowhere, a page that the navigation does
not have. At the end stands how large the site is.
"""

from __future__ import annotations

import shutil
import subprocess
import sys

from pages import ROOT, write
from reference import reference

FOLDER = ROOT / "build" / "site"
MIB = 2**20


def main() -> None:
    """Build; exit with 1 if there is a warning."""
    source, site = FOLDER / "source", FOLDER / "html"
    shutil.rmtree(FOLDER, ignore_errors=True)
    write(source, reference())
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-j", "2", "--fail-on-warning"]
    places = [
        "-c",
        str(ROOT / "docs/website"),
        "-d",
        str(FOLDER / "doctrees"),
        str(source),
        str(site),
    ]
    if subprocess.run([*sphinx, *places], check=False).returncode:  # noqa: S603 -- our own words
        sys.exit("the site was not built: mend what the lines above say")
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    print(f"{site.relative_to(ROOT)}/index.html, {size / MIB:.1f} MiB")


if __name__ == "__main__":
    main()
