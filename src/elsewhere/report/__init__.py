"""The private HTML report and its pictures.

contents    the values that a report is made of: nothing here looks anything up
html        the page: one file, no script, nothing fetched
charts      what photos give away, how a place sharpens, what withholding buys → SVG
worldmap    what an attacker believes, the zone, the decoys → SVG
templating  the templates' environment: text never becomes markup
colours     colours by meaning, shared with the docs and the lab
templates/  pages, sections, charts and the style sheet
"""

from elsewhere.report.charts import bar_chart
from elsewhere.report.contents import Contents
from elsewhere.report.html import page
from elsewhere.report.templating import render

__all__ = ["Contents", "bar_chart", "page", "render"]
