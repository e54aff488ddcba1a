"""More of everything than one person needs: connections, key derivations."""

import concurrent.futures
import os
import pathlib
import threading
import time

from attack import hosts, peer
from attack.table import attack, must

CONNECTIONS = 100
# What a derivation takes at the cost that is shipped (kdf_cost = 16): 64 MiB; and what the core takes besides.
DERIVATION_MIB, CORE_MIB = 64, 24


def cores():
    """The process numbers of all cores."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "comm").read_text() == "uaf-helper\n":
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def memory_mib():
    """What all cores together take, each page counted once."""
    total = 0
    for core in cores():
        try:
            lines = pathlib.Path(f"/proc/{core}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        except OSError:
            pass
    return total / 1024


class Peak:
    """The most memory the cores took together, and how many there were, while it is used as a context."""

    def __enter__(self):
        self.mib, self.cores, self._over = 0.0, 0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _watch(self):
        while not self._over.wait(0.05):
            self.mib, self.cores = max(self.mib, memory_mib()), max(self.cores, len(cores()))


def timed(action):
    started = time.monotonic()
    return action(), time.monotonic() - started


def tries(lab, person):
    return lab.status(person)["authenticators"][0]["remainingTries"]


def slots():
    """How many derivations the core lets run at once on this machine."""
    gibibytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 30
    return max(2, min(gibibytes, 2 * os.sysconf("SC_NPROCESSORS_ONLN")))


@attack("A39", f"{CONNECTIONS} connections to the socket by one person; more key derivations at once than it bears",
        "others still log in; memory is bounded; nothing is charged for those turned away")
def crowd(lab):
    person, other = lab.person(), lab.person()
    peer.serve(lab)
    with Peak() as peak:
        crowd = [peer.Conversation(person.uid) for _ in range(CONNECTIONS)]
        asked = []
        for talk in crowd:
            try:
                talk.send(peer.begin(peer.AUTHENTICATE))
            except OSError:
                pass
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
    idle = (f"{CONNECTIONS} connections: {sum(asked)} asked, {peak.cores} cores at most in {peak.mib:.0f} MiB, others "
            f"in after {seconds:.1f} s")
    return idle + "; " + derivations(lab)


def derivations(lab):
    """As many guesses at once as the count allows, by several people, at the cost that is shipped."""
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
    looked_at = sum(verdict is not None and verdict[1] == int(hosts.WRONG) for _, verdict in results)
    for who in people:
        wrong = sum(verdict is not None and verdict[1] == int(hosts.WRONG) for name, verdict in results if name is who)
        left = tries(lab, who)
        must(left == 10 - wrong, f"{wrong} guesses of {who.name} were looked at and {10 - left} charged")
    return (f"{len(talks)} derivations wanted at once: {looked_at} looked at, {len(talks) - looked_at} turned away "
            f"uncounted, {peak.mib:.0f} MiB at most with {slots()} slots, another in after {seconds:.1f} s")
