"""A proof that a person made for a second authenticator, abused by an attacker who controls uaf-fetch."""

import contextlib
import os

from attack.own_server import OwnServer
from attack.relay import Relay
from attack.rows.enrolling import BOTH
from attack.rows.further_keys import add_pattern, own, told
from attack.rows.replays import clock_ahead
from attack.thief import Thief, keys
from lab.listener import serve
from lab.table import must, row

FOLDER, PORT = "/srv/uaf-proofs", 8463


class Attempt:
    """A person who adds a pattern, and a thief who sees the proof pass."""

    def __init__(self, lab, relay, server):
        self.lab, self._relay = lab, relay
        server.configure()
        self.person = server.person()
        server.configure(authenticators=BOTH)
        self.before = keys(self.person.name, FOLDER)
        self.thief = self.thief_of(self.person.name)
        # The result of each of the thief's tries.
        self.spent = []

    @staticmethod
    def thief_of(name):
        return Thief(name, FOLDER, PORT)

    def add(self, at_question=None, at_answer=None):
        """The person adds the pattern, while the thief changes the registration's request or answer."""

        def on_request(asked):
            if asked.is_question and asked.operation == "Reg" and at_question:
                at_question(asked)
            if asked.is_answer and asked.operation == "Reg" and at_answer:
                return at_answer(asked)
            return asked

        with self._relay.doing(on_request=on_request):
            return add_pattern(self.lab, self.person)

    def judge(self, *thieves):
        """The violations: names of results that must not occur; empty if there are none."""
        lost = [f"a key of {thief.name}'s" for thief in (self.thief, *thieves) if thief.has_key]
        left = keys(self.person.name, FOLDER)
        return lost + [f"no key {key[:8]} any more" for key in self.before if key not in left]


def for_another_key(attempt, relay, server):
    attempt.add(at_question=lambda _: attempt.spent.extend(attempt.thief.spend(relay.tokens)))
    return attempt.judge()


def for_another_account(attempt, relay, server):
    server.configure()
    other = server.person()
    server.configure(authenticators=BOTH)
    thief = attempt.thief_of(other.name)
    attempt.add(at_question=lambda _: attempt.spent.extend(thief.spend(relay.tokens)))
    return attempt.judge(thief)


def for_a_removal(attempt, relay, server):
    attempt.add(at_question=lambda asked: attempt.spent.extend(attempt.thief.remove(relay.tokens, **own(asked.context))))
    return attempt.judge()


def twice(attempt, relay, server):
    said = attempt.add()
    must(said.returncode == 0, f"the pattern could not be added: {said.stdout}")
    attempt.spent += attempt.thief.spend(relay.tokens)
    return attempt.judge()


def with_the_key_exchanged(attempt, relay, server):
    attempt.add(at_answer=attempt.thief.in_place_of)
    attempt.spent.append("TAKEN" if attempt.thief.has_key else "refused")
    return attempt.judge()


def late(attempt, relay, server):
    """The thief acts when the server's clock is past the lifetime of a proof."""

    def hold(_):
        raise ConnectionError("held")

    # The person's own registration does not complete.
    with contextlib.suppress(ConnectionError):
        attempt.add(at_question=hold)
    os.environ["LD_PRELOAD"] = clock_ahead(attempt.lab)
    try:
        server.restart()
    finally:
        del os.environ["LD_PRELOAD"]
    attempt.spent += attempt.thief.spend(relay.tokens)
    return attempt.judge()


WAYS = {
    "for another key": for_another_key,
    "for another account": for_another_account,
    "for a removal": for_a_removal,
    "twice": twice,
    "with the key exchanged": with_the_key_exchanged,
    "late": late,
}


@row(
    "A88",
    "an attacker who controls uaf-fetch uses a proof for a second authenticator for its own key, another account or a "
    "removal; twice; late; and with the key exchanged",
    "only keys that the person has made, and none of them is lost",
    causes=("the network",),
)
def stolen_proof(lab):
    server = OwnServer(lab, FOLDER, PORT)
    serve(lab)
    relay, seen, broken = Relay(lab), [], []
    for what, act in WAYS.items():
        attempt = Attempt(lab, relay, server)
        lost = act(attempt, relay, server)
        must(attempt.spent, f"{what}: nothing was tried")
        seen.append(f"{what}: {told(attempt.spent)}")
        if lost:
            broken.append(f"{what}: {', '.join(lost)}")
    must(not broken, f"{'; '.join(broken)}. All: {'; '.join(seen)}")
    return "; ".join(seen)
