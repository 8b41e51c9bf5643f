"""How Sphinx builds the site of the pages that scripts/build_site lays out."""

project = "goban"
author = "the developers of goban"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "README"
html_theme = "furo"
html_title = "goban"
html_static_path = []
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
