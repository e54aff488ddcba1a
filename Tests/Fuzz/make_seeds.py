#!/usr/bin/env python3
"""Writes the seeds that are copies of test vectors, or that are easier to read here than as bytes.

make_seeds.py           writes them into Tests/Fuzz/seeds; the others, which no script makes, stay
make_seeds.py --check   ends with 1 if one is missing or has other bytes, or if an input that a fuzzer has kept has no name

The rest of Tests/Fuzz/seeds is inputs that a fuzzer has found, and older seeds: see Tests/Fuzz/seeds/README.md.
"""

import base64
import json
import re
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
SEEDS = HERE / "seeds"
VECTORS = HERE.parent / "Vectors"
# libFuzzer cuts what is longer: Tests/Fuzz/limits.options.
LONGEST = 8192

Seed = tuple[str, str, bytes]


def _text(fuzzer: str, name: str, text: str) -> Seed:
    return fuzzer, name, text.encode()


def _json(fuzzer: str, name: str, value: object) -> Seed:
    return fuzzer, name, json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def packets() -> Iterator[Seed]:
    """Every message of docs/protocol.md, and what must be refused where few bytes decide."""
    for path in sorted((VECTORS / "wire").glob("*.hex")):
        packet = bytes.fromhex(path.read_text())
        if len(packet) <= LONGEST:
            yield "packet", path.stem, packet
    for path in sorted((VECTORS / "wire/bad").glob("*.hex")):
        packet = bytes.fromhex(path.read_text())
        # Texts that are not UTF-8, places that are none, the keyring: the reader has a branch for each.
        if path.stem.startswith(("prompt-text-utf8", "places-", "keyring-", "prompt-options", "finished-stale")) and packet:
            yield "packet", f"bad-{path.stem}", packet
            if packet[0] & 0x80:
                yield "frame", f"bad-{path.stem}", packet
    for name in ("keyring", "keyring-limit", "prompt-confirmed"):
        yield "frame", name, bytes.fromhex((VECTORS / f"wire/{name}.hex").read_text())
    # What `frame` writes as begin: parts, each after a third of its length; the number of bytes switches the rest on.
    parts = b"".join(bytes([len(part) // 3]) + part for part in (b"min", b"min", b"log", b"ttyyyy", b"hostaa", b"useraa", b"eng"))
    yield "frame", "begin-parts", b"\x00" + parts + b"\x03/bin/sudo\x02ls\x00-l\x00"


def decoded() -> Iterator[Seed]:
    """What `uafctl decode` is given: messages, bare assertions, base64url of them, and text around them."""
    for kind in ("registrationAssertion", "authenticationAssertion"):
        for path in sorted((SEEDS / kind).iterdir()):
            yield "decoder", f"bare-{path.name}", path.read_bytes()
            yield "decoder", f"text-{path.name}", _base64url(path.read_bytes()).encode()
    for name in ("reg-surrogate-sig1-key100", "auth-tx-sig2-key101", "reg-ext-critical"):
        yield "decoder", f"response-{name}", (SEEDS / "response" / name).read_bytes()
        yield "decoder", f"sent-{name}", (SEEDS / "sendResponse" / name).read_bytes()
        yield "decoder", f"request-{name}", (SEEDS / "returnRequest" / name).read_bytes()
    yield _json(
        "decoder",
        "policy",
        [
            {
                "header": {
                    "upv": {"major": 1, "minor": 1},
                    "op": "Reg",
                    "appID": "",
                    "exts": [{"id": "fido.uaf.uvm", "data": "AA", "fail_if_unknown": False}],
                },
                "challenge": _base64url(bytes(range(32))),
                "username": "mina",
                "policy": {
                    "accepted": [
                        [
                            {
                                "userVerification": 7,
                                "keyProtection": 26,
                                "matcherProtection": 6,
                                "attachmentHint": 257,
                                "tcDisplay": 17,
                                "authenticationAlgorithms": [1, 2, 255],
                                "assertionSchemes": ["UAFV1TLV"],
                                "attestationTypes": [15879, 15880, 1],
                            }
                        ]
                    ]
                },
            }
        ],
    )
    yield _json(
        "decoder",
        "no-message",
        {"statusCode": 1498, "description": "\u202e", "n": [1, -2, True, None, 1.5], "deep": {"a": {"b": [[]]}}},
    )
    yield _text("decoder", "not-canonical", '{"fcParams":"AB","assertion":"AAB=","challenge":"_-"}')


def messages() -> Iterator[Seed]:
    """Payloads, requests and statements of our own server."""
    nonce, digest = _base64url(bytes(range(16))), _base64url(bytes(range(32)))
    yield _json(
        "enrolmentPayload",
        "code",
        {
            "v": 2,
            "op": "Reg",
            "server": "https://fido.example.com:8443/uaf",
            "username": "maria",
            "authCode": "0000-0000-0000-0000",
            "expires": 1790000000,
        },
    )
    yield _json(
        "enrolmentPayload",
        "approval",
        {"v": 1, "op": "Auth", "server": "http://127.0.0.1:80", "username": "m", "authCode": "x", "expires": 0},
    )
    yield _json(
        "enrolmentPayload",
        "machine",
        {
            "v": 1,
            "op": "Join",
            "server": "https://fido.example.com",
            "code": "c",
            "expires": 1,
            "group": "lab.1",
            "ca": "-----BEGIN CERTIFICATE-----\n",
            "verdictKeys": "-----BEGIN PUBLIC KEY-----\n",
        },
    )
    yield _json(
        "enrolmentPayload",
        "join",
        {"v": 1, "code": "c", "nonce": nonce, "deviceID": "id", "deviceName": "ws1", "deviceModel": "m", "deviceOS": "Debian"},
    )
    yield _json("serverResponse", "join", {"statusCode": 1200, "token": "a.b.c", "machineSecret": _base64url(bytes(range(48)))})
    yield _json(
        "serverResponse",
        "signed",
        {
            "statusCode": 1200,
            "description": "OK",
            "verdict": "a.b.c",
            "statement": "a.b.c",
            "unlock": "a.b.c",
            "signCounters": [{"keyID": nonce, "signCounter": 7}],
            "machineNews": 3,
        },
    )
    yield _text(
        "trustedFacets",
        "hosts",
        json.dumps(
            {
                "trustedFacets": [
                    {
                        "version": {"major": 1, "minor": 1},
                        "ids": [
                            "https://example.org:8443/x",
                            "https://[2001:db8::1]:1",
                            "https://127.0.0.1",
                            "http://localhost:80",
                            "http://[::1]",
                            "https://2130706433",
                            "https://a..b",
                            "android:apk-key-hash:x",
                            "https://example.org:0",
                            "https://[",
                            "HTTPS://EXAMPLE.ORG",
                        ],
                    }
                ]
            }
        ),
    )
    proof = {"sub": "device", "machine": nonce, "nonce": nonce, "iat": 1790000000, "exp": 1790000060}
    yield _json("statement", "check-in", proof | {"policy": 3, "news": 9})
    yield _json(
        "statement",
        "trust",
        proof
        | {
            "keys": [_base64url(bytes(91))],
            "endedKeys": ["0123456789abcdef"],
            "authorities": ["MAA"],
            "endedAuthorities": ["0123456789abcdef" * 4],
        },
    )
    yield _json(
        "statement", "trust-too-many", proof | {"keys": [_base64url(bytes([n])) for n in range(99)], "endedKeys": ["a", "a"]}
    )
    for state in ({"state": "active"}, {"state": "disabled"}, {"state": "locked", "until": 1790000000}, {"state": "other"}):
        yield _json(
            "statement", f"account-{state['state']}", {"sub": "mina", "machine": nonce, "nonce": nonce, "iat": 1790000000} | state
        )
    yield _json("statement", "unknown-machine", {"proof": digest, "iat": 1790000000, "exp": 1790000060})
    yield _json("statement", "join", {"sub": "device", "nonce": nonce, "group": "default", "machine": digest, "iat": 1790000000})
    yield _json("statement", "unlock-device", {"sub": "mina", "device": "id", "jti": nonce, "iat": 1790000000, "exp": 1790000300})
    yield _json("statement", "unlock-key", {"sub": "mina", "key": digest, "jti": nonce, "iat": 1790000000, "exp": 1790604800})
    yield _json(
        "statement",
        "policy",
        {
            "machine": "id",
            "group": "lab",
            "version": 3,
            "iat": 1790000000,
            "nbf": 1790000000,
            "exp": 1790086400,
            "toml": "[passcode]\nmin_length = 8\n",
        },
    )
    yield "statement", "challenge", b"pam-uaf\x01\x01" + bytes(range(16)) + bytes(range(32))
    yield "statement", "challenge-of-another-form", b"pam-uaf\x02\x01" + bytes(48)
    attempt = {"account": "mina", "type": "passcode", "origin": "local"}
    offline = {"account": "mina", "service": "sudo", "time": 1790000000, "number": 1, "code": digest}
    report: dict[str, object] = {
        "module": "0.1.0",
        "deviceID": "id",
        "deviceName": "ws1",
        "deviceModel": "m",
        "deviceOS": "Debian",
        "policy": 3,
        "locks": [attempt | {"until": 1790000000, "code": digest}, attempt | {"origin": "remote"}],
        "moreLocks": 2,
        "wrongValues": [attempt | {"count": 3}],
        "moreWrongValues": 1,
        "findings": ["clock", "server-unreachable"],
        "offlineLogins": [offline],
        "droppedLogins": 4,
        "mark": nonce,
        "nextMark": nonce,
        "trust": {"verdictKeys": ["0123456789abcdef"], "authorities": ["0123456789abcdef" * 4]},
    }
    yield _json("checkIn", "full", {"v": 1, "report": report})
    yield _json("checkIn", "small", {"v": 1, "report": {"module": "0.1.0", "nextMark": nonce}})
    yield _json("checkIn", "wrong-finding", {"v": 1, "report": report | {"findings": ["Not An ID"]}})
    yield _json("checkIn", "wrong-order", {"v": 1, "report": report | {"offlineLogins": [offline, offline]}})
    yield _json("checkIn", "answer", {"statusCode": 1200, "token": "a.b.c", "policy": "d.e.f", "trust": "g.h.i"})
    for number, name in ((1, "reg"), (2, "auth"), (0x10, "queue"), (4, "state")):
        head = bytes([1, number]) + bytes(range(16)) + struct.pack(">Q", 1790000000) + bytes(range(16)) + b"\x04"
        yield _text("checkIn", f"proof-{name}", _base64url(head + b"mina" + bytes(32)))


def codes() -> Iterator[Seed]:
    """What people paste and type, as in letters and mails."""
    payload = _base64url(b'{"v":1,"op":"Reg","server":"https://fido.example.com","username":"m","authCode":"x","expires":0}')
    joining = _base64url(
        b'{"v":1,"op":"Join","server":"https://fido.example.com","code":"c","expires":1,"group":"g","verdictKeys":"k"}'
    )
    unlock = _base64url(b'{"typ":"unlock+jwt","alg":"ES256"}')
    yield _text("pastedCode", "code", "0000-0000-0000-0000")
    yield _text("pastedCode", "code-one-wrong", "0000-0000-0000-0001")
    yield _text("pastedCode", "code-group-too-short", "0000 000 0000 0000")
    yield _text("pastedCode", "code-earlier", "00000-00000-00000-00000")
    yield _text(
        "pastedCode",
        "code-in-a-letter",
        "Dear Mina,\r\n> your code is \u201c0000\u20110000\u20110000\u20110000\u201d.\r\n> mina\n",
    )
    yield _text("pastedCode", "code-in-full-width", "\uff10\uff10\uff10\uff10-0000-0000-0000\u200b")
    yield _text("pastedCode", "code-in-hangul", "\u3142\u3148\u3137\u3131-\u3145\u315b\u3155\u3151-\u3150\u3154-\u3141\u3134")
    yield _text("pastedCode", "two-codes", "0000-0000-0000-0000 or 1111-1111-1111-1111")
    yield _text("pastedCode", "payload", f"{payload}\n\n0000-0000-0000-0000\n")
    yield _text("pastedCode", "payload-folded", f"> {payload[:60]}=\n> {payload[60:]}\n")
    yield _text("pastedCode", "joining", joining)
    yield _text("pastedCode", "unlock-payload", f"{unlock}.e30.c2ln")
    yield _text("pastedCode", "unlock-code", "mina 0000-0M00-1000-0000-0000-0000")
    yield _text("pastedCode", "recovery-key", "-".join(["babab", "dodod"] * 5))
    yield _json("pastedCode", "token-wrapped", {"nma_data": {"token": "t", "redeem_url": "https://id.example.net/r"}})
    yield _text("pastedCode", "token-plain", _base64url(b'{"token":"t","redeemUrl":"https://id.example.net/r"}'))
    yield _text("pastedCode", "token-signed", "eyJhbGciOiJFUzI1NiJ9.e30.c2ln")


def _field(value: bytes) -> bytes:
    return struct.pack(">H", len(value)) + value


def records() -> Iterator[Seed]:
    """Records of the state file: a version, then numbers (big-endian) and fields, each after its length in two bytes."""
    key = b"".join(map(_field, (b"passcode", b"https://example.org", b"k" * 16, b"p" * 65, b"n" * 12, b"s" * 48)))
    yield "records", "key", b"\x01" + key + struct.pack(">II", 7, 1200)
    yield "records", "key-webauthn", b"\x02" + key + struct.pack(">IIB", 7, 1200, 2) + _field(b"handle")
    yield "records", "key-ed25519", b"\x03" + key + struct.pack(">IIB", 7, 1200, 2) + _field(b"handle") + b"\x02"
    enrolled = _field(b"s" * 16) + bytes([15, 8, 1]) + _field(b"n" * 12) + _field(b"k" * 48) + struct.pack(">I", 3)
    for version in range(1, 5):
        further = [b"", _field(b"share"), _field(b"share") + _field(b"copy"), _field(b"share") + _field(b"released")][version - 1]
        yield "records", f"authenticator-{version}", bytes([version]) + enrolled + further
    yield "records", "account", b"\x01" + struct.pack(">I", 4242) + _field(b"mina") + _field(b"mina@example.org")
    yield "records", "keyring", b"\x01\x01" + _field(b"n" * 12) + _field(b"c" * 530)
    yield "records", "keyring-declined", b"\x01\x00"
    ledger = (SEEDS / "records/ledger-form-1").read_bytes()
    yield "records", "unlock", b"\x01\x01" + struct.pack(">q", 29833333) + _field(ledger)
    entry = _field(b"key") + struct.pack(">qBq", 1790000000, 1, 1790000001)
    trust = (
        _field(b"https://fido.example.com")
        + b"\x01"
        + _field(b"pinned")
        + b"\x02"
        + entry
        + entry
        + b"\x01"
        + _field(b"h" * 32)
        + b"\x01"
        + entry
    )
    yield "records", "trust", b"\x01" + trust


def certificates() -> Iterator[Seed]:
    """Files with certificates as administrators keep them."""
    vectors = json.loads((VECTORS / "certificates/certificates.json").read_text())
    first, second = (base64.urlsafe_b64decode(vectors[number]["certificate"] + "==") for number in (0, 1))

    def pem(der: bytes, end: str = "\n", label: str = "CERTIFICATE") -> str:
        text = base64.b64encode(der).decode()
        lines = [text[at : at + 64] for at in range(0, len(text), 64)]
        return end.join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])

    yield _text("certificate", "pem-two", "# authorities\n" + pem(first) + pem(second))
    yield _text("certificate", "pem-windows", "\ufeff" + pem(first, "\r\n"))
    yield _text("certificate", "pem-old-label", pem(first, "\r", "X509 CERTIFICATE"))
    yield _text("certificate", "pem-cut", pem(first)[:200])
    yield _text("certificate", "pem-of-nothing", pem(b"0\x00"))


def expressions() -> Iterator[Seed]:
    """Expressions that PCRE2 refuses, or that are too large for us."""

    def seed(name: str, pattern: str, value: str = "") -> Seed:
        padded = pattern + " " * (-len(pattern) % 4) if name == "spaces" else pattern
        return "expression", name, bytes([len(padded) // 4]) + padded.encode() + value.encode()

    yield seed("open-group", "(abc")
    yield seed("open-class", "[a-z ")
    yield seed("too-large", "(?:\\p{L}{1,999}){1,9}(?:\\p{L}{1,999}){1,9}")
    yield seed("recursion", "(?:(?1))(a|b(?1)c)  ", "bac")
    yield seed("callout", "a(?C1)b*", "ab")
    yield seed("no-match-limit", "(?:(a+)+)+b ", "a" * 60)


def configurations() -> Iterator[Seed]:
    """The file that we ship, with every key that is commented out, and what each form of TOML looks like."""
    sample = (HERE.parent.parent / "examples/pam_uaf.conf").read_text().splitlines()
    sections: dict[str, list[str]] = {"": []}
    name = ""
    for line in sample:
        bare = line.removeprefix("#")
        if bare.startswith("["):
            name = bare.split("#")[0].strip()
            sections.setdefault(name, [])
        elif "=" in bare and bare[:1].isalpha():
            sections[name].append(bare.split("  #")[0].strip())
    yield _text("configuration", "sample", "\n".join(line for line in sample if not line.startswith("#")) + "\n")
    for section, keys in sections.items():
        if keys:
            word = "".join(letter if letter.isalnum() else "-" for letter in section).strip("-") or "top"
            yield _text("configuration", f"section-{word}", f"{section}\n" + "\n".join(keys) + "\n")


def check() -> int:
    wrong = 0
    for path in sorted(SEEDS.glob("*/*")):
        # libFuzzer calls an input by its SHA-1, and keeps what it finds in the first folder that it is given.
        if re.fullmatch("[0-9a-f]{40}", path.name):
            print(f"check: {path.relative_to(HERE.parent.parent)}: a seed has a name that says what it is")
            wrong = 1
    for fuzzer, name, data in seeds():
        path = SEEDS / fuzzer / name
        if not path.is_file() or path.read_bytes() != data:
            print(f"check: {path.relative_to(HERE.parent.parent)} is not what Tests/Fuzz/make_seeds.py writes")
            wrong = 1
    return wrong


def seeds() -> Iterator[Seed]:
    for make in (packets, decoded, messages, codes, records, certificates, expressions, configurations):
        yield from make()


def main() -> int:
    if sys.argv[1:] == ["--check"]:
        return check()
    for fuzzer, name, data in seeds():
        if len(data) > LONGEST:
            raise SystemExit(f"make_seeds: {fuzzer}/{name} has {len(data)} bytes, and a fuzzer reads {LONGEST}")
        (SEEDS / fuzzer).mkdir(exist_ok=True)
        (SEEDS / fuzzer / name).write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
