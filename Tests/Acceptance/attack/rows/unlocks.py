"""Helpdesk unlocks that other people use, or that are used where or when they are not valid."""

import json
import os
import pathlib
import pwd

from attack import clocks, peer
from attack.signing import SERVER, Signer, claims_of, flipped, unsigned
from lab import listener
from lab.machine import STATE
from lab.table import must, row

TRIES, LOCK, GUESSES, BEFORE_A_PAUSE, BITS = 3, 4 * 3600, 20, 5, 60
KIND = "unlock+jwt"
LINE = pathlib.Path("/tmp/unlock-line")
# Crockford's base32, as docs/protocol.md has it.
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
SIGNED = 'require_signed_verdict = true\nverdict_key = "/srv/uaf/verdict.pub"'
ELSEWHERE = pathlib.Path("/var/lib/pam-uaf-elsewhere")


def configure(lab, state=STATE):
    lab.configure(
        lock=f"retry_count_to_lock = {TRIES}\nlock_time = {LOCK}\nmax_lock_count = 9",
        server=SIGNED,
        cost=f'10\ndirectory = "{state}"',
    )


def machines(lab):
    """The machines that the server knows: how many keys are on each, by its id."""
    said = lab.run("uaf-server", "machines", "--state", SERVER, "--json").stdout
    return {known["device"]: known["keys"] for known in map(json.loads, filter(None, said.splitlines()))}


def register_here(lab, person):
    """Registers somebody; returns the ID of the machine on which the key is new."""
    before = machines(lab)
    lab.register(person)
    return next(device for device, keys in machines(lab).items() if keys != before.get(device, 0))


class Desk:
    """The helpdesk, and the machine with this id: issues unlocks, and checks the results of tries."""

    def __init__(self, lab, device):
        self.lab, self.device, self.refused = lab, device, 0

    def give(self, person, lifetime=3600):
        """The payload and the characters of a new unlock."""
        arguments = ("--machine", self.device, "--lifetime", lifetime, "--reason", "a row", "--state", SERVER, "--json")
        said = self.lab.run("uaf-server", "unlock", person.name, *arguments).stdout
        given = json.loads(next(line for line in said.splitlines() if line.startswith("{")))
        return given["payload"], given["codes"][0]["code"]

    def lock(self, person, **options):
        self.lab.guesses(person, TRIES, **options)
        must(self.is_locked(person), f"{TRIES} wrong entries lock nothing")

    def is_locked(self, person):
        return self.lab.status(person)["authenticators"][0]["remainingLockSeconds"] > 0

    def use(self, person, payload=None, code=None, prefix=()):
        """Root enters the unlock for a person."""
        if payload is None:
            return self.lab.run(*prefix, "uafctl", "unlock", "--code", person.name, answers=f"{code}\n", check=False)
        LINE.write_text(payload + "\n")
        return self.lab.run(*prefix, "uafctl", "unlock", "--payload", LINE, person.name, check=False)

    def refuses(self, what, why, person, **unlock):
        """An unlock that ends no lock; the log gives the reason."""
        mark = self.lab.log.mark()
        said = self.use(person, **unlock)
        told = [line for line in self.lab.log.since(mark, "event=unlock") if "event=unlock" in line]
        must(said.returncode != 0, f"{what}: taken: {said.stdout.strip()}")
        must(self.is_locked(person), f"{what}: refused, and the lock has ended")
        must(any(why in line for line in told), f"{what}: not {why!r} in the log: {told}")
        self.refused += 1

    def accepts(self, what, person, **unlock):
        """An unlock that ends the lock, but logs nobody in by itself."""
        said = self.use(person, **unlock)
        must(said.returncode == 0 and not self.is_locked(person), f"{what}: the good one is refused: {said.stdout.strip()}")
        must(self.lab.login(person, person.passcode).is_in, f"{what}: unlocked, and not let in")


def for_others(desk, person, neighbour):
    """One person's unlock, used by a different, unprivileged person who is also locked."""
    payload, code = desk.give(person)
    LINE.write_text(payload + "\n")
    LINE.chmod(0o644)

    def as_neighbour():
        account = pwd.getpwnam(neighbour.name)
        os.initgroups(account.pw_name, account.pw_gid)
        os.setgid(account.pw_gid)
        os.setuid(account.pw_uid)

    tried, mark = 0, desk.lab.log.mark()
    own = [("--payload", LINE), ("--code",)]
    for arguments in own + [(*how, person.name) for how in own]:
        said = desk.lab.run("uafctl", "unlock", *arguments, answers=f"{code}\n", check=False, preexec_fn=as_neighbour, cwd="/")
        must(said.returncode != 0, f"{neighbour.name} unlocks with {arguments}: {said.stdout}")
        tried += 1
    # Without uafctl, which would refuse by itself.
    for unlock in (payload, code):
        for named in ({"account": person.name, "uid": person.uid}, {"uid": person.uid}, {"account": person.name}):
            verdict = peer.verdict(peer.converse(neighbour.uid, peer.begin(peer.UNLOCK, payload=unlock, **named)))
            must(verdict is None or verdict[0] != 0, f"{neighbour.name} unlocks over the socket, naming {named}: {verdict}")
            tried += 1
    told = " ".join(desk.lab.log.since(mark, "for a different account"))
    must("for a different account" in told and "wrong; " in told, f"the tries have not reached the core: {told}")
    must(desk.is_locked(person) and desk.is_locked(neighbour), "somebody without root has ended a lock by another's unlock")
    desk.refused += tried
    desk.accepts("after those tries", person, payload=payload)


