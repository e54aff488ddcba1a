"""The lines that uafctl reads (docs/json-conversation.md, "What uafctl reads")."""

from collections.abc import Sequence

from uafctl_gui.secret import Secret

# What uafctl accepts of one entry, in bytes.
LONGEST = 1024
CANCEL = b'{"cancel":true}\n'

_BEGIN, _BETWEEN, _END = b'{"answers":["', b'","', b'"]}\n'
_HEX = b"0123456789abcdef"


def answer_line(secrets: Sequence[Secret]) -> Secret:
    """One line with an answer for each challenge, in memory of its full size, so that no copy of a part is left behind."""
    size = len(_BEGIN) + len(_BETWEEN) * (len(secrets) - 1) + len(_END)
    line = Secret(size + sum(_size(octet) for secret in secrets for octet in secret.octets))
    place = _put(line.octets, 0, _BEGIN)
    for number, secret in enumerate(secrets):
        if number:
            place = _put(line.octets, place, _BETWEEN)
        for octet in secret.octets:
            place = _put_escaped(line.octets, place, octet)
    _put(line.octets, place, _END)
    return line


def code_line(code: Secret) -> Secret:
    """A code as the first line of standard input, as `--code -` reads it; line ends inside become spaces."""
    line = Secret(len(code) + 1)
    for place, octet in enumerate(code.octets):
        line.octets[place] = 0x20 if octet < 0x20 else octet
    line.octets[len(code)] = 0x0A
    return line


def _size(octet: int) -> int:
    return 6 if octet < 0x20 else 2 if octet in b'"\\' else 1


def _put(line: bytearray, place: int, text: bytes) -> int:
    line[place : place + len(text)] = text
    return place + len(text)


def _put_escaped(line: bytearray, place: int, octet: int) -> int:
    if octet < 0x20:
        place = _put(line, place, b"\\u00")
        line[place], line[place + 1] = _HEX[octet >> 4], _HEX[octet & 15]
        return place + 2
    if octet in b'"\\':
        line[place] = 0x5C
        place += 1
    line[place] = octet
    return place + 1
