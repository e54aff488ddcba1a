"""Wrong guesses spread over programs, and ways to reset their count without knowing the value."""

import pathlib

from attack import faillock, peer, wire
from attack.rows.session import wish
from lab import hosts
from lab.listener import serve
from lab.table import baseline, must, row
from lab.waiting import at_once

LIMIT = 5


def tries(lab, person):
    """A person's remaining tries: (local, remote)."""
    standing = lab.status(person)["authenticators"][0]
    return standing["remainingTries"], standing["remote"]["remainingTries"]


def ask_everywhere(lab, *sudoers):
    """Real hosts, with the shipped stacks."""
    for service in ("sudo", "su", "login", "sshd"):
        hosts.ask_uaf(lab, service)
    hosts.sudoers(lab, *sudoers)


@row(
    "A26",
    f"guesses spread over sudo, su and login; over ssh and another remote service; limit {LIMIT}",
    "one count for the person's own attempts, one for remote attempts, one for other users at su; at its limit, all "
    "attempts of that kind are refused",
    causes=("a local user", "somebody remote"),
)
def spread(lab):
    person, far, neighbour = lab.person(), lab.person(), lab.person(registered=False)
    ask_everywhere(lab, f"{person.name} ALL=(root) ALL", f"{far.name} ALL=(root) ALL")
    hosts.sshd(lab)
    local = {
        "sudo": lambda value: hosts.sudo(person, value),
        "su": lambda value: hosts.su(person, person, value),
        "login": lambda value: hosts.console(person, value),
    }
    remote = {
        "ssh": lambda value: hosts.ssh(far.name, value),
        "the other": lambda value: lab.login(far, value, remote="198.51.100.7"),
    }
    # A different user's su counts separately, before the rest and independent of it.
    others = at_once(*(lambda n=n: hosts.su(neighbour, person, f"wrong-{n}") for n in range(2)))
    must(not any(login.is_in for login in others), "a wrong value got in")
    must(tries(lab, person) == (LIMIT, LIMIT), f"after 2 guesses of another user {tries(lab, person)} are left")
    mark = lab.log.mark()
    wrong = [
        lambda: local["sudo"]("wrong-1"),
        lambda: local["su"]("wrong-2"),
        lambda: local["login"]("wrong-3"),
        lambda: local["sudo"]("wrong-4"),
        lambda: local["su"]("wrong-5"),
        lambda: remote["ssh"]("wrong-1"),
        lambda: remote["ssh"]("wrong-2"),
        lambda: remote["ssh"]("wrong-3"),
        lambda: remote["the other"]("wrong-4"),
        lambda: remote["the other"]("wrong-5"),
    ]
    must(not any(login.is_in for login in at_once(*wrong)), "a wrong value got in")
    looked_at = lab.verdicts(mark, person).count(hosts.WRONG), lab.verdicts(mark, far).count(hosts.WRONG)
    must(looked_at == (LIMIT, LIMIT), f"{looked_at} were looked at")
    must(tries(lab, person)[0] == 0, f"after {LIMIT} local guesses {tries(lab, person)} are left")
    must(tries(lab, far) == (LIMIT, 0), f"after {LIMIT} remote guesses {tries(lab, far)} (local, remote) are left")
    mark = lab.log.mark()
    everywhere = {
        **{name: (host, person) for name, host in local.items()},
        **{name: (host, far) for name, host in remote.items()},
    }
    logins = dict(
        zip(
            everywhere,
            at_once(*(lambda host=host, who=who: host(who.passcode) for host, who in everywhere.values())),
        )
    )
    accepted = [name for name, login in logins.items() if login.is_in]
    must(not accepted, f"locked, and the right value got in over {accepted}")
    refused = lab.verdicts(mark, person) + lab.verdicts(mark, far)
    must(set(refused) == {hosts.LOCKED}, f"refused with {refused}")
    must(hosts.sudo(far, far.passcode).is_in, "a remote lock stopped sudo on the machine itself")
    must(not hosts.su(neighbour, person, person.passcode).is_in, "locked, and another user got in by su")
    return (
        f"2 of another user at su counted apart; local: {LIMIT} looked at over sudo, su, login; "
        f"remote: {LIMIT} over ssh and another; then the right value refused ({hosts.LOCKED}) "
        f"over {', '.join(logins)}; the one locked remotely still in by sudo"
    )


