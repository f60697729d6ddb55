# SPDX-License-Identifier: Apache-2.0
"""The pages of this folder as a site: `make docs` writes it to build/docs.

The same files are read on a code host, so links are plain relative Markdown and pictures plain <img>. Nothing is fetched
from elsewhere: formulas are letters, and the theme brings its own fonts and scripts.
"""

import re
from importlib.util import find_spec

import oddly

project = "Oddly"
author = "the Oddly authors"
copyright = "the Oddly authors, Apache-2.0"
version = release = oddly.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_title = "Oddly"
html_show_sourcelink = False
html_domain_indices = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
highlight_language = "none"  # a block says its language; what commands print has none

myst_enable_extensions = ["html_image"]  # <img> as a picture of the site, not as HTML that points nowhere
myst_heading_anchors = 3  # links such as features.md#the-language

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_mock_imports = [] if find_spec("sklearn") else ["sklearn"]  # the site can be built without it
python_maximum_signature_line_length = 80
default_role = "literal"  # docstrings are plain text: `name` is code
smartquotes = False  # and "negative" in them is a value to be typed


def as_named(app, what, name, thing, options, signature, returned):
    """Types by the names that the code gives them."""
    return tuple(text and re.sub(r"str \| int \| float \| [~\w.]*Fraction \| [~\w.]*Decimal", "Number", text) for text in (signature, returned))  # fmt: skip


def as_written(app, what, name, thing, options, lines):
    """The estimator lists its parameters as scikit-learn does: titles are bold here, and names that end in _ are names."""
    text = re.sub(r"^(Parameters|Attributes)\n-+$", r"**\1**\n", "\n".join(lines), flags=re.MULTILINE)
    lines[:] = re.sub(r"(?<![`.\w])(\w+_)(?=[\s,:]|$)", r"`\1`", text).split("\n")


def setup(app):
    app.connect("autodoc-process-signature", as_named)
    app.connect("autodoc-process-docstring", as_written)
