"""What to withhold of a whole album: wishes in, one joint plan and its words out.

wishes      what a person wants · presets (margins by name) · pins (keep, drop, values, bursts) ·
            refusing (what cannot be, told early)
hiding      which places are hidden · truths (how widely) · watches (who looks at what)
album_plan  one plan for all of it · drawing (the secret k)
verdict     what is said of it · notes · leaning · obstacles (what is in the way) · guesses
"""
