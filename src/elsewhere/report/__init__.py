"""The private HTML report and its pictures.

contents    the values that a report is made of: nothing here looks anything up
html        the page: one file, no script, nothing fetched · sections · photos · tables · style
markup      elements that escape their text by default
look        colours, shapes and fonts, shared with the docs and the lab
pictures    plain values → SVG: the world, beliefs, shares, the frontier
"""

from elsewhere.report.contents import Contents
from elsewhere.report.html import page

__all__ = ["Contents", "page"]
