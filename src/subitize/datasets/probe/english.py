"""Words that decide how a statement is put together: what follows a noun, which verbs agree, what
one of the things has only one of."""

from __future__ import annotations

import re

from subitize.nouns import article, singular

_DEGREE = r"(?:(?:at least|almost|\w+ly|just|still|already|being) )*"
PLACED = re.compile(
    rf"{_DEGREE}(?!(?:red|tired|bored|excited|scared|naked|married|worried|surprised|detailed)\b)"
    r"(?:in|on|at|of|with|without|by|near|under|above|behind|beside|next|between|from|to|"
    r"along|around|inside|against|left|right|below|over|across|outside|off|out|up|down|upstairs|"
    r"before|through|here|there|visible|present|available|\w+ing|\w+ed|shown|seen|worn|drawn|held|"
    r"hung|written|flown|cut)\b"
)
"""what may follow the things after "There are": a place, or what they do"""
AFTER_NOUN = frozenset({
    "in", "on", "at", "of", "with", "without", "by", "near", "under", "above", "behind",
    "beside", "next", "between", "from", "to", "along", "around", "inside", "against", "that",
    "who", "which", "whose", "there", "visible", "shown", "left", "right", "below", "over", "for",
    "per", "across", "outside", "off", "out", "up", "down", "through", "here", "total",
    "altogether", "until", "than", "before", "after", "towards", "toward", "beneath", "within",
    "underneath", "among", "alongside", "atop", "past", "into", "onto", "upon", "besides",
    "other", "including", "excluding", "counting", "facing", "together", "whom", "where", "like",
})  # fmt: skip
ACTS = frozenset({
    "wear", "ride", "hold", "stand", "sit", "play", "eat", "look", "walk", "hang", "show", "face",
    "appear", "fit", "use", "make", "run", "surround", "pull", "lead", "follow", "pass", "belong",
    "examine", "promote", "need", "carry", "cross", "come", "fly", "lie", "rest", "watch", "touch",
    "cover", "connect", "point", "support", "line", "contain", "work", "wait", "drive", "swim",
    "share", "seem", "live", "grow", "lean", "float", "form", "graze", "ski", "surf", "skate",
    "jump", "sail", "sleep", "drink", "smile", "talk", "chat", "read", "write", "lay", "dance",
    "sing", "cook", "serve", "travel", "race", "fight", "throw", "catch", "kick", "climb", "dive",
    "perch", "gather", "remain", "extend", "decorate", "adorn", "feature", "display", "depict",
    "include", "border", "flank", "overlook", "light", "shine", "glow", "burn", "say", "begin",
    "match", "resemble", "represent", "indicate", "require", "take", "give", "get", "go", "move",
    "operate", "want", "enjoy", "feed", "kneel", "crouch", "bend", "reach", "stretch", "raise",
    "lift", "push", "drag", "tow", "wave", "hug", "kiss", "pose", "stare", "gaze", "stick", "meet",
    "join", "own", "fill", "occupy", "enter", "leave", "exit", "board", "fall", "roll", "spin",
    "bloom", "start", "turn", "cast", "protrude", "dangle", "divide", "separate", "listen", "ring",
    "bear", "keep", "reflect", "stop", "spell", "exist", "wore", "had", "went", "came", "stood",
    "sat", "took", "ate", "rode", "held",
})  # fmt: skip
CLEAR = frozenset({"remain", "appear", "exist", "seem", "belong", "surround", "contain"})
"""verbs that are no nouns, whatever stands before them"""
BARE = frozenset({
    "", "are", "were", "have", "can", "wear", "get", "need", "want", "hold", "contain", "eat",
    "sit", "appear", "seem", "remain", "belong",
})  # fmt: skip
"""verbs that follow "How many" itself, where no name of things begins with them"""
PEOPLE = frozenset({"they", "we", "you", "I"})
WAS = {
    "are": "is", "were": "was", "have": "has", "go": "goes", "aren't": "isn't", "weren't": "wasn't",
    "don't": "doesn't", "haven't": "hasn't",
}  # fmt: skip
"""verbs with the number 1, where it is no mere s"""
NEGATED = frozenset({"aren't", "weren't", "don't", "haven't", "can't", "cannot", "didn't"})
PAIRED = frozenset({
    "scissors", "pants", "shorts", "jeans", "trousers", "goggles", "sunglasses", "binoculars",
    "tongs", "pliers", "headphones", "eyeglasses", "spectacles", "earphones", "tweezers",
    "leggings", "tights", "overalls", "pajamas", "sweatpants", "slacks", "khakis",
    "underpants", "shears",
})  # fmt: skip
PAST = frozenset({
    "wore", "had", "went", "came", "stood", "sat", "took", "ate", "rode", "held", "can", "can't",
    "cannot", "didn't",
})  # fmt: skip
"""verbs that are the same with any number"""
UNCOUNTED = frozenset({
    "luggage", "baggage", "furniture", "equipment", "silverware", "cutlery", "jewelry", "clothing",
    "bread", "toast", "machinery", "artwork", "sushi", "broccoli",
})  # fmt: skip
"""asked for in pieces"""
KINDS = frozenset({"kind", "type", "sort", "species", "breed", "variety", "style", "form"})
BODY = frozenset({
    "face", "hand", "head", "leg", "foot", "arm", "eye", "ear", "finger", "back", "nose", "mouth",
    "shoulder", "knee", "toe", "tail", "shadow", "reflection",
})  # fmt: skip
ONE_EACH = (
    "mouths|heads|tails|trunks|noses|tongues|backs|necks|faces|beards|mustaches|moustaches|hats|"
    "caps|helmets|ties|neckties|vests|jackets|coats|dresses|skirts|shirts|t-shirts|sweaters|hoodies|"
    "uniforms|suits|wetsuits|aprons|masks|scarves|backpacks|surfboards|life jackets|"
    "seats|lids|collars|leashes|pacifiers|saddles"
)
"""what one person or animal has or wears one of"""
_OF_ONE = re.compile(
    r"\b(?P<verb>wearing|wears|has|has on|with|in) (?P<what>(?:(?!(?:the|an?|no|its?|their|his|her|"
    r"both|many|some|any|all|more|two|three|four|five|several|different|of|on|in|to|with|at|for)\b)"
    rf"[a-z-]+ ){{0,3}}?)(?P<each>{ONE_EACH})\b(?: and (?P<and>{ONE_EACH})\b)?"
)
CARRIED = (
    "boards|skateboards|snowboards|bikes|bicycles|motorcycles|motorbikes|scooters|horses|bats|"
    "rackets|racquets|purses|umbrellas|parasols|phones|cellphones|laptops|kites|poles"
)
"""what one person rides or carries one of, where it is said to be theirs"""
_THEIR = re.compile(
    rf"\b(?P<whose>their|its) (?P<what>(?:[a-z-]+ )?)(?P<each>{ONE_EACH}|{CARRIED})\b"
)
NEITHER = frozenset({
    "dog", "cat", "horse", "cow", "sheep", "zebra", "giraffe", "elephant", "bear", "bird", "duck",
    "goose", "swan", "lamb", "goat", "pig", "bull", "calf", "monkey", "lion", "tiger", "animal",
    "kitten", "puppy", "pony", "donkey", "deer", "fish", "seagull", "pigeon", "parrot", "penguin",
    "chicken", "camel", "squirrel", "rabbit", "frog", "turtle", "insect", "butterfly", "bee",
    "vase", "bus", "train", "car", "truck", "plane", "airplane", "boat", "ship", "bike", "bicycle",
    "motorcycle", "van", "chair", "table", "desk", "umbrella", "sign", "building", "house",
    "bottle", "cup", "glass", "bowl", "plate", "box", "bag", "basket", "suitcase", "window", "door",
    "lamp", "light", "clock", "tree", "plant", "flower", "kite", "laptop", "computer", "cake",
    "pizza", "sandwich", "donut", "banana", "apple", "shelf", "tower", "bench", "vehicle", "jet",
    "helicopter", "sailboat", "pot", "toilet", "jar", "container",
    "ski", "flag", "pole", "board", "surfboard", "skateboard", "snowboard", "wheel", "tire", "bed",
    "couch", "sofa", "pillow", "book", "phone", "racket", "bat", "ball", "hat", "shirt", "wall",
})  # fmt: skip
"""what is "it" when there is one"""
_SHE = re.compile(
    r"\w*woman|girl|lady|mother|mom|mum|daughter|sister|wife|bride|bridesmaid|grandmother|grandma|"
    r"aunt|niece|queen|princess|actress|waitress|nun|girlfriend|ballerina|female"
)
_HE = re.compile(
    r"(?!hu|ger|ro|sha|otto)\w*man|boy|cowboy|guy|dude|father|dad|son|brother|husband|groom|"
    r"grandfather|grandpa|uncle|nephew|king|prince|waiter|monk|boyfriend|male"
)
_ASKED = ("their", "them", "themselves")


