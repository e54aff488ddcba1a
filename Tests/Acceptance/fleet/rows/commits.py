"""A commit with an unknown result, or one that never reached the standby."""

import threading
import time

from fleet.between import ADDRESS, Between
from fleet.client import Later, Refused
from fleet.single import Single
from fleet.stored import outcome
from lab.table import Broken, must, row
from lab.waiting import until

# How long an instance may wait before it gives up on a commit, with reserve for a busy machine.
GIVES_UP = 60


class Sending:
    """Sends an answer in a separate thread; `said` is the result."""

    def __init__(self, channel, signed):
        self.said = None
        self._thread = threading.Thread(target=self._send, args=(channel, signed), daemon=True)
        self._thread.start()

    def _send(self, channel, signed):
        try:
            signed.person.send(channel, signed)
            self.said = "yes"
        except Later as reason:
            self.said = f"later: {reason}"
        except Refused as reason:
            self.said = reason.status
        except Exception as reason:
            self.said = f"the client: {reason!r}"

    def wait(self):
        self._thread.join(GIVES_UP)
        must(not self._thread.is_alive(), f"no word after {GIVES_UP} s")
        return self.said


def swallowed(lab, single, between, instances, counts, how):
    """One login whose commit's answer is swallowed; returns the client's results, then and afterwards."""
    victim = instances[0]
    person = lab.person(victim, counts)
    channels = [lab.channel(instance) for instance in instances]
    signed = person.sign(channels[0])
    between.arm()
    sending = Sending(channels[0], signed)
    must(between.committed.wait(GIVES_UP), f"no commit was seen; the client was told {sending.said}")
    is_used = single.sql(f"SELECT count(*) FROM uaf.usedChallenge WHERE encode(hash, 'hex') = '{signed.digest}'")
    must(is_used == [["1"]], f"not committed when its answer was swallowed: {is_used}")
    how()
    told = sending.wait()
    must(told != "yes", "a commit with unknown outcome was told as success")
    must(str(told).startswith("later"), f"a commit with unknown outcome was told as a definite no: {told}")
    between.let_go()
    victim.start()
    again = [outcome(signed, channel) for channel in channels]
    must("yes" not in again and "later" not in again, f"what was committed is sent again: {again}")
    # The person can log in again, at both instances.
    for channel in channels:
        until(lambda channel=channel: _logs_in(person, channel), "a login after it")
    return f"{told}; sent again {again}"


def _logs_in(person, channel):
    try:
        return person.login(channel)
    except Later:
        return None


def scene(lab):
    single = Single(lab)
    between = Between(lab, (single.ADDRESS, 5432))
    return single, between, single.serve(address=ADDRESS, port=between.port)


@row(
    "F10",
    "the connection to PostgreSQL ends between a commit and its answer, with and without a counter",
    "told as 'try again later'; the same answer is refused afterwards by both instances, another login succeeds",
    causes=("the network",),
    limit=240,
)
def cut(lab):
    single, between, instances = scene(lab)
    seen = [swallowed(lab, single, between, instances, counts, between.let_go) for counts in (True, False)]
    return "; ".join(seen)


@row(
    "F11",
    "PostgreSQL says nothing any more after a commit",
    "the instance gives up, tells 'try again later', and is back by itself; the same answer is refused afterwards",
    causes=("the network",),
    limit=240,
)
def silence(lab):
    single, between, instances = scene(lab)
    started = time.monotonic()
    seen = swallowed(lab, single, between, instances, False, lambda: None)
    return f"{seen}; within {time.monotonic() - started:.1f} s"


@row(
    "F12",
    "kill -9 of the instance between its commit and its answer",
    "the client has no success; the same answer is refused by the other instance, and by the first one when it is back",
    causes=("the machine",),
    limit=240,
)
def killed(lab):
    single, between, instances = scene(lab)
    return swallowed(lab, single, between, instances, False, instances[0].program.kill)


def waiting_commit(node):
    """The process ids of commits that wait for a standby."""
    found = node.sql("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND usename = 'uaf_server'")
    return [process for (process,) in found]


@row(
    "F13",
    "a synchronous commit is cancelled, or its connection ended, by PostgreSQL's administrator while the standbys stand still",
    "never told as success; the same answer is accepted by nobody afterwards",
    causes=("root",),
    limit=300,
)
def cancelled(lab):
    lab.whole()
    seen = []
    for function in ("pg_cancel_backend", "pg_terminate_backend"):
        primary, standbys = lab.cluster.primary(), lab.cluster.standbys()
        channels = [lab.channel(instance) for instance in lab.instances]
        person = lab.person(counts=False)
        signed = person.sign(channels[0])
        for standby in standbys:
            standby.freeze_postgres()
            lab.after(standby.thaw_postgres)
        sending = Sending(channels[0], signed)
        process = until(lambda: waiting_commit(primary) or sending.said, "a commit that waits for a standby")
        must(sending.said is None, f"told {sending.said} without a standby")
        primary.sql(f"SELECT {function}({process[0]})")
        told = sending.wait()
        for standby in standbys:
            standby.thaw_postgres()
        if told == "yes":
            raise Broken(f"{function}: a commit that no standby has was told as success")
        must(str(told).startswith("later"), f"{function}: told as a definite no: {told}")
        again = [outcome(signed, channel) for channel in channels]
        must(again.count("yes") <= 1, f"{function}: accepted twice: {again}")
        seen.append(f"{function}: {told}; sent again {again}")
        for channel in channels:
            until(lambda channel=channel: _logs_in(person, channel), "a login after it")
        lab.whole()
    return "; ".join(seen)


@row(
    "F14",
    "both standbys stand still under logins, then go on",
    "meanwhile no yes, and no definite no; afterwards logins are answered again by themselves",
    causes=("the machine",),
    limit=240,
)
def no_standby(lab):
    lab.whole()
    people, standbys = lab.people(4), lab.cluster.standbys()
    with lab.load("F14", people) as load:
        load.for_(3)
        for standby in standbys:
            standby.freeze_postgres()
            lab.after(standby.thaw_postgres)
        time.sleep(1)
        frozen = time.time()
        load.for_(15)
        told = [yes for yes in load.yes if yes.acknowledged > frozen]
        for standby in standbys:
            standby.thaw_postgres()
        gap = load.back_after(time.time(), 60)
    must(load.later, "nobody was told to try again later")
    must(not told, f"{len(told)} logins were acknowledged without a standby")
    load.must_be_honest()
    return f"no yes for 15 s without standbys, {dict(load.later)}; longest wait {gap:.1f} s"
