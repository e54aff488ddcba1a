"""A UAF client and authenticator written from the specification: authenticator.py PAYLOAD SCENARIO

Registers with the account's payload, then plays the scenario, and prints the status of each step in one line. A scenario
with a lie in an answer prints the status that the server gives the lie, and then the status of an honest answer.
"""

import hashlib
import http.client
import json
import os
import ssl
import struct
import sys
import threading
import urllib.parse

import codes
import uaf
from cryptography.hazmat.primitives.asymmetric import ec

FACET = "linux:pam-module:pam_uaf"
# The server accepts a text from a machine only if it begins with account and host.
SUDO = "mina@desk: sudo reboot"


class Client:
    def __init__(self, payload, kind="application/fido+uaf"):
        self.payload = json.loads(uaf.decode(payload))
        self.url = urllib.parse.urlsplit(self.payload["server"])
        self.user, self.kind = self.payload["username"], kind
        self.context = ssl.create_default_context(cadata=self.payload["ca"])
        self.device = uaf.encode(os.urandom(16))
        self.key, self.key_id, self.counter, self.model = None, None, 0, ""

    def connect(self):
        connection = http.client.HTTPSConnection(self.url.hostname, self.url.port, context=self.context, timeout=60)
        connection.connect()
        return connection

    def post(self, path, body, connection=None):
        connection = connection or self.connect()
        connection.request("POST", path, json.dumps(body), {"Content-Type": f"{self.kind}; charset=utf-8", "Accept": self.kind})
        answer = connection.getresponse()
        assert answer.status == 200, answer.status
        assert answer.headers["Content-Type"].split(";")[0] == self.kind, answer.headers["Content-Type"]
        return json.loads(answer.read())

    def get(self, op, **context):
        """Asks for a request and chooses the highest version."""
        body = {"op": op, "context": json.dumps({"username": self.user, "deviceID": self.device, **context})}
        answer = self.post("/uaf/get", body)
        if answer["statusCode"] != 1200:
            raise uaf.Refused(answer["statusCode"], f"get {op}")
        messages = json.loads(answer["uafRequest"])
        versions = [(message["header"]["upv"]["major"], message["header"]["upv"]["minor"]) for message in messages]
        assert len(set(versions)) == len(versions) and max(versions) == (1, 1), versions
        message = messages[versions.index(max(versions))]
        assert message["header"]["op"] == op
        self.check_facet(message["header"])
        return message

    def check_facet(self, header):
        url = urllib.parse.urlsplit(header["appID"])
        assert url.scheme == "https" and url.hostname == self.url.hostname, header["appID"]
        connection = http.client.HTTPSConnection(url.hostname, url.port, context=self.context, timeout=60)
        connection.request("GET", url.path)
        answer = connection.getresponse()
        assert answer.status == 200 and answer.headers["Content-Type"] == "application/fido.trusted-apps+json"
        lists = json.loads(answer.read())["trustedFacets"]
        assert any(FACET in entry["ids"] for entry in lists if entry["version"] == header["upv"]), lists

    def final_challenge(self, request, **lies):
        certificate = self.connect().sock.getpeercert(binary_form=True)
        binding = {"serverEndPoint": uaf.end_point(certificate), "tlsServerCertificate": uaf.encode(certificate)}
        fields = {
            "app_id": request["header"]["appID"],
            "challenge": request["challenge"],
            "facet_id": FACET,
            "binding": binding,
            **lies,
        }
        return uaf.final_challenge(**fields)

    @staticmethod
    def response(request, parameters, assertion):
        return {
            "uafResponse": json.dumps(
                [
                    {
                        "header": request["header"],
                        "fcParams": parameters,
                        "assertions": [{"assertionScheme": "UAFV1TLV", "assertion": uaf.encode(assertion)}],
                    }
                ]
            )
        }

    def send(self, response):
        return self.post("/uaf/respond", response)

    # Registration

    def registration(self, request, *, mode=1, foreign=False, **lies):
        self.model = request["policy"]["accepted"][0][0]["aaid"][0]
        key, key_id = ec.generate_private_key(ec.SECP256R1()), os.urandom(32)
        parameters = self.final_challenge(request, **lies)
        # The order of these elements is free, and this is not the order in which our own programs write them.
        krd = uaf.tlv(
            uaf.KRD,
            uaf.tlv(uaf.COUNTERS, struct.pack("<II", 0, 1)),
            uaf.tlv(uaf.PUB_KEY, uaf.public_key(key)),
            uaf.tlv(uaf.KEYID, key_id),
            uaf.tlv(uaf.FINAL_CHALLENGE_HASH, uaf.final_challenge_hash(parameters)),
            uaf.tlv(uaf.ASSERTION_INFO, struct.pack("<HBHH", 1, mode, uaf.ECDSA_RAW, uaf.KEY_RAW)),
            uaf.tlv(uaf.AAID, self.model.encode()),
        )
        signer = ec.generate_private_key(ec.SECP256R1()) if foreign else key
        attestation = uaf.tlv(uaf.SURROGATE, uaf.tlv(uaf.SIGNATURE, uaf.sign(signer, krd)))
        self.key, self.key_id, self.counter = key, key_id, 0
        answer = self.response(request, parameters, uaf.tlv(uaf.REG_ASSERTION, krd, attestation))
        keys = [(self.model, key_id, uaf.public_key(key))]
        return {**answer, "context": codes.allowance(self.payload["authCode"], request, self.user, keys)}

    def ask_to_register(self):
        return self.get("Reg", codeProof=codes.registration_proof(self.payload["authCode"], self.user))

    def register(self, **lies):
        return self.send(self.registration(self.ask_to_register(), **lies))["statusCode"]

    # Authentication

    def authentication(self, request, *, counter=None, key=None, key_id=None, mode=1, text=b"", flip=False, verified=b"", **lies):
        named = [key_id for criteria in request["policy"]["accepted"] for one in criteria for key_id in one["keyIDs"]]
        assert uaf.encode(self.key_id) in named, "the policy does not name the key"
        self.counter += 1
        parameters = self.final_challenge(request, **lies)
        data = uaf.tlv(
            uaf.SIGNED_DATA,
            uaf.tlv(uaf.AAID, self.model.encode()),
            uaf.tlv(uaf.COUNTERS, struct.pack("<I", self.counter if counter is None else counter)),
            uaf.tlv(uaf.KEYID, key_id or self.key_id),
            uaf.tlv(uaf.TRANSACTION_HASH, text),
            uaf.tlv(uaf.FINAL_CHALLENGE_HASH, uaf.final_challenge_hash(parameters)),
            verified,
            uaf.tlv(uaf.NONCE, os.urandom(16)),
            uaf.tlv(uaf.ASSERTION_INFO, struct.pack("<HBH", 1, mode, uaf.ECDSA_RAW)),
        )
        signature = bytearray(uaf.sign(key or self.key, data))
        signature[-1] ^= int(flip)
        return self.response(request, parameters, uaf.tlv(uaf.AUTH_ASSERTION, data, uaf.tlv(uaf.SIGNATURE, bytes(signature))))

    def authenticate(self, context=None, **lies):
        return self.send(self.authentication(self.get("Auth", **(context or {})), **lies))["statusCode"]


