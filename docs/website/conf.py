"""How Sphinx makes the site; ``build_site.py`` calls it."""

from __future__ import annotations

import tomllib
from pathlib import Path

_ROOT = Path(__file__).parents[2]

project = "Polynya"
author = copyright = "The Polynya developers"  # noqa: A001 -- Sphinx's name
version = release = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "version"
]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 6
suppress_warnings = [
    "misc.highlighting_failure",  # examples with "…" in place of a value
    "myst.header",  # the generated reference begins below the first level
]
autodoc_default_options = {"show-inheritance": True}
napoleon_use_ivar = True  # attributes as a list, beside their types
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True

html_theme = "furo"  # dark and light, as the reader's system says or by a button
html_title = f"Polynya {release}"
html_static_path = [str(Path(__file__).with_name("static"))]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
