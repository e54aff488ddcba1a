"""A person's client that shares no code with the Swift sources: it signs, trusts only a signed verdict, and reports what
happened.

Messages are made by Server/Tests/EndToEndTests/Programs/interop/uaf.py, from the specification's text.
"""

import collections
import dataclasses
import hashlib
import http.client
import importlib
import json
import os
import socket
import ssl
import struct
import sys
import time

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from lab.machine import ROOT
from lab.table import Broken, must

sys.path.append(str(ROOT / "Server/Tests/EndToEndTests/Programs/interop"))
uaf = importlib.import_module("uaf")
codes = importlib.import_module("codes")

FACET = "linux:pam-module:pam_uaf"
# The last bytes of a challenge of this server, which no other has (docs/protocol.md).
UNIQUE = 32
SUCCESS = 1200
# The statuses after which a client tells the person to try again later: HTTP's for overload and failure, and UAF's.
LATER_OF_HTTP, LATER = (429, 500, 502, 503, 504), (1500,)
# A server that is silent for this long counts as lost.
SILENCE = 20


class Later(Exception):
    """Neither a success nor a refusal; the message describes the actual result. `sent`: whether the person's response was
    sent."""

    def __init__(self, why, sent=False):
        super().__init__(why)
        self.sent = sent


class Refused(Exception):
    """A definite refusal, with its status."""

    def __init__(self, status):
        super().__init__(f"status {status}")
        self.status = status


@dataclasses.dataclass
class Signed:
    """A signed answer, and the time at which its success was acknowledged, if it was."""

    person: "Person" = dataclasses.field(repr=False)
    challenge: str
    digest: str
    counter: int
    text: str | None
    body: dict = dataclasses.field(repr=False)
    started: float
    acknowledged: float | None = None
    # The server's signed verdict.
    token: str | None = None

    def spoilt(self):
        """The same answer with a signature that is wrong."""
        message = json.loads(self.body["uafResponse"])
        envelope = message[0]["assertions"][0]
        assertion = bytearray(uaf.decode(envelope["assertion"]))
        assertion[-1] ^= 1
        envelope["assertion"] = uaf.encode(bytes(assertion))
        return dataclasses.replace(self, body={"uafResponse": json.dumps(message)})


class Channel:
    """A connection over TLS that is opened again when it has ended. `address` is the address to which it connects for `name`."""

    def __init__(self, name, address, port, authority):
        self._name, self._place = name, (address, port)
        self._context = ssl.create_default_context(cafile=str(authority))
        self._connection: http.client.HTTPSConnection | None = None
        self.certificate: bytes | None = b""

    def _open(self):
        connection = http.client.HTTPSConnection(self._name, self._place[1], timeout=SILENCE)
        plain = socket.create_connection(self._place, 5)
        plain.settimeout(SILENCE)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sock = self._context.wrap_socket(plain, server_hostname=self._name)
        self.certificate = connection.sock.getpeercert(binary_form=True)
        self._connection = connection
        return connection

    def close(self):
        if self._connection:
            self._connection.close()
            self._connection = None

    def post(self, path, body):
        """The answer's object; raises Later if there is none."""
        return json.loads(self._ask("POST", path, json.dumps(body)))

    def tell(self, path, body, proof=None):
        """Sends what a machine reports about itself; returns the HTTP status and the answer's object, if any. Raises Later if no
        answer comes."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if proof is not None:
            headers["UAF-Machine"] = proof
        status, said = self._exchange("POST", path, body, headers)
        if status in LATER_OF_HTTP:
            raise Later(f"HTTP {status}")
        return status, json.loads(said) if said else None

    def read(self, path):
        return self._ask("GET", path, None)

    def _ask(self, method, path, body):
        media = "application/fido+uaf"
        headers = {"Content-Type": f"{media}; charset=utf-8", "Accept": media} if body else {}
        status, said = self._exchange(method, path, body, headers)
        if status in LATER_OF_HTTP:
            raise Later(f"HTTP {status}")
        must(status == 200, f"{path} answered with HTTP {status}")
        return said

    def _exchange(self, method, path, body, headers):
        sent = False
        try:
            connection = self._connection or self._open()
            sent = True
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            said = answer.read()
            if answer.will_close:
                self.close()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Later(f"{type(error).__name__}: {error}", sent) from error
        return answer.status, said


class Verdicts:
    """Verifies the server's signed verdicts (RFC 7519, ES256) with the keys that an administrator handed out."""

    def __init__(self, pem):
        self._keys = {}
        # How many verdicts each key has signed.
        self.seen = collections.Counter()
        self.accept(pem)

    def accept(self, pem):
        """Takes further keys; returns the names of all in a file."""
        names = []
        for text in pem.split(b"-----BEGIN")[1:]:
            key = serialization.load_pem_public_key(b"-----BEGIN" + text)
            form = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
            names.append(hashlib.sha256(key.public_bytes(*form)).hexdigest()[:16])
            self._keys[names[-1]] = key
        return names

    def check(self, token, account, challenge):
        header, claims, signature = token.split(".")
        head = json.loads(uaf.decode(header))
        must(head["alg"] == "ES256", "a verdict of another algorithm")
        must(head["kid"] in self._keys, f"a verdict of a key that nobody has handed out: {head}")
        uaf.verify(self._keys[head["kid"]], uaf.decode(signature), f"{header}.{claims}".encode(), uaf.ECDSA_RAW)
        self.seen[head["kid"]] += 1
        said = json.loads(uaf.decode(claims))
        expected = {"sub": account, "op": "Auth", "challenge": uaf.encode(hashlib.sha256(uaf.decode(challenge)).digest())}
        must({name: said.get(name) for name in expected} == expected, f"a verdict about something else: {said}")
        return said


