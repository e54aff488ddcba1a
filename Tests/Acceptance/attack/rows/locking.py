"""Locks that last for ever, and locks that a remote attacker puts on other people."""

import pathlib

from attack import clocks, faillock, peer
from attack.rows.session import wish
from attack.rows.spreading import ask_everywhere, tries
from lab import hosts
from lab.listener import serve
from lab.machine import Person
from lab.table import baseline, must, row
from lab.waiting import at_once

FAR = "198.51.100.7"
DAY, YEAR = 86400, 365 * 86400


@row(
    "A35",
    "the number of locks is used up (max_lock_count)",
    "locked permanently, for every host and after every wait; only root or a new enrolment ends it, which is logged",
    causes=("a local user",),
)
def for_good(lab):
    limit, lock = 2, 300
    policy = f"retry_count_to_lock = {limit}\nlock_time = {lock}\nmax_lock_count = "
    lab.configure(lock=policy + "1")
    person, again, neighbour = lab.person(), lab.person(), lab.person(registered=False)
    ask_everywhere(lab, f"{person.name} ALL=(root) ALL")
    for who in (person, again):
        lab.guesses(who, limit)
        lab.guesses(who, limit, prefix=clocks.later(lock + 1))
        must(lab.status(who)["authenticators"][0]["permanent"], "two locks, and none is permanent")
    mark, tried = lab.log.mark(), []

    def try_in(what, **options):
        must(not lab.login(person, person.passcode, **options).is_in, f"the right value got in {what}")
        tried.append(what)

    for what, session in zip(
        ("su", "sudo"),
        at_once(lambda: hosts.su(neighbour, person, person.passcode), lambda: hosts.sudo(person, person.passcode)),
    ):
        must(not session.is_in, f"the right value got in by {what}")
    tried += ["su", "sudo"]
    try_in("from afar", remote=FAR)
    try_in("ten years later", prefix=clocks.later(10 * YEAR))
    lab.configure(lock=policy + "10")
    try_in("with more locks allowed now")
    lab.configure(lock=policy + "0")
    try_in("with max_lock_count = 0")
    clocks.reboot(lab)
    try_in("a day after a reboot", prefix=clocks.since_boot(DAY))
    results = lab.verdicts(mark, person)
    must(results == [hosts.LOCKED_FOR_GOOD] * len(tried), f"in the log: {results}")
    # From here on the listener starts the core, so the core uses the listener's clock.
    serve(lab)
    own = {b"passcode": person.passcode}
    for name in ("authenticate", "change", "register", "deregister", "deregister-all", "reset", "unlock", "forget"):
        verdict = wish(person, peer.begin(peer.OPERATIONS[name], authenticator="passcode"), own)
        must(verdict and verdict[0] != 0, f"{name} over the socket, with the right value: {verdict}")
        must(lab.status(person)["authenticators"][0]["permanent"], f"{name} over the socket took the lock away")
    mark = lab.log.mark()
    lab.run("uafctl", "unlock", person.name)
    told = lab.log.since(mark, "event=unlock result=0")
    must(any("event=unlock" in line and person.name in line for line in told), f"root's unlock is not told: {told}")
    must(lab.login(person, person.passcode).is_in, "unlocked by root, and still locked")
    # A code can remove a person's value only if the server's confirmation must be signed.
    lab.configure(lock=policy + "0", server='require_signed_verdict = true\nverdict_key = "/srv/uaf/verdict.pub"')
    mark = lab.log.mark()
    for operation in (peer.RESET, peer.REGISTER):
        payload = pathlib.Path(lab.payload(again)).read_text().strip()
        verdict = wish(again, peer.begin(operation, payload=payload), {b"passcode": "another-kite-12"})
        must(verdict and verdict[0] == 0, f"operation {operation} with a code has {verdict}")
    told = " ".join(lab.log.since(mark, "event=register"))
    must(all(f"event={what}" in told for what in ("reset", "register")), f"a new enrolment is not in the log: {told}")
    must(not lab.login(again, again.passcode).is_in, "after a new enrolment the old value got in")
    must(lab.login(again, "another-kite-12").is_in, "after a new enrolment the new value is refused")
    return (
        f"{hosts.LOCKED_FOR_GOOD} for the right value by {', '.join(tried)}; 8 operations over the socket took "
        "nothing away; root's unlock and a new enrolment by code did, each with its line in the log"
    )


