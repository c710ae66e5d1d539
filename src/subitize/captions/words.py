"""The words around a number that decide what it is: units, money, months, words with a number.

All in lower case. What the paper lists is marked; the rest is ours.
"""

from __future__ import annotations

import re


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
    "yr", "yrs", "hr", "hrs", "min", "mins", "sec", "secs", "ms", "wk", "wks",
    "mm", "cm", "dm", "m", "km", "nm", "um", "µm", "μm", "ft", "yd", "yds", "mi", "ml", "cl", "dl",
    "l", "ltr", "g", "gr", "gm", "gms", "kg", "kgs", "mg", "mcg", "lb", "lbs", "oz", "floz", "w",
    "kw", "mw", "kwh", "wh", "watts", "v", "kv", "mv", "ma", "j", "kj", "kcal", "h", "c",
    "f", "kb", "mb", "gb", "tb", "pb", "kbps", "mbps", "gbps", "kbit", "mbit", "gbit", "mp",
    "mpx", "mpix", "hz", "khz", "mhz", "ghz", "px", "pt", "sqft", "sqm", "cc", "ct", "kt", "tsp",
    "tbsp", "cal", "db", "hp", "bhp", "cf",
)  # fmt: skip
_IRREGULAR = {"foot": "feet", "century": "centuries", "hertz": "hertz"}


def _plural(unit: str) -> str:
    return _IRREGULAR.get(unit, f"{unit}es" if unit.endswith("ch") else f"{unit}s")


UNITS = frozenset(
    set(_UNITS)
    | {_plural(unit) for unit in _UNITS}
    | set(_UNPREFIXED)
    | {prefix + unit for prefix in _PREFIXES for unit in _UNITS}
    | {prefix + _plural(unit) for prefix in _PREFIXES for unit in _UNITS}
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
CLOCK = frozenset({"am", "pm", "a.m", "p.m", "a.m.", "p.m.", "o'clock", "o’clock", "oclock"})
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
    gemini mustang psalms series"""
)
"""a number right after one of these belongs to it: chapter 3, size 8, route 66, iphone 7"""

STREETS = re.compile(
    r"[ \t]+(?:[A-Z][\w.'’-]*[ \t]+){1,3}"
    r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Way|Court|Ct|Square|Sq|"
    r"Place|Pl|Terrace|Highway|Hwy|Parkway|Crescent|Close)\b"
)
"""what follows the number of a house"""
