"""A client of WebAuthn by PyPI's `fido2`, with a CTAP2 authenticator in software.

Reads a line of JSON for each ceremony: `do` (create or get), `options`, `origin`, and `lies` if the client should not compare the
origin with the rpId, as a compromised one would not. Prints the response as a line of JSON, or `error`. Ends with its input.
The library parses the options, asks the authenticator, and makes the response; only the authenticator is ours.
"""

import json
import os
import sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.client import DefaultClientDataCollector, Fido2Client, UserInteraction
from fido2.cose import ES256
from fido2.ctap import CtapDevice, CtapError
from fido2.ctap2 import Ctap2
from fido2.hid import CAPABILITY, CTAPHID
from fido2.utils import sha256
from fido2.webauthn import AttestedCredentialData, AuthenticatorData

AAGUID = bytes(16)
FLAG = AuthenticatorData.FLAG


class Device(CtapDevice):
    """An authenticator that verifies its user by itself, and has keys for any number of accounts."""

    def __init__(self):
        # By identifier: the key, the relying party, the user and the last counter.
        self.keys = {}

    @property
    def capabilities(self):
        return CAPABILITY.CBOR

    @classmethod
    def list_devices(cls):
        return iter(())

    def call(self, cmd, data=b"", event=None, on_keepalive=None):
        if cmd != CTAPHID.CBOR:
            raise CtapError(CtapError.ERR.INVALID_COMMAND)
        steps = {
            Ctap2.CMD.GET_INFO: lambda _: {1: ["FIDO_2_0"], 3: AAGUID, 4: {"rk": True, "uv": True, "clientPin": False}, 6: [1]},
            Ctap2.CMD.MAKE_CREDENTIAL: self.make,
            Ctap2.CMD.GET_ASSERTION: self.sign,
        }
        try:
            answer = steps[data[0]](cbor.decode(data[1:]) if len(data) > 1 else {})
        except CtapError as error:
            return bytes([error.code])
        return b"\0" + cbor.encode(answer)

    def make(self, asked):
        if any(entry["id"] in self.keys for entry in asked.get(5, [])):
            raise CtapError(CtapError.ERR.CREDENTIAL_EXCLUDED)
        identifier, key = os.urandom(32), ec.generate_private_key(ec.SECP256R1())
        self.keys[identifier] = [key, asked[2]["id"], asked[3], 0]
        public = ES256.from_cryptography_key(key.public_key())
        data = AuthenticatorData.create(
            sha256(asked[2]["id"].encode()), self.flags(asked.get(7, {})) | FLAG.AT, 0,
            AttestedCredentialData.create(AAGUID, identifier, public),
        )  # fmt: skip
        return {1: "none", 2: bytes(data), 3: {}}

    def sign(self, asked):
        allowed = [entry["id"] for entry in asked.get(3, [])] or list(self.keys)
        found = [each for each in allowed if each in self.keys and self.keys[each][1] == asked[1]]
        if not found:
            raise CtapError(CtapError.ERR.NO_CREDENTIALS)
        key, rp_id, user, counter = self.keys[found[0]]
        self.keys[found[0]][3] = counter + 1
        data = AuthenticatorData.create(sha256(rp_id.encode()), self.flags(asked.get(5, {})), counter + 1)
        signature = key.sign(bytes(data) + asked[2], ec.ECDSA(hashes.SHA256()))
        return {1: {"type": "public-key", "id": found[0]}, 2: bytes(data), 3: signature, 4: {"id": user["id"]}}

    @staticmethod
    def flags(options):
        return (FLAG.UP if options.get("up", True) else 0) | (FLAG.UV if options.get("uv") else 0)


class Present(UserInteraction):
    """Somebody who touches the authenticator, and whom it knows."""

    def request_uv(self, permissions, rp_id):
        return True


def main():
    device = Device()
    for line in sys.stdin:
        asked = json.loads(line)
        verify = {"verify": lambda *_: True} if asked.get("lies") else {}
        client = Fido2Client(device, DefaultClientDataCollector(asked["origin"], **verify), Present())
        try:
            if asked["do"] == "create":
                response = client.make_credential(asked["options"])
            else:
                response = client.get_assertion(asked["options"]).get_response(0)
            print(json.dumps(dict(response)), flush=True)
        except Exception as error:
            print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)


main()
