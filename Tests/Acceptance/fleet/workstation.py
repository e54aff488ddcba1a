"""A workstation that joins and checks in, and shares no code with the Swift sources: made from docs/protocol.md alone."""

import base64
import hashlib
import hmac
import http.client
import json
import os
import struct
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

from lab.table import must

SUCCESS = 1200
ITSELF = {"module": "1.0", "deviceModel": "x86_64", "deviceOS": "Linux 6.1"}


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Workstation:
    """One machine with a device id. `channel` is its connection, which may be a different one each time."""

    def __init__(self, name):
        self.name, self.device = name, os.urandom(16).hex()
        self._id, self._secret, self._number = b"", b"", 0
        # The nonce of the last answered report, and of a report that was not answered.
        self._mark, self._next = "", ""
        self.group = ""
        # The policy that the server has signed for this machine; each report contains its version.
        self.policy = {"version": 0}
        # The keys that verify the server's verdicts.
        self._keys = []
        # The logins without the server that must be reported.
        self._untold = []

    def copy(self):
        """A copy of this machine with the same state."""
        made = Workstation(self.name)
        vars(made).update(vars(self), _untold=list(self._untold))
        return made

    def forgotten(self):
        """Becomes a machine that has joined, and that no server knows."""
        self.device, self._id = os.urandom(16).hex(), os.urandom(len(self._id))

    # --- Joining

    def join(self, channel, payload):
        """Joins with an administrator's join line."""
        said = json.loads(decode(payload))
        self._keys = [
            serialization.load_pem_public_key(b"-----BEGIN" + text)
            for text in said["verdictKeys"].encode().split(b"-----BEGIN")[1:]
        ]
        nonce = encode(os.urandom(16))
        body = {"v": 1, "code": said["code"], "nonce": nonce, "deviceID": self.device, "deviceName": self.name}
        status, answer = channel.tell("/uaf/join", json.dumps(body).encode())
        must(status == 200 and answer["statusCode"] == SUCCESS, f"joining: HTTP {status}, {answer}")
        self._id, self._secret = (decode(answer["machineSecret"][name]) for name in ("id", "secret"))
        claims = self._claims(answer["token"], "machine-join+jwt")
        expected = {"sub": self.device, "nonce": nonce, "machine": encode(hashlib.sha256(self._id + self._secret).digest())}
        must({name: claims.get(name) for name in expected} == expected, f"a statement of another joining: {claims}")
        self.group = claims["group"]

    def _claims(self, token, kind, lifetime=60):
        """What the server has signed (RFC 7515, ES256) with a key of the payload."""
        header, claims, signature = token.split(".")
        head = json.loads(decode(header))
        must(head["alg"] == "ES256" and head["typ"] == kind, f"a token of another kind: {head}")
        raw = decode(signature)
        der = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        must(any(self._holds(key, der, f"{header}.{claims}".encode()) for key in self._keys), "a token that nobody has signed")
        said = json.loads(decode(claims))
        must(abs(said["iat"] - time.time()) < 120 and said["exp"] == said["iat"] + lifetime, f"a token of another time: {said}")
        return said

    @staticmethod
    def _holds(key, signature, message):
        try:
            key.verify(signature, message, ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            return False
        return True

    # --- Checking in

    def let_in(self, account, service="sudo", is_forged=False):
        """Records a login without the server."""
        self._number = max(self._number + 1, int(time.time()))
        now = int(time.time())
        named = b"".join(struct.pack(">I", len(text)) + text for text in (account.encode(), service.encode()))
        message = b"pam-uaf offline login\0" + struct.pack(">qq", now, self._number) + named
        code = os.urandom(32) if is_forged else hmac.digest(self._secret, message, "sha256")
        self._untold.append({"account": account, "service": service, "time": now, "number": self._number, "code": encode(code)})

    def proof(self, body, nonce):
        """The header that authenticates a body."""
        name = b"check-in " + encode(hashlib.sha256(body).digest()).encode()
        head = bytes([1, 0]) + self._id + struct.pack(">q", int(time.time())) + nonce + bytes([len(name)]) + name
        return encode(head + hmac.digest(self._secret, head, "sha256"))

    def check_in(self, channel, loses_answer=False, **report):
        """Reports the machine's state to the server; returns the HTTP status and the server's signed answer."""
        self._next = self._next or encode(os.urandom(16))
        report = {**ITSELF, "deviceName": self.name, **report, "nextMark": self._next}
        report["policy"] = self.policy["version"]
        if self._mark:
            report["mark"] = self._mark
        if self._untold:
            report["offlineLogins"] = self._untold
        body = json.dumps({"v": 1, "report": report}).encode()
        nonce = os.urandom(16)
        status, answer = channel.tell("/uaf/machine", body, self.proof(body, nonce))
        if status != http.client.OK or loses_answer:
            return status, None
        claims = self._claims(answer["token"], "machine-checkin+jwt")
        expected = {"sub": self.device, "machine": encode(self._id), "nonce": encode(nonce)}
        must({name: claims.get(name) for name in expected} == expected, f"an answer to somebody else: {claims}")
        self._mark, self._next, self._untold = self._next, "", []
        if "policy" in answer:
            self.policy = self._claims(answer["policy"], "workstation-policy+jwt", 90 * 86400)
        return status, claims