@row(
    "A27",
    "sudo without a password (NOPASSWD), and with a cached ticket, between wrong guesses",
    "neither lowers a count",
    causes=("the person",),
)
def ticket(lab):
    free, cached = lab.person(), lab.person()
    ask_everywhere(
        lab,
        f"{free.name} ALL=(root) NOPASSWD: ALL",
        f"{cached.name} ALL=(root) ALL",
        f"Defaults:{cached.name} timestamp_timeout=5, timestamp_type=global",
    )
    must(hosts.sudo(cached, cached.passcode).is_in, "sudo lets nobody in")
    for person in (free, cached):
        lab.guesses(person, LIMIT - 2)
    mark = lab.log.mark()
    for person, what in ((free, "NOPASSWD"), (cached, "a ticket")):
        for _ in range(3):
            session = hosts.sudo(person)
            must(session.is_in and "Passcode" not in session.text, f"sudo with {what} said: {session.text}")
        must(tries(lab, person)[0] == 2, f"sudo with {what} left {tries(lab, person)[0]} tries instead of 2")
        lab.guesses(person, 2)
        must(not lab.login(person, person.passcode).is_in, f"with {what} there were more than {LIMIT} guesses")
    results = [lab.verdicts(mark, person) for person in (free, cached)]
    must(results == [[hosts.WRONG] * 2 + [hosts.LOCKED]] * 2, f"afterwards: {results}")
    return f"{LIMIT - 2} wrong, sudo 3 times unasked, 2 tries left as before; 2 more and locked, for NOPASSWD and a ticket alike"


@baseline("A27")
def ticket_baseline(lab):
    faillock.install(lab, "sudo")
    person = lab.person(registered=False)
    hosts.sudoers(lab, f"{person.name} ALL=(root) NOPASSWD: ALL")
    for _ in range(faillock.LIMIT - 1):
        faillock.login(person, "wrong", "sudo")
    counted = faillock.count(lab, person)
    unasked = hosts.sudo(person).is_in
    remain = faillock.count(lab, person)
    return unasked and remain == counted, f"{counted} failures counted; after sudo with NOPASSWD {remain} are left"


@row(
    "A28",
    "trying to clear the count: register again, change, reset, remove and add",
    "either a verification comes first, which counts like any other; or the count is kept",
    causes=("the person",),
)
def start_over(lab):
    serve(lab)
    begin = peer.begin
    # Through the person's own programs, which do not know the value.
    ways = {
        "change": begin(peer.CHANGE),
        "register again": begin(peer.REGISTER, authenticator="passcode"),
        "register another": begin(peer.REGISTER, authenticator="pattern"),
        "remove": begin(peer.DEREGISTER),
        "remove all": begin(peer.DEREGISTER_ALL),
        "reset": begin(peer.RESET),
        "forget": begin(peer.FORGET),
        "unlock": begin(peer.UNLOCK),
        "log in as another program": begin(peer.AUTHENTICATE, service="screensaver"),
    }
    forged = {
        "register with a code": peer.REGISTER,
        "reset with a code": peer.RESET,
        "remove with a code": peer.DEREGISTER,
        "remove all with a code": peer.DEREGISTER_ALL,
    }
    verified, kept = [], []
    people = {what: lab.person() for what in (*ways, *forged)}
    lab.configure(authenticators='["passcode", "pattern"]')
    for what, person in people.items():
        lab.guesses(person, LIMIT - 1)
        packet = ways.get(what)
        if packet is None:
            payload = pathlib.Path(lab.payload(person)).read_text().strip()
            payload = peer.forged_payload(payload, authCode=wire.MADE_UP)
            packet = begin(forged[what], payload=payload, authenticator="passcode")
        verdict = wish(person, packet)
        must(verdict is None or verdict[0] != 0, f"{what}: {verdict}")
        left = tries(lab, person)[0]
        must(left <= 1, f"{what}: {left} tries are left after {LIMIT - 1} wrong guesses")
        (verified if left == 0 else kept).append(what)
        mark = lab.log.mark()
        lab.guesses(person, 2)
        results = lab.verdicts(mark, person)
        must(results.count(hosts.WRONG) == left, f"{what}: then {results}")
        must(not lab.login(person, person.passcode).is_in, f"{what}: the right value got in after {LIMIT} wrong ones")
    must(set(verified) >= {"change", "remove"}, f"only {verified} asked for the value")
    return (
        f"after {LIMIT - 1} wrong guesses: the value asked for, and counted, by {', '.join(verified)}; refused "
        f"with the count kept: {', '.join(kept)}; then never more than {LIMIT} in all"
    )
