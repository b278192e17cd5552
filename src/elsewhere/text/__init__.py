"""Readable text in photos, and what it says about the place.

reader          find and read the lines of a picture, inside a worker process
regions         from the detector's map to rectangles
understanding   lines of text → clues
names           places that a text names
lookalikes      what odd letters may stand for
country_clues   phone numbers, domains, postcodes, plates, money, script, language
evidence        clues → probabilities over cells; the rule about names near what is hidden
tesseract       another reader, for further scripts, where it is installed
"""
