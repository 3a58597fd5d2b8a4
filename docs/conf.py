"""How the site is made: pip install -e ".[docs]" && python -m sphinx -W docs .site. Nothing is fetched."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # site_hooks

project = "thumbwise"
author = "The thumbwise developers"
html_title = "thumbwise"
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx_copybutton", "site_hooks"]

# Pages are plain Markdown that reads well where it lies; headings can be linked to as they can there.
myst_heading_anchors = 4
exclude_patterns = ["*.py"]

# Docstrings are those of numpydoc; what is public is listed in docs/api, by the names that users import.
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {name: name for name in ("npt.ArrayLike", "FloatArray", "IntArray", "IntoFrame")}
add_module_names = False
default_role = "py:obj"
highlight_language = "text"
maximum_signature_line_length = 88
numpydoc_show_class_members = False

html_theme = "furo"
html_static_path = ["stylesheets"]
html_css_files = ["extra.css"]
html_show_sphinx = False
html_show_sourcelink = html_copy_source = False
copybutton_exclude = ".linenos, .gp, .go"
