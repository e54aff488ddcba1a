"""What the attackers know of the wire, beside UAF itself: the members of docs/protocol.md, here so that no row names them."""

import json

from attack.recorder import decode
from fleet.client import codes


def wish(operation):
    """The members by which a client asks that its authentication proves the account for an operation."""
    return {"proofFor": operation}


def by_proof(token):
    """The members that a proof allows a request with."""
    return {"proof": token}


def right_in(context):
    """The members by which a question says that somebody has an enrolment code; none where it says nothing of that."""
    return {name: context[name] for name in ("codeProof", "authCode") if name in context}


def by_code(code, name):
    """The members by which somebody proves an enrolment code who has it."""
    return {"codeProof": codes.registration_proof(code, name)}


def by_approval(code):
    """The members that lead to a text that waits."""
    return {"authCode": code}


def in_place_of(key):
    """The members by which a registration replaces a key that a machine has lost; a KeyID in base64url."""
    return {"lostKeyIDs": [key]}


def text_in(context):
    """The text that a question asks to have confirmed."""
    return context["transaction"]


def with_text(text):
    """The members by which a question asks to have a text confirmed; None for no text."""
    return {"transaction": text}


def challenge(purpose, context):
    """A challenge of ours for a purpose and the text of a question's context."""
    return codes.challenge(purpose, context)


def requests_in(document):
    """The UAF requests that an answer brings, the newest version last."""
    return json.loads(document["uafRequest"])


def code_of(payload):
    """The one-time code in a payload."""
    return json.loads(decode(payload.split()[0]))["authCode"]


# An enrolment code by its form that no server has given out.
MADE_UP = "00000-00000-00000-00000"

# What a request says of its right to ask; an attacker who brings another one takes these away.
WITHOUT_RIGHTS = {"authCode": None, "codeProof": None, "proof": None, "proofFor": None}
EVERYTHING = {"deregisterAll": True, "deregisterAAID": None, "deregisterKeyIDs": None}

# Tag and length of parts of an assertion in UAFV1TLV, little-endian: TAG_AAID, and TAG_KEYID of a key of ours.
AAID, KEY_ID = b"\x0b\x2e\x09\x00", b"\x09\x2e\x20\x00"
