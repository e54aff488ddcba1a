"""New keys for two instances during logins, and how long the old keys stay valid."""

import itertools
import time

from fleet.client import Refused
from fleet.load import Load
from fleet.programs import as_user
from fleet.single import Single
from fleet.stored import must_have_all, outcome
from lab.table import must, row
from lab.waiting import until

PEOPLE = 6
# Seconds until a new key is used: enough to give it to two instances on a busy machine.
KNOWN_BEFORE = 15
DAY, MARGIN = 86_400, 600
INVALID, UNAUTHORIZED = 1491, 1401


class Crossing:
    """Requests a login at one instance and answers at the other."""

    def __init__(self, asked, answered):
        self._asked, self._answered = asked, answered

    @property
    def certificate(self):
        return self._asked.certificate

    def post(self, path, body):
        return (self._asked if path == "/uaf/get" else self._answered).post(path, body)

    def close(self):
        self._asked.close()
        self._answered.close()


@row(
    "F19",
    "both keys are rotated at one of two instances under logins that are asked for at one and answered at the other one",
    "no login is refused or told to come back; each instance signs with the old key, then with the new one",
    causes=("root",),
    limit=240,
)
def under_load(lab):
    single = Single(lab)
    instances = single.serve()
    one, two = instances
    people = lab.people(PEOPLE, one)
    ways = itertools.cycle((instances, instances[::-1]))
    old = lab.verdicts.accept((one.state / "verdict.pub").read_bytes())
    with Load("F19", people, lambda: Crossing(*map(lab.channel, next(ways)))) as load:
        load.back_after(time.time(), 60)
        for kind in ("secret", "verdict"):
            one.rotate(kind, KNOWN_BEFORE)
        # Workstations first, then one instance after another, as docs/server.md has it.
        names = lab.verdicts.accept((one.state / "verdict.pub").read_bytes())
        one.reload()
        load.back_after(time.time(), 60)
        two.share(one)
        two.reload()
        new = [name for name in names if name not in old]
        must(len(new) == 1, f"verdict.pub names {names}, before the rotation {old}")
        must(not lab.verdicts.seen[new[0]], "the new key was used before its time")
        until(lambda: lab.verdicts.seen[new[0]] >= 4 * PEOPLE, "verdicts of the new key", 90)
        moment, before = time.time(), lab.verdicts.seen.copy()
        load.back_after(moment, 60)
        load.for_(3)
    load.must_be_honest()
    must(not load.later, f"told to try again later: {dict(load.later)}")
    since = lab.verdicts.seen - before
    must(set(since) == set(new), f"signed after the change: {since}")
    for instance in instances:
        words = listed(instance)
        must(words.count("in-use") == 3 and words.count("accepted") == 2, f"{instance.name}: keys {words}")
    compared = must_have_all(single.sql, load)
    return f"{compared}; {sum(before.values())} verdicts before the last change was seen, {sum(since.values())} after it"


def listed(instance):
    """The output of `keys list`, split into words."""
    return as_user("uaf-server", "keys", "list", "--state", instance.state).stdout.split()


@row(
    "F20",
    "a request and a proof made with the old keys, ten minutes before and after the day for which they are accepted",
    "accepted before, refused after",
    causes=("the network",),
    limit=180,
)
def a_day_later(lab):
    single = Single(lab)
    plain, rotated = single.instance(), single.instance()
    plain.start()
    for kind in ("secret", "verdict"):
        rotated.rotate(kind, 0)
    lab.verdicts.accept((rotated.state / "verdict.pub").read_bytes())
    seen = []
    for shift, expected in ((DAY - MARGIN, ["yes", "yes"]), (DAY + MARGIN, [INVALID, UNAUTHORIZED])):
        old, new = single.instance(clock=f"+{shift}"), single.instance(clock=f"+{shift}")
        new.share(rotated)
        for instance in (old, new):
            instance.start()
        at_old, at_new = lab.channel(old), lab.channel(new)
        person = lab.person(plain)
        must(outcome(person.sign(at_new), at_new) == "yes", "the new keys are not accepted")
        answered = outcome(person.sign(at_old), at_new)
        proof = person.send(at_old, person.sign(at_old, proofFor="Dereg")).token
        try:
            person.deregister(at_new, proof)
            proved = "yes"
        except Refused as reason:
            proved = reason.status
        must([answered, proved] == expected, f"after {shift} s: the answer {answered}, the proof {proved}")
        seen.append(f"after {shift} s: answer {answered}, proof {proved}")
    return "; ".join(seen)
