"""A thief with a software authenticator, who tries in every way to register a key for another person's account."""

import contextlib
import json
import pathlib
import sqlite3

from attack import wire
from attack.recorder import decode, encode
from attack.signing import SERVER
from fleet.client import SUCCESS as OK
from fleet.client import Channel, Person, Refused, Verdicts
from lab.machine import PORT


class Thief(Person):
    """Has a key that the thief wants to register for `name` at the lab's server."""

    def __init__(self, name, folder=SERVER, port=PORT):
        state = pathlib.Path(folder)
        super().__init__(name, Verdicts((state / "verdict.pub").read_bytes()))
        self.channel = Channel("127.0.0.1", "127.0.0.1", port, state / "ca.pem")
        self._folder = folder

    @property
    def has_key(self):
        """Whether the account has this key at the server."""
        return self.key_id in keys(self.name, self._folder)

    @property
    def gets_in(self):
        """Whether the server accepts the account's login with this key."""
        return refusal(self.login, self.channel) is None

    def ask(self, operation, **context):
        """Asks the server for a request in the account's name; returns the message, or raises Refused."""
        return self._request(self.channel, operation, **context)

    def proves(self, operation):
        """A token by this key that proves the account for an operation."""
        return self.send(self.channel, self.sign(self.channel, **wire.wish(operation))).token

    def in_place_of(self, asked):
        """The response of a registration, with this key in place of the person's."""
        answer = asked.answer()
        envelope = answer.message[0]["assertions"][0]
        model = part(answer, wire.AAID).decode()
        envelope["assertion"] = encode(self.new_key(answer.message[0]["fcParams"], model))
        return asked.says(answer.body())

    def take_request(self, request, context):
        """Answers a registration request that a different person has asked for; raises Refused."""
        # The final challenge names the server's certificate, which is known after a connection.
        self.channel.read("/uaf/facets")
        parameters = self._parameters(request, self.channel)
        assertion = self.new_key(parameters, request["policy"]["accepted"][0][0]["aaid"][0])
        answer = self._response(request, parameters, assertion)
        said = self.channel.post("/uaf/respond", {**answer, "context": json.dumps(context)})
        if said["statusCode"] != OK:
            raise Refused(said["statusCode"])

    def confirms(self, payload):
        """Tries to confirm a payload's text with this key; returns the status of a refusal, or None."""
        return refusal(self.confirm, self.channel, payload)

    def spend(self, tokens, **described):
        """Tries to register this key by each token; returns each result: None for a success, or the status."""
        return [refusal(self.take_key, self.channel, **wire.by_proof(token), **described) for token in tokens]

    def remove(self, tokens, **described):
        """Tries to have all the account's keys deleted by each token; returns each result."""
        everything = {name: value for name, value in wire.EVERYTHING.items() if value is not None}
        return [refusal(self.ask, "Dereg", **wire.by_proof(token), **everything, **described) for token in tokens]


def part(answer, tag):
    """A value in the assertion of an answer, by its tag and length of UAFV1TLV."""
    assertion = decode(answer.message[0]["assertions"][0]["assertion"])
    place = assertion.index(tag) + len(tag)
    return assertion[place : place + int.from_bytes(tag[2:], "little")]


def refusal(act, *arguments, **options):
    """Calls the server; returns the status of a refusal, or None."""
    try:
        act(*arguments, **options)
    except Refused as reason:
        return str(reason)
    return None


def keys(name, folder=SERVER):
    """The keys of an account that its server accepts: by KeyID in hexadecimal digits, the device id and name of each."""
    with contextlib.closing(sqlite3.connect(f"{folder}/server.db", timeout=10)) as store:
        found = store.execute(
            "SELECT lower(hex(keyID)), deviceID, deviceName FROM credential WHERE username = ? AND revokedAt IS NULL", (name,)
        )
        return {key: (device, called) for key, device, called in found}
