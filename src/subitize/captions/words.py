"""The words around a number that decide what it is: units, money, months, words with a number.

All in lower case. What the paper lists is marked; the rest is ours.
"""

from __future__ import annotations

import re

from subitize.nouns import plural


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


# the paper's: a prefix with a unit, and the units themselves
_PREFIXES = (
    "micro", "milli", "centi", "kilo", "mega", "giga", "nano", "tera", "peta",
    "deci", "deca", "hecto", "pico",  # ours
)  # fmt: skip
_UNITS = (
    "meter", "metre", "mile", "foot", "inch", "yard", "liter", "litre", "gram", "ounce", "pound",
    "watt", "volt", "amp", "joule", "second", "minute", "hour", "day", "week", "month", "year",
    "degree",
    # ours
    "bit", "byte", "pixel", "hertz", "ton", "tonne", "acre", "hectare", "gallon", "cup", "quart",
    "pint", "tablespoon", "teaspoon", "carat", "karat", "micron", "calorie", "ampere", "newton",
    "pascal", "ohm", "lumen", "decibel", "kelvin", "decade", "century", "fortnight", "millennium",
    "lightyear", "knot", "gramme", "gauge",
)  # fmt: skip
_UNPREFIXED = (
    "fahrenheit", "celsius", "feet", "inchs", "kilo",
    "kilos", "mph", "kph", "kmh", "psi", "dpi", "ppi", "rpm", "fps", "bpm", "mpg", "mah", "rms",
    "yr", "yrs", "hr", "hrs", "min", "mins", "sec", "secs", "ms", "wk", "wks", "mo", "mos",
    "mm", "cm", "dm", "m", "km", "nm", "um", "µm", "μm", "ft", "yd", "yds", "mi", "ml", "cl", "dl",
    "l", "ltr", "g", "gr", "gm", "gms", "kg", "kgs", "mg", "mcg", "lb", "lbs", "oz", "floz", "w",
    "kw", "mw", "kwh", "wh", "watts", "v", "kv", "mv", "ma", "j", "kj", "kcal", "h", "c",
    "f", "kb", "mb", "gb", "tb", "pb", "kbps", "mbps", "gbps", "kbit", "mbit", "gbit", "mp",
    "mpx", "mpix", "hz", "khz", "mhz", "ghz", "px", "pt", "sqft", "sqm", "cc", "ct", "kt", "tsp",
    "tbsp", "cal", "db", "hp", "bhp", "cf", "kpa", "hpa", "mpa", "kva",
)  # fmt: skip
_SEVERAL = {plural(unit, {"hertz": "hertz"}) for unit in _UNITS}

UNITS = frozenset(
    set(_UNITS)
    | _SEVERAL
    | set(_UNPREFIXED)
    | {prefix + unit for prefix in _PREFIXES for unit in _UNITS}
    | {prefix + units for prefix in _PREFIXES for units in _SEVERAL}
)
"""written out or abbreviated, one or many"""
UNIT_HEADS = frozenset({"square", "cubic", "sq", "cu", "fluid", "fl", "light", "nautical"})
"""words that stand before a unit and belong to it"""

MONEY = _listed(
    """dollar dollars euro euros cent cents pence yen yuan rupee rupees peso pesos franc francs
    krone kroner kronor rouble roubles ruble rubles shilling shillings usd eur gbp inr aud cad cny
    jpy rs bucks quid dirham dirhams riyal riyals ringgit baht zloty lira won"""
)
MONEY_SIGNS = "$€£¥₹₽₩฿¢₺₫₪₴"
METALS = _listed("sterling solid fine pure silver gold platinum stainless steel")
"""what a number says the fineness of: 925 sterling silver"""
CLOCK = frozenset(
    {"am", "pm", "a.m", "p.m", "a.m.", "p.m.", "o'clock", "o’clock", "oclock", "noon", "midnight"}
)
ERAS = frozenset({"AD", "BC", "BCE", "CE"})
"""before or after a year"""
MONTHS = _listed(
    """january february march april may june july august september october november december jan
    feb mar apr jun jul aug sep sept oct nov dec"""
)

