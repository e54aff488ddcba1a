"""More connections and key derivations than one person needs."""

import concurrent.futures
import contextlib

from attack import peer
from attack.cores import Peak, slot_holders, slots, timed
from lab import hosts
from lab.listener import serve
from lab.table import must, row
from lab.waiting import until

CONNECTIONS = 100
# The memory of a derivation at the shipped cost (kdf_cost = 16): 64 MiB; and the core's other memory.
DERIVATION_MIB, CORE_MIB = 64, 24


def tries(lab, person):
    return lab.status(person)["authenticators"][0]["remainingTries"]


@row(
    "A39",
    f"{CONNECTIONS} connections to the socket by one person; more key derivations at the same time than the machine can handle",
    "others still log in; memory is bounded; refused calls are not counted",
    causes=("a local user",),
)
def crowd(lab):
    person, other = lab.person(), lab.person()
    serve(lab)
    with Peak() as peak:
        crowd = [peer.Conversation(person.uid) for _ in range(CONNECTIONS)]
        asked = []
        for talk in crowd:
            with contextlib.suppress(OSError):
                talk.send(peer.begin(peer.AUTHENTICATE))
        for talk in crowd:
            while (message := talk.receive()) and message[0] not in (peer.PROMPT, peer.FINISHED):
                pass
            asked.append(bool(message) and message[0] == peer.PROMPT)
        login, seconds = timed(lambda: lab.login(other, other.passcode))
        must(login.is_in, f"with {CONNECTIONS} connections open, another person: {login}")
        must(seconds < 10, f"another person waited {seconds:.0f} s")
        own = lab.login(person, person.passcode)
        must(own.is_in, f"with {CONNECTIONS} connections open, the same person through PAM: {own}")
        for talk in crowd:
            talk.close()
    must(tries(lab, person) == 5, "connections that said nothing were charged")
    must(peak.mib < CONNECTIONS * CORE_MIB, f"{CONNECTIONS} connections took {peak.mib:.0f} MiB")
    idle = (
        f"{CONNECTIONS} connections: {sum(asked)} asked, {peak.cores} cores at most in {peak.mib:.0f} MiB, others "
        f"in after {seconds:.1f} s"
    )
    return "; ".join((idle, derivations(lab), from_afar(lab), with_right_values(lab)))


def derivations(lab):
    """As many simultaneous guesses as the count allows, by several people, at the shipped cost."""
    lab.configure(cost=16, lock="retry_count_to_lock = 10\nlock_time = 300\nmax_lock_count = 10")
    people = [lab.person() for _ in range(10 if lab.thorough else 4)]
    late = lab.person()
    talks = [(who, peer.Conversation(who.uid)) for who in people for _ in range(10)]

    def guess(who, talk):
        try:
            talk.send(peer.begin(peer.AUTHENTICATE))
            while (message := talk.receive()) and message[0] != peer.FINISHED:
                if message[0] == peer.PROMPT:
                    talk.send(peer.answer("wrong-guess-1"))
            return who, peer.verdict([message]) if message else None
        except OSError:
            return who, None

    with Peak() as peak, concurrent.futures.ThreadPoolExecutor(len(talks)) as pool:
        guesses = [pool.submit(guess, who, talk) for who, talk in talks]
        concurrent.futures.wait(guesses, timeout=1)
        login, seconds = timed(lambda: lab.login(late, late.passcode))
        results = [future.result() for future in guesses]
    must(login.is_in, f"with {len(talks)} derivations wanted, another person: {login}")
    limit = slots() * DERIVATION_MIB + peak.cores * CORE_MIB
    must(peak.mib < limit, f"{peak.mib:.0f} MiB for {peak.cores} cores; {slots()} slots of {DERIVATION_MIB} MiB")
    # Nobody guesses more often than the limit, so only the guess that caused a lock is told of it.
    wrong_ones = (int(hosts.WRONG), int(hosts.LOCKED))
    looked_at = sum(verdict is not None and verdict[1] in wrong_ones for _, verdict in results)
    for who in people:
        wrong = sum(verdict is not None and verdict[1] in wrong_ones for name, verdict in results if name is who)
        left = tries(lab, who)
        must(left == 10 - wrong, f"{wrong} guesses of {who.name} were looked at and {10 - left} charged")
    return (
        f"{len(talks)} derivations wanted at once: {looked_at} looked at, {len(talks) - looked_at} turned away "
        f"uncounted, {peak.mib:.0f} MiB at most with {slots()} slots, another in after {seconds:.1f} s"
    )


def with_right_values(lab):
    """Local logins with the person's own right value, from many prompts of su at the same time: no count limits these either."""
    lab.configure(cost=16)
    one, late = lab.person(), lab.person()
    until(lambda: not slot_holders(), "the end of what was derived before")
    logins = [hosts.start("uaf", one.name) for _ in range(100)]
    for process in logins:
        process.stdin.write(one.passcode.encode() + b"\n")
        process.stdin.flush()
    until(slot_holders, "a derivation")
    login, seconds = timed(lambda: lab.login(late, late.passcode))
    held = len(slot_holders())
    for process in logins:
        process.kill()
        process.communicate()
    must(login.is_in, f"with {len(logins)} right values of one person, another after {seconds:.1f} s: {login}")
    must(held <= 1, f"one person held {held} slots")
    return f"{len(logins)} right values of one person at once: one slot, another person in after {seconds:.1f} s"


def from_afar(lab):
    """Remote logins under unknown names, from as many hosts: each costs a derivation, and no count limits them."""
    lab.configure(cost=16)
    late = lab.person()
    logins = [hosts.start("uaf", f"nobody{number}", remote=f"198.51.100.{number + 1}") for number in range(60)]
    for process in logins:
        process.stdin.write(b"wrong-guess-1\n")
        process.stdin.flush()
    until(lambda: len(slot_holders()) >= slots() - 1, "as many derivations from afar as may be")
    login, seconds = timed(lambda: lab.login(late, late.passcode))
    for process in logins:
        process.kill()
        process.communicate()
    must(login.is_in, f"with {len(logins)} logins from afar, on the machine itself after {seconds:.1f} s: {login}")
    return (
        f"{len(logins)} logins from afar under made-up names, from as many hosts: in on the machine itself after {seconds:.1f} s"
    )
