"""What a client sends so that uaf-server accepts new keys, or removes keys: the codes, proofs and signatures.

Written only from docs/protocol.md ("Enrolment code", "What allows new keys"). Shares no code and no constant with the Swift
sources, so that one misreading is not made on both ends.
"""

import hashlib
import hmac
import json
import os
import struct

import uaf


def field(data):
    return struct.pack(">I", len(data)) + data


def key(code, username):
    """The key that scrypt derives from a code; for an earlier code, of 20 characters, HKDF-SHA-256 without a salt."""
    characters, purpose = code.replace("-", "").encode(), b"pam-uaf enrolment code\0" + username.encode()
    if len(characters) == 16:
        return hashlib.scrypt(characters, salt=purpose, n=1024, r=8, p=1, dklen=32)
    extracted = hmac.digest(bytes(32), characters, "sha256")
    return hmac.digest(extracted, purpose + b"\x01", "sha256")


def authenticate(code, username, label, statement):
    return uaf.encode(hmac.digest(key(code, username), label + b"\0" + statement, "sha256"))


def registration_proof(code, username):
    """Proves that whoever asks for a registration has the code."""
    return authenticate(code, username, b"pam-uaf enrolment request", username.encode())


def removal(username, device="", model="", key_ids=()):
    named = b"".join(field(each.encode()) for each in (username, device, model))
    return b"pam-uaf removal\0" + named + b"".join(field(key_id) for key_id in key_ids)


def removal_proof(code, username, **what):
    return authenticate(code, username, b"pam-uaf enrolment removal", removal(username, **what))


def new_keys(request, username, keys):
    """The statement that exactly these keys, each with model, KeyID and public key, are in the answer to this request."""
    parts = [username.encode(), request["header"]["appID"].encode(), uaf.decode(request["challenge"])]
    for model, key_id, public_key in keys:
        parts += [model.encode(), key_id, public_key]
    return b"pam-uaf new keys\0" + b"".join(map(field, parts))


def allowance(code, request, username, keys):
    """The context that a client sends with its answer if a code allows the new keys."""
    statement = new_keys(request, username, keys)
    mac = authenticate(code, username, b"pam-uaf enrolment keys", statement)
    return json.dumps({"username": username, "codeMAC": mac})


def authorized_challenge(request, username, keys):
    """The challenge that a registered key signs to allow new keys. It is computed at both ends and never sent."""
    bound = hashlib.sha256(new_keys(request, username, keys)).digest()[:16]
    unique = hashlib.sha256(uaf.decode(request["challenge"])).digest()
    return uaf.encode(b"pam-uaf\x01\x06" + bound + unique)


def challenge(purpose, context, text=""):
    """A challenge that asks for a signature for a purpose, as uaf-server makes it for a request with this context."""
    statement = b"pam-uaf challenge\0" + bytes([purpose]) + field(context.encode()) + field(text.encode())
    return uaf.encode(b"pam-uaf\x01" + bytes([purpose]) + hashlib.sha256(statement).digest()[:16] + os.urandom(32))


def purpose(challenge):
    """The number of the purpose that a challenge of uaf-server names; None for the challenge of another server."""
    data = uaf.decode(challenge)
    return data[8] if data.startswith(b"pam-uaf\x01") and len(data) == 57 else None