class Person:
    """A person with a P-256 key. Only one thread at a time logs in for a person."""

    def __init__(self, name, verdicts, counts=True):
        self.name, self._verdicts = name, verdicts
        # An authenticator need not count. Then its counter is always 0, and only the used challenge stops a replay.
        self.counts = counts
        self._device = uaf.encode(os.urandom(16))
        self._key, self._key_id, self._model = ec.generate_private_key(ec.SECP256R1()), os.urandom(32), ""
        # The last counter that was signed, whatever the server answered.
        self.counter = 0

    @property
    def key_id(self):
        return self._key_id.hex()

    def _request(self, channel, op, **context):
        body = {"op": op, "context": json.dumps({"username": self.name, "deviceID": self._device, **context})}
        answer = channel.post("/uaf/get", body)
        if answer["statusCode"] in LATER:
            raise Later(f"get: status {answer['statusCode']}")
        if answer["statusCode"] != SUCCESS:
            raise Refused(answer["statusCode"])
        messages = json.loads(answer["uafRequest"])
        request = max(messages, key=lambda message: (message["header"]["upv"]["major"], message["header"]["upv"]["minor"]))
        must(request["header"]["op"] == op, f"asked for {op}, got {request['header']['op']}")
        return request

    @staticmethod
    def _parameters(request, channel):
        certificate = channel.certificate
        binding = {"serverEndPoint": uaf.end_point(certificate), "tlsServerCertificate": uaf.encode(certificate)}
        return uaf.final_challenge(request["header"]["appID"], request["challenge"], FACET, binding)

    @staticmethod
    def _response(request, parameters, assertion):
        envelope = {"assertionScheme": "UAFV1TLV", "assertion": uaf.encode(assertion)}
        message = {"header": request["header"], "fcParams": parameters, "assertions": [envelope]}
        return {"uafResponse": json.dumps([message])}

    def register(self, channel, payload, **described):
        """Registers; `described` is what the machine says of itself."""
        code = json.loads(uaf.decode(payload))["authCode"]
        self.take_key(channel, code=code, codeProof=codes.registration_proof(code, self.name), **described)

    def take_key(self, channel, *, code=None, **context):
        """Registers a key, with the members of `context` that authorise the request and the code that authorises the key; raises
        Refused."""
        request = self._request(channel, "Reg", **context)
        self._model = request["policy"]["accepted"][0][0]["aaid"][0]
        parameters = self._parameters(request, channel)
        response = self._response(request, parameters, self.new_key(parameters))
        if code:
            keys = [(self._model, self._key_id, uaf.public_key(self._key))]
            response["context"] = codes.allowance(code, request, self.name, keys)
        answer = channel.post("/uaf/respond", response)
        if answer["statusCode"] != SUCCESS:
            raise Refused(answer["statusCode"])

    def new_key(self, parameters, model=None):
        """The assertion by which this key is registered, over the final challenge parameters."""
        self._model = model or self._model
        described = uaf.tlv(
            uaf.KRD,
            uaf.tlv(uaf.AAID, self._model.encode()),
            uaf.tlv(uaf.ASSERTION_INFO, struct.pack("<HBHH", 1, 1, uaf.ECDSA_RAW, uaf.KEY_RAW)),
            uaf.tlv(uaf.FINAL_CHALLENGE_HASH, uaf.final_challenge_hash(parameters)),
            uaf.tlv(uaf.KEYID, self._key_id),
            uaf.tlv(uaf.COUNTERS, struct.pack("<II", 0, 1)),
            uaf.tlv(uaf.PUB_KEY, uaf.public_key(self._key)),
        )
        proof = uaf.tlv(uaf.SURROGATE, uaf.tlv(uaf.SIGNATURE, uaf.sign(self._key, described)))
        return uaf.tlv(uaf.REG_ASSERTION, described, proof)

    def sign(self, channel, text=None, **context):
        """Asks for a login, or for the confirmation of a text, and signs it; returns what is to be sent."""
        started = time.time()
        request = self._request(channel, "Auth", **({"transaction": text} if text else {}), **context)
        return self._signed(channel, request, text, started)

    def confirm(self, channel, payload):
        """Confirms the text of a payload; returns the text."""
        request = self._request(channel, "Auth", authCode=json.loads(uaf.decode(payload))["authCode"])
        text = uaf.decode(request["transaction"][0]["content"]).decode()
        self.send(channel, self._signed(channel, request, text, time.time()))
        return text

    def _signed(self, channel, request, text, started):
        named = [key for criteria in request["policy"]["accepted"] for one in criteria for key in one.get("keyIDs", [])]
        if uaf.encode(self._key_id) not in named:
            # A server that does not accept a key sends a request that names a different one.
            raise Refused("a request that does not name the key")
        self.counter += self.counts
        parameters = self._parameters(request, channel)
        data = uaf.tlv(
            uaf.SIGNED_DATA,
            uaf.tlv(uaf.AAID, self._model.encode()),
            uaf.tlv(uaf.ASSERTION_INFO, struct.pack("<HBH", 1, 2 if text else 1, uaf.ECDSA_RAW)),
            uaf.tlv(uaf.NONCE, os.urandom(16)),
            uaf.tlv(uaf.FINAL_CHALLENGE_HASH, uaf.final_challenge_hash(parameters)),
            uaf.tlv(uaf.TRANSACTION_HASH, hashlib.sha256(text.encode()).digest() if text else b""),
            uaf.tlv(uaf.KEYID, self._key_id),
            uaf.tlv(uaf.COUNTERS, struct.pack("<I", self.counter)),
        )
        signature = uaf.tlv(uaf.SIGNATURE, uaf.sign(self._key, data))
        body = self._response(request, parameters, uaf.tlv(uaf.AUTH_ASSERTION, data, signature))
        # As the store identifies it: by the unique part of the challenge.
        digest = hashlib.sha256(uaf.decode(request["challenge"])[-UNIQUE:]).hexdigest()
        return Signed(self, request["challenge"], digest, self.counter, text, body, started)

    def send(self, channel, signed):
        """Sends a signed answer; returns the time of the success. Raises Later or Refused."""
        answer = channel.post("/uaf/respond", signed.body)
        if answer["statusCode"] in LATER:
            raise Later(f"respond: status {answer['statusCode']}", sent=True)
        if answer["statusCode"] != SUCCESS:
            raise Refused(answer["statusCode"])
        tokens = [token["value"] for token in answer.get("additionalTokens", [])]
        if not tokens:
            raise Broken(f"a success without a verdict: {answer}")
        self._verdicts.check(tokens[0], self.name, signed.challenge)
        signed.token, signed.acknowledged = tokens[0], time.time()
        return signed

    def deregister(self, channel, proof):
        """Has this person's keys deleted, with the token of a login that was for that."""
        self._request(channel, "Dereg", proof=proof)

    def login(self, channel, text=None):
        return self.send(channel, self.sign(channel, text))
