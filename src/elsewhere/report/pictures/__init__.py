"""Plain values → SVG. Colours are names (`var(--kept)`); the page or `look.standalone` sets them.

projection  the round earth on flat paper, areas kept · land (the outlines, made small)
worldmap    what an attacker believes, the zone, the decoys
belief      the likeliest places · sharpening (how it grows photo by photo)
frontier    what each number of withheld photos buys
shares      what each photo gives away
chart       scales, ticks and the frame that the charts share
"""
