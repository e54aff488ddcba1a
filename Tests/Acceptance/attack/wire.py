"""What attackers know of our protocol in addition to UAF: all members of docs/protocol.md that the rows use are named here."""

import json

from attack.recorder import decode
from fleet.client import codes


def wish(operation):
    """The members by which a client asks that its authentication proves the account for an operation."""
    return {"proofFor": operation}


def by_proof(token):
    """The members of a request that a proof authorises."""
    return {"proof": token}


def right_in(context):
    """The members of a request's context that prove possession of an enrolment code; empty if there are none."""
    return {name: context[name] for name in ("codeProof", "authCode") if name in context}


def by_code(code, name):
    """The members that prove possession of an enrolment code."""
    return {"codeProof": codes.registration_proof(code, name)}


def by_approval(code):
    """The members that identify a pending text."""
    return {"authCode": code}


def in_place_of(key):
    """The members by which a registration replaces a key that a machine has lost; a KeyID in base64url."""
    return {"lostKeyIDs": [key]}


def text_in(context):
    """The text that a request asks the person to confirm."""
    return context["transaction"]


def with_text(text):
    """The members of a request's context for a text to be confirmed; None for no text."""
    return {"transaction": text}


def challenge(purpose, context):
    """A challenge as our server makes it, for a purpose and the text of a request's context."""
    return codes.challenge(purpose, context)


def requests_in(document):
    """The UAF requests in an answer, the newest version last."""
    return json.loads(document["uafRequest"])


def code_of(payload):
    """The one-time code in a payload."""
    return json.loads(decode(payload.split()[0]))["authCode"]


# A well-formed enrolment code that no server has issued.
MADE_UP = "0000-0000-0000-0000"

# The members that authorise a request; an attacker with a different authorisation removes them.
WITHOUT_RIGHTS = {"authCode": None, "codeProof": None, "proof": None, "proofFor": None}
EVERYTHING = {"deregisterAll": True, "deregisterAAID": None, "deregisterKeyIDs": None}

# Tag and length of parts of an assertion in UAFV1TLV, little-endian: TAG_AAID, and TAG_KEYID of a key of ours.
AAID, KEY_ID = b"\x0b\x2e\x09\x00", b"\x09\x2e\x20\x00"