def _pronouns(head: str) -> tuple[str, str, str]:
    """Those of one: a person of whom the word does not tell more stays "they", as in "1 baby has
    a pacifier in their mouth"."""
    if head in NEITHER:
        return ("its", "it", "itself")
    if _SHE.fullmatch(head):
        return ("her", "her", "herself")
    return ("his", "him", "himself") if _HE.fullmatch(head) else _ASKED


def of_one(head: str, after: str) -> str:
    """What follows the one thing, with the pronouns and belongings of one.

    >>> of_one("zebra", "has their heads down"), of_one("man", "wearing red hats")
    ('has its head down', 'wearing a red hat')
    >>> of_one("surfer", "carrying their boards"), of_one("girl", "brushing their teeth")
    ('carrying their board', 'brushing her teeth')
    """
    after = _THEIR.sub(_whose_one, after)
    for many, one in zip(_ASKED, _pronouns(head.lower()), strict=True):
        after = re.sub(rf"\b{many}\b", one, after)
    after = re.sub(rf"\bwhose ({ONE_EACH}) are\b", _whose_is, after)
    return _OF_ONE.sub(_has_one, after)


def _whose_one(found: re.Match[str]) -> str:
    return f"{found['whose']} {found['what']}{singular(found['each'])}"


def _has_one(found: re.Match[str]) -> str:
    further = f" and {article(singular(found['and']))}" if found["and"] else ""
    return f"{found['verb']} {article(found['what'] + singular(found['each']))}{further}"


def _whose_is(found: re.Match[str]) -> str:
    return f"whose {singular(found[1])} is"