def elsewhere(desk, person, payload, code):
    """The same person on a different machine, which has a different state folder."""
    lab = desk.lab
    ELSEWHERE.mkdir(mode=0o700)
    lab.after(lambda: lab.run("rm", "-r", ELSEWHERE))
    configure(lab, ELSEWHERE)
    lab.run("uafctl", "init")
    must(register_here(lab, person) != desk.device, "the other state folder is not another machine")
    desk.lock(person)
    desk.refuses("another machine, payload", "a different machine", person, payload=payload)
    desk.refuses("another machine, code", "wrong; ", person, code=code)
    configure(lab)


def timed(desk, person, wall):
    """An unlock after its validity, before it, and for a lock that began later."""
    desk.lock(person)
    payload, code = desk.give(person, lifetime=600)
    wall.move(661)
    desk.refuses("after its time, payload", "it has expired", person, payload=payload)
    desk.refuses("after its time, code", "it has expired", person, code=code)
    wall.move(-361)
    desk.refuses("before its time, payload", "from the future", person, payload=payload)
    wall.move(0)
    desk.accepts("in its time", person, payload=payload)


def later_lock(desk, person, wall):
    payload, code = desk.give(person)
    wall.move(400)
    desk.lock(person)
    desk.refuses("a lock that began later, payload", "older than a lock", person, payload=payload)
    desk.refuses("a lock that began later, code", "older than a lock", person, code=code)
    wall.move(0)


def forged(desk, person, neighbour):
    """Payloads that others or nobody have signed, and copies of them with one bit changed."""
    payload, _ = desk.give(person)
    claims, stranger, server = claims_of(payload), Signer.stranger(), Signer.server()
    unread = "neither signed by this machine's server nor a code"
    desk.refuses("another key", unread, person, payload=stranger.sign(KIND, claims, like=payload))
    desk.refuses("nobody", unread, person, payload=unsigned(KIND, claims))
    desk.refuses("another type", unread, person, payload=server.sign("workstation-policy+jwt", claims))
    desk.refuses("another person", "a different account", neighbour, payload=payload)
    named = server.sign(KIND, {**claims, "device": "0" * len(claims["device"])}, like=payload)
    desk.refuses("signed for another machine", "a different machine", person, payload=named)
    for number, changed in enumerate(flipped(payload, BITS)):
        desk.refuses(f"changed bit {number}", unread, person, payload=changed)
    # An unlock that the row signs itself is valid if its content is the server's.
    desk.accepts("signed by the row with the server's key", person, payload=server.sign(KIND, claims, like=payload))


def guessed(desk, person):
    """Guessed characters, and characters that differ from the right ones in one bit."""
    payload, code = desk.give(person)
    right = code.replace("-", "")
    for number in range(GUESSES):
        place = number * 7 % len(right)
        letter = LETTERS[LETTERS.index(right[place]) ^ 1 << number % 5]
        why = "wrong; " if number < BEFORE_A_PAUSE else "not checked"
        desk.refuses(f"guess {number + 1}", why, person, code=right[:place] + letter + right[place + 1 :])
    desk.refuses("the right code among guesses", "not checked", person, code=code)
    desk.accepts("the payload while codes are held", person, payload=payload)


def used_twice(desk, person):
    """The valid unlock's characters end the lock once, and no later lock."""
    payload, code = desk.give(person)
    desk.accepts("24 characters", person, code=code)
    desk.lock(person)
    desk.refuses("the same code again", "this unlock or a later one was used already", person, code=code)
    desk.refuses("the payload of the same unlock", "this unlock or a later one was used already", person, payload=payload)


@row(
    "A84",
    "an unlock used twice, on another machine, for another person, after it expired, for a later lock, forged, changed, guessed",
    f"none ends a lock, and the log says why; after {BEFORE_A_PAUSE} wrong codes no code is checked; the right one ends it once",
    causes=("the person", "a local user", "root"),
)
def attacked(lab):
    configure(lab)
    listener.serve(lab)
    neighbour = lab.person(registered=False)
    desk = Desk(lab, register_here(lab, neighbour))
    shared, twice, moved, wrong, later, guesser, made = (lab.person() for _ in range(7))
    for person in (neighbour, shared, twice, moved, guesser, made):
        desk.lock(person)
    for_others(desk, shared, neighbour)
    forged(desk, made, neighbour)
    used_twice(desk, twice)
    guessed(desk, guesser)
    elsewhere(desk, moved, *desk.give(moved))
    wall = clocks.WallClock(lab)
    timed(desk, wrong, wall)
    later_lock(desk, later, wall)
    return (
        f"{desk.refused} tries ended no lock, among them {BITS} payloads and {GUESSES} codes with one bit changed, of which "
        f"{BEFORE_A_PAUSE} codes were looked at; 5 good ones ended theirs, and once"
    )
