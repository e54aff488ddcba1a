"""Locks that one local user causes for a different user."""

from attack import clocks
from attack.rows.spreading import ask_everywhere
from lab import hosts
from lab.table import must, row
from lab.waiting import at_once

LIMIT, LOCK, DAY = 5, 300, 86400
# Enough locks for the last one to last a day, each twice as long as the one before.
IN_A_ROW = 10
LOCKS = f"retry_count_to_lock = {LIMIT}\nlock_time = {LOCK}\nmax_lock_count = "


def standing(lab, person, prefix=()):
    """The state of a person's own attempts and of other users' attempts: (tries left, seconds of a lock, permanent)."""
    told = lab.status(person, prefix)["authenticators"][0]
    parts = told, told.get("otherUser")
    return [part and (part["remainingTries"], part["remainingLockSeconds"], part["permanent"]) for part in parts]


@row(
    "A48",
    "trying to lock another local user permanently: wrong values for that name in su, again and again",
    "they lock su only for other users, and for a limited time; the person's own sudo, su, console and ssh still work",
    causes=("a local user",),
)
def by_another_user(lab):
    lab.configure(lock=LOCKS + "0")
    person, stranger, third = lab.person(), lab.person(registered=False), lab.person(registered=False)
    ask_everywhere(lab, f"{person.name} ALL=(root) ALL")
    hosts.sshd(lab)
    mark = lab.log.mark()
    wrong = at_once(*(lambda n=n: hosts.su(stranger, person, f"wrong-guess-{n}") for n in range(2 * LIMIT)))
    must(not any(session.is_in for session in wrong), "a wrong value got in")
    looked = lab.verdicts(mark, person).count(hosts.WRONG)
    must(looked == LIMIT, f"{looked} guesses were looked at, limit {LIMIT}")
    ways = {
        "sudo": lambda: hosts.sudo(person, person.passcode),
        "su": lambda: hosts.su(person, person, person.passcode),
        "console": lambda: hosts.console(person, person.passcode),
        "ssh": lambda: hosts.ssh(person.name, person.passcode),
    }
    refused = at_once(*(lambda who=who: hosts.su(who, person, person.passcode) for who in (stranger, third)))
    must(not any(session.is_in for session in refused), "locked, and su lets other users in")
    own, others = standing(lab, person)
    must(own == (LIMIT, 0, False) and others and others[1] > 0 and not others[2], f"told of both: {own}, {others}")
    logins = dict(zip(ways, at_once(*ways.values())))
    must(all(login.is_in for login in logins.values()), f"locked by a stranger: {logins}")
    # Repeatedly: for weeks by the boot clock. A right value takes a count back, so this uses a different person.
    victim, now, lengths = lab.person(), 0, []
    for _ in range(IN_A_ROW):
        lab.guesses(victim, LIMIT, prefix=hosts.called_by(stranger, *clocks.later(now)))
        own, others = standing(lab, victim, clocks.later(now))
        must(own == (LIMIT, 0, False), f"after {len(lengths) + 1} locks of a stranger's his own: {own}")
        must(others and others[1] > 0 and not others[2], f"lock {len(lengths) + 1}: {others}")
        lengths.append(others[1])
        now += others[1] + 1
    must(lengths == sorted(lengths) and DAY - LOCK < lengths[-1] <= DAY, f"locks by a stranger last {lengths} s")
    must(lab.login(victim, victim.passcode).is_in, f"locked {IN_A_ROW} times by a stranger, and his own login is refused")
    return (
        f"{len(wrong)} at su, {looked} looked at; then su refuses the right value to the stranger and a third user, "
        f"and lets the person in by {', '.join(ways)}; {IN_A_ROW} locks in a row of {lengths[0]} to {lengths[-1]} s, none "
        "for good"
    )


@row(
    "A66",
    "a stranger's lock across reboots and under other clocks; a local lock and a stranger",
    "each count uses only the boot clock; the person's own lock stops strangers too; root's unlock ends both",
    causes=("a local user", "root"),
)
def in_time(lab):
    lab.configure(lock=LOCKS + "10")
    person, own, early, stranger = lab.person(), lab.person(), lab.person(), lab.person(registered=False)
    for who in (person, early):
        lab.guesses(who, LIMIT, prefix=hosts.called_by(stranger))

    def by_stranger(who, *before):
        return lab.login(who, who.passcode, prefix=hosts.called_by(stranger, *before))

    must(not by_stranger(person).is_in, "no lock came of it")
    earlier, seconds = clocks.earlier(3600)
    # A lock that began in the future runs from the next check on. So this check needs a different person.
    back = standing(lab, early, earlier)[1]
    must(back and 0 < back[1] <= LOCK, f"with the boot clock {seconds} s back: {back}")
    must(not by_stranger(person, *clocks.later(LOCK - 60)).is_in, "it ended a minute early")
    clocks.reboot(lab)
    must(not by_stranger(person, *clocks.since_boot(20)).is_in, "the reboot ended it")
    remaining = standing(lab, person, clocks.since_boot(20))[1][1]
    must(LOCK - 60 < remaining <= LOCK - 20, f"20 s after the boot {remaining} s are left")
    must(
        lab.login(person, "wrong-in-the-end", prefix=clocks.since_boot(20)).code != hosts.MAXTRIES,
        "after a reboot it locks his own login",
    )
    must(by_stranger(person, *clocks.since_boot(LOCK + 1)).is_in, f"{LOCK + 1} s after the boot it still stands")
    # The lock that the person causes.
    lab.guesses(own, LIMIT)
    mark = lab.log.mark()
    must(not by_stranger(own).is_in, "his own lock does not stop a stranger with the right value")
    must(lab.verdicts(mark, own) == [hosts.LOCKED], f"a stranger is told {lab.verdicts(mark, own)}")
    lab.guesses(own, LIMIT, prefix=hosts.called_by(stranger))
    must(standing(lab, own)[0][1] > 0, "guesses of a stranger ended his own lock")
    lab.guesses(person, LIMIT, prefix=hosts.called_by(stranger, *clocks.since_boot(LOCK + 10)))
    for who in (person, own):
        lab.run("uafctl", "unlock", who.name)
        must(by_stranger(who).is_in, "unlocked by root, and a stranger with the right value is refused")
    return (
        f"boot clock {seconds} s back: {back[1]} s left; 20 s after a reboot {remaining} s, over after {LOCK + 1} s; "
        f"his own lock refuses a stranger ({hosts.LOCKED}); root's unlock ends both"
    )
