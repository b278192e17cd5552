"""The style of the page: calm, one column of text, pictures beside each other where there is room.

One style for a desk, a phone and paper. A table that is wider than its column scrolls in a box of
its own, and a shade at an edge says that it goes on there, as long as it does. There is no script:
what folds is `details`, which is opened on paper, for nobody can click there.
"""

from __future__ import annotations

from elsewhere.report.colours import FONT, MONO, themes

_SCREEN = """
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%;scroll-behavior:smooth}
body{margin:0;background:var(--ground);color:var(--ink);line-height:1.55;font-size:1rem;
  overflow-wrap:anywhere}
main,header.top,footer{max-width:66rem;margin:0 auto;padding:0 1.25rem}
h1,h2,h3{line-height:1.2;text-wrap:balance;font-weight:650;letter-spacing:-.01em}
h1{font-size:clamp(1.5rem,1.1rem + 2vw,2.3rem);margin:.2rem 0 1rem}
h2{font-size:1.35rem;margin:0 0 .5rem}
h3{font-size:1.05rem;margin:1.6rem 0 .4rem}
p{margin:.5rem 0;max-width:44rem}
section{padding:2.2rem 0;border-top:1px solid var(--line)}
a{color:var(--kept)}
svg.picture{display:block;width:100%;height:auto}
.faint{color:var(--faint)}
.small{font-size:.875rem}
.private{background:var(--warning);color:var(--ground);padding:.55rem 1.25rem;text-align:center;
  font-size:.9rem}
@media screen and (prefers-color-scheme:dark){
  .private{background:color-mix(in srgb,var(--warning) 22%,var(--ground));color:var(--ink)}}
.private b{letter-spacing:.12em}
header.top{padding-top:2rem;padding-bottom:1.6rem}
.album{color:var(--faint);margin:0}
.verdict{display:grid;grid-template-columns:auto 1fr;gap:.2rem 1rem;align-items:start;
  background:var(--card);border:1px solid var(--line);border-left:.4rem solid var(--state);
  border-radius:.6rem;padding:1.1rem 1.2rem}
.verdict svg{width:2.1rem;height:2.1rem}
.verdict .state{color:var(--state);font-weight:650;margin:0;font-size:.9rem}
.verdict .sentence{font-size:1.15rem;margin:0;max-width:none}
.verdict ul{grid-column:2;margin:.5rem 0 0;padding-left:1.1rem;color:var(--faint);font-size:.92rem}
.holds{--state:var(--decoy)}.open{--state:var(--kept)}.broken{--state:var(--warning)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.8rem;
  margin:1.2rem 0 0;padding:0}
.figures div{border-top:2px solid var(--line);padding-top:.5rem}
.figures dt{color:var(--faint);font-size:.85rem}
.figures dd{margin:0;font-size:1.45rem;font-weight:600;font-variant-numeric:tabular-nums}
.figures dd small{font-size:.95rem;font-weight:400;color:var(--faint)}
nav{margin-top:1.3rem;font-size:.9rem;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,21rem),1fr));
  gap:1.4rem 1.8rem;margin-top:1rem}
.pair>figure:only-child{max-width:42rem}
figure{margin:0;min-width:0}
figure.chart{max-width:38rem}
.beside{display:block;color:var(--faint);font-size:.85em;white-space:nowrap}
figcaption{font-size:.9rem;color:var(--faint);margin:.15rem 0 .5rem}
figcaption b{color:var(--ink)}
svg.closer{margin-top:.5rem;border:1px solid var(--line);border-radius:.4rem;background:var(--sea)}
.key{display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;list-style:none;padding:0;margin:.6rem 0;
  font-size:.85rem;color:var(--faint)}
.key svg{width:1.05em;height:1.05em;vertical-align:-.14em;margin-right:.35em}
ol.guesses{list-style:none;margin:.4rem 0;padding:0;font-size:.92rem}
ol.guesses li{display:grid;grid-template-columns:1.9rem 1fr auto;gap:.5rem;padding:.16rem .3rem;
  align-items:baseline;background:linear-gradient(90deg,
  color-mix(in srgb,var(--bar) 24%,transparent) var(--long),transparent 0);border-radius:.25rem;
  margin:.12rem 0;--bar:var(--kept)}
ol.guesses li.true{--bar:var(--truth);font-weight:600}
ol.guesses .rank{color:var(--faint);text-align:right;font-variant-numeric:tabular-nums}
ol.guesses .p{font-variant-numeric:tabular-nums;white-space:nowrap}
.decoys{columns:2 14rem;padding-left:1.6rem;margin:.4rem 0;font-size:.92rem}
.decoys li::marker{color:var(--decoy);font-weight:650}
table{border-collapse:collapse;overflow-wrap:normal;font-size:.9rem;font-variant-numeric:tabular-nums;width:100%}
.scroll{overflow-x:auto;max-width:100%;background:
  linear-gradient(90deg,var(--ground) 40%,transparent) 0/2.5rem 100% no-repeat local,
  linear-gradient(-90deg,var(--ground) 40%,transparent) 100%/2.5rem 100% no-repeat local,
  linear-gradient(90deg,var(--baseline),transparent) 0/.5rem 100% no-repeat scroll,
  linear-gradient(-90deg,var(--baseline),transparent) 100%/.5rem 100% no-repeat scroll}
.wide{max-width:44rem}
th,td{text-align:left;padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line);
  vertical-align:top}
th{font-weight:600;color:var(--faint)}
td.n,th.n{text-align:right}
td.n{white-space:nowrap}
th.n{hyphens:auto}td.long{overflow-wrap:anywhere;min-width:10rem}
tr.here td,tr.here th{color:var(--ink);font-weight:650;
  background:color-mix(in srgb,var(--truth) 10%,transparent)}
.gallery{display:grid;gap:.9rem;list-style:none;margin:1rem 0;padding:0;
  grid-template-columns:repeat(auto-fill,minmax(var(--card-width,9.5rem),1fr))}
.photo{background:var(--card);border:1px solid var(--line);border-radius:.5rem;overflow:hidden;
  min-width:0;break-inside:avoid;font-size:.82rem;line-height:1.35;border-top:.25rem solid var(--c)}
.photo.withheld{--c:var(--withheld)}.photo.shared{--c:var(--kept)}
.photo.public{--c:var(--baseline)}.photo.seen{--c:var(--baseline)}
.photo img,.photo .none{display:block;width:100%;aspect-ratio:4/3;object-fit:contain;
  background:var(--sea)}
.photo .none{display:grid;place-items:center;color:var(--faint)}
.photo div.told{padding:.4rem .55rem .55rem}
.photo .name{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:4;overflow:hidden;
  unicode-bidi:isolate}
.photo .state{color:var(--c);font-weight:600;white-space:nowrap}
.photo .state svg{width:.8em;height:.8em;margin-right:.3em;vertical-align:-.03em}
.photo .share{color:var(--faint);font-variant-numeric:tabular-nums}
.pull{display:block;height:.3rem;margin:.3rem 0 .1rem;border-radius:.15rem;
  background:linear-gradient(var(--line),var(--line)) 50%/1px 100% no-repeat,
  color-mix(in srgb,var(--line) 45%,transparent);position:relative}
.pull i{position:absolute;top:0;bottom:0;border-radius:.15rem}
.pull i.away{left:50%;background:var(--withheld)}.pull i.hides{right:50%;background:var(--kept)}
.told-photo{display:grid;grid-template-columns:minmax(7rem,15rem) 1fr;gap:1.4rem;
  align-items:start;background:var(--card);border:1px solid var(--line);border-radius:.6rem;
  padding:1.1rem;margin-top:1.2rem}
.told-photo img{width:100%;border-radius:.4rem;display:block}
.told-photo h3{margin-top:0}
.told-photo p{font-size:1.05rem}
code,pre{font-family:MONO;font-size:.88em}
pre{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem;
  white-space:pre-wrap;margin:.6rem 0}
bdi{unicode-bidi:isolate}
details{margin:.6rem 0}
summary{cursor:pointer;color:var(--kept)}
ul.plain{padding-left:1.1rem;max-width:44rem}
ul.plain li{margin:.35rem 0}
dl.made{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.2rem;font-size:.9rem}
dl.made dt{color:var(--faint)}dl.made dd{margin:0}
footer{padding-top:1.5rem;padding-bottom:3rem;color:var(--faint);font-size:.85rem;
  border-top:1px solid var(--line)}
"""

