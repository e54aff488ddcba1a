"""A server to compare ours with: passkeys with PyPI's `webauthn`, on SQLite, durable; run by granian.

`/get` returns a challenge for the account's keys, `/respond` verifies the answer and raises the counter in one commit. Challenges
are kept in memory, which costs least. Its store is PASSKEYS_STORE.
"""

import json
import os
import sqlite3

from webauthn import generate_authentication_options, options_to_json, verify_authentication_response
from webauthn.helpers import base64url_to_bytes
from webauthn.helpers.exceptions import InvalidAuthenticationResponse
from webauthn.helpers.structs import PublicKeyCredentialDescriptor, UserVerificationRequirement

NAME, ORIGIN = "localhost", "https://localhost"
HEADERS = [(b"content-type", b"application/json")]

database = sqlite3.connect(os.environ["PASSKEYS_STORE"], isolation_level=None, cached_statements=16)
database.execute("PRAGMA journal_mode = WAL")
database.execute("PRAGMA synchronous = FULL")
pending: dict[str, bytes] = {}


def challenge(body):
    name = json.loads(body)["username"]
    rows = database.execute("SELECT id FROM credential WHERE username = ?", (name,)).fetchall()
    options = generate_authentication_options(
        rp_id=NAME,
        allow_credentials=[PublicKeyCredentialDescriptor(id=row[0]) for row in rows],
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    text = options_to_json(options)
    pending[json.loads(text)["challenge"]] = options.challenge
    return text.encode()


def respond(body):
    credential = json.loads(body)
    said = json.loads(base64url_to_bytes(credential["response"]["clientDataJSON"]))["challenge"]
    expected = pending.pop(said, None)
    identifier = base64url_to_bytes(credential["rawId"])
    row = database.execute("SELECT key, counter FROM credential WHERE id = ?", (identifier,)).fetchone()
    if expected is None or row is None:
        return b'{"verified":false}'
    try:
        verified = verify_authentication_response(
            credential=credential,
            expected_challenge=expected,
            expected_rp_id=NAME,
            expected_origin=ORIGIN,
            credential_public_key=row[0],
            credential_current_sign_count=row[1],
            require_user_verification=True,
        )
    except InvalidAuthenticationResponse:
        return b'{"verified":false}'
    raised = database.execute(
        "UPDATE credential SET counter = ? WHERE id = ? AND counter < ?",
        (verified.new_sign_count, identifier, verified.new_sign_count),
    )
    return b'{"verified":true}' if raised.rowcount == 1 else b'{"verified":false}'


ROUTES = {"/get": challenge, "/respond": respond}


async def app(scope, receive, send):
    """The whole application: one request, one answer."""
    if scope["type"] != "http":
        return
    body, more = b"", True
    while more:
        event = await receive()
        body += event.get("body", b"")
        more = event.get("more_body", False)
    answer = ROUTES[scope["path"]](body)
    length = (b"content-length", str(len(answer)).encode())
    await send({"type": "http.response.start", "status": 200, "headers": [*HEADERS, length]})
    await send({"type": "http.response.body", "body": answer})