def knock(name, port):
    """Tries logins that sshd always refuses, with entries of many lengths: sshd gives PAM junk of the same length."""
    entries = ("", "x", "xxxx", "x" * 9, "x" * 13, "x" * 14, "x" * 64, "x" * 250)
    return at_once(*(lambda entry=entry: hosts.ssh(name, entry, port=port) for entry in entries))


@row(
    "A38",
    "locking others remotely: guesses for every account; sshd's junk for accounts that it refuses",
    "junk is not counted; remote locks and another user's locks do not stop local logins, end by themselves, and are "
    "never permanent",
    causes=("somebody remote", "a local user"),
)
def from_afar(lab):
    limit, lock = 5, 300
    lab.configure(lock=f"retry_count_to_lock = {limit}\nlock_time = {lock}\nmax_lock_count = 0")
    ask_everywhere(lab)
    denied, root = lab.person(), Person("root", 0, "amber-kite-root")
    lab.register(root)
    lab.after(lambda: lab.run("uafctl", "forget", "root"))
    hosts.sshd(lab, 2222, f"DenyUsers {denied.name}", "PermitRootLogin no")
    mark = lab.log.mark()
    knocks = [session for who in (denied, root) for session in knock(who.name, 2222)]
    must(not any(session.is_in for session in knocks), "sshd let in whom it refuses")
    seen = [len(lab.verdicts(mark, who)) for who in (denied, root)]
    must(seen == [8, 8], f"sshd asked the module {seen} times")
    left = [tries(lab, who) for who in (denied, root)]
    must(left == [(limit, limit)] * 2, f"junk was counted: {left} tries are left")
    # Attempts at all accounts, from one address.
    people = [lab.person() for _ in range(4)]
    for person in people:
        lab.guesses(person, limit, remote=FAR)
        must(not lab.login(person, person.passcode, remote=FAR).is_in, "no lock came of it")
    left = [tries(lab, person) for person in people]
    must(left == [(limit, 0)] * 4, f"remote guesses left {left} (local, remote) tries")
    # And a different user of the machine, with su, at the same time.
    lab.guesses(people[0], limit, prefix=hosts.called_by(lab.person(registered=False)))
    others = lab.status(people[0])["authenticators"][0]["otherUser"]
    must(others["remainingLockSeconds"] > 0, f"another user's guesses locked nothing: {others}")
    must(all(lab.login(person, person.passcode).is_in for person in people), "others' locks keep a local login out")
    # Attempts at one account, repeatedly: for weeks by the boot clock.
    victim, now, lengths = lab.person(), 0, []
    for _ in range(12):
        prefix = clocks.later(now) if now else ()
        lab.guesses(victim, limit, remote=FAR, prefix=prefix)
        remote = lab.status(victim, prefix)["authenticators"][0]["remote"]
        must(not remote["permanent"], f"lock {len(lengths) + 1} from afar is for good")
        lengths.append(remote["remainingLockSeconds"])
        now += remote["remainingLockSeconds"] + 1
    must(lengths == sorted(lengths) and 0 < lengths[-1] <= DAY, f"locks from afar last {lengths} s")
    must(lab.login(victim, victim.passcode, remote=FAR, prefix=clocks.later(now)).is_in, "the last lock did not end")
    return (
        f"16 entries for a denied user and for root became junk, {limit} tries left each; 4 accounts locked from "
        f"afar, one by another user too, and let in locally; 12 locks in a row of {lengths[0]} to {lengths[-1]} s, "
        "then let in from afar"
    )


@baseline("A38")
def from_afar_baseline(lab):
    faillock.install(lab, "sshd")
    denied, victim = lab.person(registered=False), lab.person(registered=False)
    hosts.sshd(lab, 2222, f"DenyUsers {denied.name}")
    knock(denied.name, 2222)
    junk = faillock.count(lab, denied)
    for _ in range(faillock.LIMIT):
        faillock.login(victim, "wrong", "sshd", remote=FAR)
    accepted = faillock.login(victim, victim.password, "sshd").is_in
    return junk == 0 and accepted, f"{junk} of sshd's junk answers counted; locked from afar, a local login is " + (
        "let in" if accepted else "refused"
    )