TAKES_NUMBER = _listed(
    """chapter page pg room route version model size number num no nr episode ep season part volume
    vol issue grade class level lesson phase gate platform highway interstate motorway freeway type
    figure fig table exit terminal line step stage channel section act scene verse psalm article
    item photo pic img slide unit block suite apt track disc cd dvd mark mk gen generation category
    zone area district ward precinct sector agent engine flight tram squadron battalion regiment
    division brigade opus op sonata symphony concerto exercise problem option diagram chart appendix
    schedule paragraph age aged circa tier sku ref id lap heat pier dock berth hole route stall
    windows iphone ipad ipod xbox playstation galaxy android ios pixel nexus canon formula apollo
    gemini mustang psalms series p pp ch chap error catalog catalogue"""
)
"""a number right after one of these belongs to it: chapter 3, size 8, route 66, iphone 7"""
HEADINGS = _listed(
    """lot building week day month year round game match war bus train studio book rule law test
    task question team group court field lane hall tower booth seat row door floor plan case module
    camp cell bay hangar warehouse store station stop project experiment study sheet panel plate
    exhibit example lecture tip title python genesis exodus revelation proverbs romans"""
)
"""the same where it begins the caption or has a capital: Day 5 photos, but: last week 3 men"""
_SERIES = (
    "back to the future", "call of duty", "dark souls", "despicable me", "die hard", "dragon ball",
    "far cry", "fast and furious", "fast & furious", "final fantasy", "gears of war", "god of war",
    "grand theft auto", "guitar hero", "home alone", "ice age", "iron man", "just dance",
    "kung fu panda", "lethal weapon", "mario kart", "men in black", "mortal kombat",
    "need for speed", "night at the museum", "red dead redemption", "resident evil", "rush hour",
    "spider man", "spider-man", "star trek", "star wars", "street fighter", "super bowl",
    "super mario", "the last of us", "the sims", "tomb raider", "toy story", "train your dragon",
    "world war", "x men", "x-men",
)  # fmt: skip
SERIES = re.compile(
    rf"\b(?:(?:{'|'.join(_SERIES)}|ocean ?['’]s)[ \t]+\S+|"
    r"maroon 5|blink.182|catch.22|sum 41|studio 54)$",
    re.IGNORECASE,
)
"""names of common words, as far as they end, with their number"""
SERIES_ENDS = frozenset(
    {name.split()[-1] for name in _SERIES}
    | {"maroon", "blink", "catch", "sum", "studio", "s", "ocean's", "ocean’s"}
)
MODERN = _listed(
    """download downloads approx selfie selfies website websites clipart infographic podcast hashtag
    photoshoot diy emoji emojis hoodie hoodies mockup mockups handdrawn vegan keto qty incl app apps
    blog blogger online printable giveaway smartphone smartphones"""
)
"""common words that the tagger's lexicon is too old for, and so not names"""

SMALL_STREETS = _listed("street avenue road lane boulevard")
STREETS = re.compile(
    # several would be streets: 10 main street, but: 10 main street lamps
    rf"[ \t]+[a-z]+(?<!s)[ \t]+(?:{'|'.join(sorted(SMALL_STREETS))})\b(?![ \t]+[a-z])|"
    r"[ \t]+(?:[A-Z][\w.'’-]*[ \t]+){1,3}"
    r"(?:(?:Street|Avenue|Ave|Road|Rd|Lane|Ln|Boulevard|Blvd|Terrace|Highway|Hwy|Parkway)\b|"
    # also other words in titles: 4 Wheel Drive Toy Car
    r"(?:St|Drive|Dr|Way|Court|Ct|Square|Sq|Place|Pl|Crescent|Close)\b(?![ \t]+[A-Z]))"
)
"""what follows the number of a house"""
