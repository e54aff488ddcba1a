"""Two instances over one store."""

import time

from fleet.single import Single
from fleet.stored import outcome
from lab.table import must, row
from lab.waiting import at_once

ROUNDS = 5


@row(
    "F6",
    "two instances started at once on an empty store, five times",
    "one schema; both serve: who registers at one logs in at the other",
    causes=("root",),
    limit=180,
)
def empty_store(lab):
    single = Single(lab)
    one, two = single.instances()
    for _ in range(ROUNDS):
        for instance in (one, two):
            instance.program.stop()
        single.empty()
        at_once(one.start, two.start)
        first, second = lab.channel(one), lab.channel(two)
        for instance, channel in ((one, second), (two, first)):
            lab.person(instance).login(channel)
    return f"{ROUNDS} times two of two served; each accepted who had registered at the other"


@row(
    "F7",
    "an answer that one instance has accepted is sent to the other one, and again to the first",
    "refused by both, with and without a counter",
    causes=("the network",),
    limit=120,
)
def replay_across(lab):
    single = Single(lab)
    instances = single.serve()
    channels = [lab.channel(instance) for instance in instances]
    seen = []
    for counts in (True, False):
        person = lab.person(instances[0], counts)
        for here, there in (channels, channels[::-1]):
            signed = person.sign(here)
            person.send(there, signed)
            seen += [outcome(signed, channel) for channel in (here, there)]
    must("yes" not in seen and "later" not in seen, f"sent again: {seen}")
    return f"asked at one, accepted by the other; sent again {len(seen)} times: {sorted(set(seen))}"


@row(
    "F8",
    "the same answer sent to both instances at the same moment, 40 times",
    "one success each time",
    causes=("the network",),
    limit=120,
)
def race(lab):
    single = Single(lab)
    instances = single.serve()
    channels = [lab.channel(instance) for instance in instances]
    person = lab.person(instances[0], counts=False)
    for _ in range(40):
        signed = person.sign(channels[0])
        outcomes = at_once(*(lambda channel=channel: outcome(signed, channel) for channel in channels))
        must(outcomes.count("yes") == 1, f"one answer, two instances: {outcomes}")
    return "40 times one success of two"


@row(
    "F9",
    "the clock of one instance is ten minutes fast, then slow",
    "no answer is accepted twice, even after the fast instance has deleted it as expired; logins at the other instance succeed",
    causes=("root", "the machine"),
    limit=120,
)
def clocks(lab):
    seen = []
    single = Single(lab)
    for shift in ("+600", "-600"):
        right, wrong = single.instances(clock=shift)
        right.start()
        wrong.start()
        channel, shifted = lab.channel(right), lab.channel(wrong)
        person, other = lab.person(right, counts=False), lab.person(right)
        accepted = [(here, person.sign(here)) for here in (channel, shifted)]
        for here, signed in accepted:
            outcome(signed, here)
        # At most once a second, when an instance stores something, it also deletes expired entries.
        time.sleep(1.1)
        codes = [outcome(other.sign(shifted), shifted) for _ in range(3)]
        codes += [outcome(other.sign(channel), shifted) for _ in range(3)]
        for _ in range(3):
            other.login(channel)
        time.sleep(1.1)
        other.login(channel)
        again = [outcome(signed, where) for _, signed in accepted for where in (channel, shifted)]
        must("yes" not in again, f"{shift} s: an answer was accepted twice: {again}")
        seen.append(f"{shift} s: asked and answered there {codes[:3]}, asked at the other {codes[3:]}, sent again {again}")
        single.stop_instances()
    return "; ".join(seen)


@row(
    "F18",
    "wrong answers for one account, one to each of two instances, where two are allowed; one of them is started again",
    "the next wrong one is told 'try again later' at both, and after the start; right answers are accepted at both",
    causes=("somebody remote",),
    limit=120,
)
def wrong_answers(lab):
    limits = ("--account-rate", "1", "--address-rate", "0", "--address-connections", "0")
    single = Single(lab)
    instances = single.serve(limits=limits)
    one, two = (lab.channel(instance) for instance in instances)
    person = lab.person(instances[0])
    right = person.sign(one)
    wrong = right.spoilt()
    started = time.monotonic()
    told = [outcome(wrong, channel) for channel in (one, two)]
    must("yes" not in told and "later" not in told, f"the first two wrong answers: {told}")
    beyond = [outcome(wrong, channel) for channel in (one, two)]
    instances[1].program.stop()
    instances[1].start()
    beyond.append(outcome(wrong, two))
    # After a minute, the rate limit allows further requests.
    must(time.monotonic() - started < 55, "this machine was too slow to tell")
    must(beyond == ["later"] * 3, f"wrong answers beyond the budget: {beyond}")
    accepted = [outcome(right, one), outcome(person.sign(two), two)]
    must(accepted == ["yes", "yes"], f"right answers afterwards: {accepted}")
    stored = single.sql("SELECT count(*) FROM uaf.wrongAnswer")
    must(stored == [["1"]], f"rows of wrong answers: {stored}")
    return f"two told {told}, then 'try again later' at both and after a start; right answers accepted at both"
