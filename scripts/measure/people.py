"""People with names, addresses and departments for a large store, and the index of the search for them.

The index is made here as the server makes it (SearchIndex.swift), because the server makes it only with its own changes.
"""

import random
import unicodedata

_FAMILIES = (
    "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민진"
    "지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용"
)
_SYLLABLES = (
    "가건경고관광교구국권규근기길나남다대덕도동두라란래련령로류리림마만명모무문미민배백범병보복봉부빈사산상새서석선설섭성세소송수숙순슬승시식신아안"
    "애양언여연열영예오옥완용우욱운웅원월유윤율은의이익인일임자장재전점정제조종주준중지진찬창채천철초춘치태택하학한해향헌혁현형혜호홍화환황회효훈희"
)
_GIVEN = ("Anna", "Ben", "Clara", "David", "Emma", "Finn", "Greta", "Hugo", "Ida", "Jonas", "Lena", "Max", "Nora", "Oskar")
_FAMILY = ("Adler", "Becker", "Conrad", "Dietrich", "Engel", "Fischer", "Graf", "Huber", "Jung", "Keller", "Lang", "Mayer")
_DEPARTMENTS = ("연구소", "인사팀", "영업1팀", "영업2팀", "개발본부", "Finance", "Legal", "Operations", "Support", "Laboratory")
BLOCK = 4096


def person(number):
    """Display name, mail and department of an account: four of five names are Korean."""
    chance = random.Random(number)
    if number % 5:
        name = chance.choice(_FAMILIES) + "".join(chance.choices(_SYLLABLES, k=2))
    else:
        name = f"{chance.choice(_GIVEN)} {chance.choice(_FAMILY)}"
    return (
        name,
        f"p{chance.randrange(36**6):x}.{number}@example.org",
        chance.choice(_DEPARTMENTS),
    )


def _grams(texts):
    for text in texts:
        folded = unicodedata.normalize("NFC", text).upper().lower()
        for first, second in zip(folded, folded[1:] + "\n", strict=True):
            yield ord(first) << 21 | ord(second)


def _members(places):
    """The places of a block as the server stores them: a list of up to 255, or a bit for each."""
    if len(places) < 256:
        return b"".join(place.to_bytes(2, "big") for place in sorted(places))
    bits = bytearray(BLOCK // 8)
    for place in places:
        bits[place >> 3] |= 1 << (place & 7)
    return bytes(bits)


def index(accounts):
    """The rows of the index, block by block; `accounts` has numbers, in their order, and the texts of each."""
    block, members = 0, {}
    for number, texts in accounts:
        if number // BLOCK != block:
            yield from ((gram, block, _members(places)) for gram, places in sorted(members.items()))
            block, members = number // BLOCK, {}
        for gram in set(_grams(texts)):
            members.setdefault(gram, []).append(number % BLOCK)
    yield from ((gram, block, _members(places)) for gram, places in sorted(members.items()))