def lie(client, **lies):
    return [client.authenticate(**lies), client.authenticate()]


def replay(client):
    answer = client.authentication(client.get("Auth"))
    return [client.send(answer)["statusCode"] for _ in range(2)] + [client.authenticate()]


def replay_at_once(client):
    """The same answer over 50 connections, sent together; prints how many were accepted, how many refused."""
    answer = client.authentication(client.get("Auth"))
    connections = [client.connect() for _ in range(50)]
    gate, statuses = threading.Barrier(len(connections)), []

    def send(connection):
        gate.wait()
        statuses.append(client.post("/uaf/respond", answer, connection)["statusCode"])

    threads = [threading.Thread(target=send, args=[connection]) for connection in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [statuses.count(1200), len(statuses) - statuses.count(1200), client.authenticate()]


def deregister(client):
    proof = client.post("/uaf/respond", client.authentication(client.get("Auth", proofFor="Dereg", deregisterAAID=client.model)))
    token = proof["additionalTokens"][0]["value"]
    order = client.get("Dereg", proof=token, deregisterAAID=client.model)
    named = order["authenticators"]
    assert all(entry["aaid"] == client.model for entry in named), named
    assert any(entry["keyID"] in ("", uaf.encode(client.key_id)) for entry in named), named
    statuses = [1200]
    try:
        client.get("Dereg", proof=token, deregisterAAID=client.model)
    except uaf.Refused as refused:
        statuses.append(refused.status)
    key_id = client.key_id
    policy = client.post("/uaf/get", {"op": "Auth", "context": json.dumps({"username": client.user})})
    assert uaf.encode(key_id) not in policy["uafRequest"], "the key is still in the policy"
    return statuses


def unproven(client):
    statuses = []
    code = codes.removal_proof(client.payload["authCode"], client.user, device=client.device, model=client.model)
    for context in ({}, {"proof": "a.b.c"}, {"authCode": client.payload["authCode"]}, {"codeProof": code}):
        try:
            client.get("Dereg", deregisterAAID=client.model, **context)
            statuses.append(1200)
        except uaf.Refused as refused:
            statuses.append(refused.status)
    # A login's token proves a login and nothing more.
    token = client.post("/uaf/respond", client.authentication(client.get("Auth")))["additionalTokens"][0]["value"]
    try:
        client.get("Dereg", deregisterAAID=client.model, proof=token)
        statuses.append(1200)
    except uaf.Refused as refused:
        statuses.append(refused.status)
    return [*statuses, client.authenticate()]


def register_again(client):
    """The code that registered is used up."""
    try:
        client.ask_to_register()
        return [1200]
    except uaf.Refused as refused:
        return [refused.status, client.authenticate()]


def bad_then_good(client, **lies):
    """A registration with a lie, then an honest one with the same code."""
    return [client.register(**lies), client.register(), client.authenticate()]


SCENARIOS = {
    "honest": lambda client: [client.authenticate() for _ in range(2)],
    "transaction": lambda client: [
        client.authenticate({"transaction": SUDO}, mode=2, text=hashlib.sha256(SUDO.encode()).digest())
    ],
    "transaction-unconfirmed": lambda client: [client.authenticate({"transaction": SUDO})],
    "transaction-other": lambda client: [
        client.authenticate({"transaction": SUDO}, mode=2, text=hashlib.sha256(b"mina@desk: sudo halt").digest())
    ],
    "verified": lambda client: [
        client.authenticate(verified=uaf.verification_method(4, 1, 1)),
        client.authenticate(verified=uaf.verification_method(4, 1, 1, uaf.EXTENSION_CRITICAL)),
    ],
    "wrong-verified": lambda client: (
        [
            client.authenticate(verified=uaf.verification_method(*entry))
            for entry in ((0x80, 1, 1), (6, 1, 1), (4, 2, 1), (4, 1, 2))
        ]
        + [client.authenticate()]
    ),
    "replay": replay,
    "replay-at-once": replay_at_once,
    "equal-counter": lambda client: [
        client.authenticate(counter=5),
        client.authenticate(counter=5),
        client.authenticate(counter=6),
    ],
    "lower-counter": lambda client: [
        client.authenticate(counter=5),
        client.authenticate(counter=4),
        client.authenticate(counter=0),
        client.authenticate(counter=6),
    ],
    "wrong-challenge": lambda client: lie(client, challenge=uaf.encode(os.urandom(32))),
    "wrong-app": lambda client: lie(client, app_id="https://127.0.0.1/other"),
    "wrong-facet": lambda client: lie(client, facet_id=FACET + "2"),
    "wrong-certificate": lambda client: lie(client, binding={"tlsServerCertificate": uaf.encode(os.urandom(300))}),
    "wrong-end-point": lambda client: lie(client, binding={"serverEndPoint": uaf.encode(os.urandom(32))}),
    "wrong-key": lambda client: lie(client, key=ec.generate_private_key(ec.SECP256R1())),
    "wrong-key-id": lambda client: lie(client, key_id=os.urandom(32)),
    "wrong-mode": lambda client: lie(client, mode=2),
    "wrong-signature": lambda client: lie(client, flip=True),
    "deregister": deregister,
    "unproven": unproven,
    "register-again": register_again,
}

REGISTRATIONS = {
    "bad-registration-challenge": {"challenge": uaf.encode(os.urandom(32))},
    "bad-registration-facet": {"facet_id": "linux:other"},
    "bad-registration-mode": {"mode": 2},
    "bad-registration-key": {"foreign": True},
}


def main():
    payload, scenario = sys.argv[1:3]
    client = Client(payload, "application/json" if scenario == "conformance" else "application/fido+uaf")
    if scenario in REGISTRATIONS:
        statuses = [client.register(**REGISTRATIONS[scenario])]
        if statuses[0] != 1200:
            statuses.append(client.register())
        statuses.append(client.authenticate())
    else:
        statuses = [client.register(), *SCENARIOS.get(scenario, SCENARIOS["honest"])(client)]
    print(" ".join(str(status) for status in statuses))


if __name__ == "__main__":
    main()