_PHONE = """
@media (max-width:34rem){
  main,header.top,footer{padding-left:1rem;padding-right:1rem}
  .gallery{gap:.6rem;grid-template-columns:repeat(auto-fill,minmax(min(var(--card-width),6.4rem),1fr))}
  .told-photo{grid-template-columns:1fr}
  .verdict{grid-template-columns:1fr}.verdict ul{grid-column:1}
  .told-photo img{max-height:60vh;width:auto;max-width:100%}
  dl.made{grid-template-columns:1fr}dl.made dd{margin-bottom:.4rem}
  .figures{grid-template-columns:1fr 1fr}
  th,td{padding-right:.5rem}
  th:last-child,td:last-child{padding-right:0}
  td.n,.beside{white-space:normal}td.long{min-width:6rem}
}
"""

_PAPER = """
@page{margin:16mm 13mm 14mm;
  @top-right{content:"PRIVATE: names the hidden place";font:8pt sans-serif;color:#a3160f}}
@media print{
  html{color-scheme:light;font-size:10pt}
  body{background:#fff;print-color-adjust:exact;-webkit-print-color-adjust:exact}
  .private{border:1.5pt solid var(--warning);color:var(--warning);background:none}
  nav,.screen{display:none}
  section{padding:1.1rem 0}
  h2,h3,figcaption{break-after:avoid}
  figure,.told-photo,.verdict,tr,.figures,.scroll.wide,#why,#frontier,#attacker{break-inside:avoid}
  .pair{grid-template-columns:1fr 1fr;gap:.8rem 1.2rem}
  .gallery{grid-template-columns:repeat(5,1fr);gap:.5rem}
  .scroll{overflow:visible;background:none}
  .photo .name{display:block}
  details::details-content{content-visibility:visible;display:block}
  summary{list-style:none;color:var(--faint)}
  a{color:inherit;text-decoration:none}
}
"""


def style() -> str:
    """All rules, colours included."""
    rules = f"{themes()}body{{font-family:{FONT}}}{_SCREEN}{_PHONE}{_PAPER}"
    return rules.replace("font-family:MONO", f"font-family:{MONO}")
