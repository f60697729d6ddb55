# SPDX-License-Identifier: Apache-2.0
"""The pages of this folder as a site: `make docs` writes it to build/docs.

The same files are read on a code host, so links are plain relative Markdown and pictures plain <img>.
"""

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

myst_enable_extensions = ["html_image"]  # <img> as a picture of the site, not as HTML that points nowhere
myst_heading_anchors = 3  # links such as compare.md#may-i-round

autodoc_member_order = "bysource"
default_role = "literal"  # docstrings are plain text: `name` is code
smartquotes = False  # and "negative" in them is a value to be typed
