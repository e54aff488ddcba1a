"""A part of the fleet ends during logins, and a different one takes over."""

import time

from fleet.client import Refused
from fleet.stored import must_accept_once_at_most, must_have_all, must_refuse_again
from lab.table import must, row
from lab.waiting import until

PEOPLE = 8
# So many that there are enough before and after the failure.
LOGINS = 30
# The promised time after which logins work again.
BACK = 30


def revoke(lab, person):
    """Revokes somebody's keys; acknowledged when the command has ended."""
    lab.instances[0].run("revoke", person.name)
    must_be_revoked(lab, person)


def must_be_revoked(lab, person):
    for instance in lab.instances:
        channel = lab.channel(instance)
        try:
            person.login(channel)
        except Refused:
            continue
        finally:
            channel.close()
        must(False, f"a revoked key was accepted by {instance.name}")


def fail_over(lab, name, fail, moves=True):
    """People log in while `fail` breaks something; compares their results with the store afterwards."""
    lab.whole()
    people, revoked = lab.people(PEOPLE), lab.person()
    revoked.login(lab.channel())
    before = lab.cluster.primary()
    with lab.load(name, people) as load:
        load.for_(LOGINS / 3)
        revoke(lab, revoked)
        moment = time.time()
        fail()
        if moves:
            until(lambda: lab.cluster.primary() not in (None, before), "another primary", 2 * BACK)
        load.back_after(time.time(), 2 * BACK)
        load.for_(max(LOGINS / 3, LOGINS * 2 / 3 - (time.time() - moment)))
    gap = load.longest_gap(moment)
    load.must_be_honest()
    must(gap <= BACK, f"logins were away for {gap:.1f} s; meanwhile {dict(load.later)}")
    primary = lab.cluster.primary()
    must(primary is not None, "there is no primary")
    must(moves or primary is before, f"the primary was {before.name} and is {primary.name}")
    for instance in lab.instances:
        instance.start()
    channels = [lab.channel(instance) for instance in lab.instances]
    compared = must_have_all(primary.sql, load)
    tried = must_refuse_again(load, channels)
    unknown = must_accept_once_at_most(load, channels)
    must_be_revoked(lab, revoked)
    return (
        f"{compared}; longest wait {gap:.1f} s, later {sum(load.later.values())} times; {tried} answers sent again, each "
        f"refused; {len(load.unknown)} answers with unknown outcome, sent again: {sorted(set(map(str, unknown)))}"
    )


@row(
    "F1",
    "kill -9 of the primary's PostgreSQL under logins",
    "a standby takes over within 30 s; every yes is stored there, none is accepted again, nobody is told a definite no",
    causes=("the machine",),
    limit=240,
)
def primary(lab):
    return fail_over(lab, "F1", lambda: lab.cluster.primary().kill_postgres())


@row(
    "F2",
    "kill -9 of the primary's Patroni under logins: its PostgreSQL goes on as a second primary that nobody leads",
    "logins move to the new primary within 30 s; no yes is from the old one",
    causes=("the machine",),
    limit=240,
)
def patroni(lab):
    lab.whole()
    return fail_over(lab, "F2", lab.cluster.primary().patroni.kill)


@row(
    "F3",
    "kill -9 of one of two instances under logins",
    "the other one answers; every yes is stored, none is accepted again by either",
    causes=("the machine",),
    limit=180,
)
def instance(lab):
    return fail_over(lab, "F3", lab.instances[0].program.kill, moves=False)


@row(
    "F4",
    "kill -9 of etcd's leader under logins",
    "the primary stays; every yes is stored, none is accepted again",
    causes=("the machine",),
    limit=180,
)
def etcd(lab):
    lab.whole()
    leader = lab.cluster.etcd.members[lab.cluster.etcd.leader()]
    return fail_over(lab, "F4", leader.kill, moves=False)


@row(
    "F5",
    "the primary's machine stands still under logins until another one took over, and goes on as if nothing had happened",
    "logins move within 30 s; the old primary, which still takes itself for the primary, accepts no login",
    causes=("the machine",),
    limit=300,
)
def standstill(lab):
    lab.whole()
    old = lab.cluster.primary()

    def fail():
        old.patroni.freeze()
        old.freeze_postgres()
        lab.after(old.patroni.thaw)
        lab.after(old.thaw_postgres)

    seen = fail_over(lab, "F5", fail)
    old.thaw_postgres()
    old.patroni.thaw()
    people = lab.people(PEOPLE)
    with lab.load("F5-after", people) as load:
        load.for_(10)
    load.must_be_honest()
    return f"{seen}; then it was back: {must_have_all(lab.cluster.primary().sql, load)}"
