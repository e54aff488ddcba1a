"""The power fails while guesses are counted."""

import contextlib
import os
import random
import re
import signal
import threading

from attack import disks, faults
from lab import processes
from lab.table import must, row
from lab.waiting import until

LIMIT = 10
RUNS = 6
ALL_RUNS = 48
WRITERS = 3


class Writers:
    """Guessers without a pause, each for a separate person; they record each reported count."""

    def __init__(self, lab, people, environment):
        self._lab = lab
        self._environment = environment
        self.acknowledged = {person.name: 0 for person in people}
        self._stops = threading.Event()
        self._threads = [threading.Thread(target=self._guess, args=[person]) for person in people]
        for thread in self._threads:
            thread.start()

    def _guess(self, person):
        # One less than the limit: a lock refuses all later guesses, and then there is nothing to count.
        for number in range(LIMIT - 1):
            if self._stops.is_set():
                return
            login = self._lab.login(person, f"wrong-guess-{number}", env=self._environment)
            for left in re.findall(r"(\d+) tr(?:y|ies) left", login.text):
                self.acknowledged[person.name] = max(self.acknowledged[person.name], LIMIT - int(left))

    def wait_for(self, counts):
        until(
            lambda: sum(self.acknowledged.values()) >= counts or not any(thread.is_alive() for thread in self._threads),
            f"{counts} counts of the writers",
            seconds=60,
        )

    def freeze(self):
        self._stops.set()
        return _signal(signal.SIGSTOP)

    def end(self):
        # The frozen processes never learn what happened to the disk.
        while _signal(signal.SIGKILL) or any(thread.is_alive() for thread in self._threads):
            self._threads[0].join(0.01)


def _signal(number):
    """Sends a signal to every process of a login; returns to how many."""
    count = 0
    # A child of the core that was stopped before it became uaf-fetch stays stopped: only this row ends it.
    for process in processes.running("uaf-helper", "uaf-fetch", "pam-host", "strace"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)
            count += 1
    return count


def cut(lab, disk, people, moment, environment):
    """One power cut; returns how many acknowledged counts there were, and how many are lost."""
    writers = Writers(lab, people, environment)
    try:
        writers.wait_for(moment)
        writers.freeze()
        disk.cut_power()
    finally:
        writers.end()
    disk.unmount()
    disk.mount()
    lost = 0
    for person in people:
        counted = LIMIT - lab.status(person)["authenticators"][0]["remainingTries"]
        lost += max(0, writers.acknowledged[person.name] - counted)
        lab.run("uafctl", "unlock", person.name)
        after = lab.login(person, person.passcode)
        must(after.is_in, f"after the cut the right value is refused: {after}")
    return sum(writers.acknowledged.values()), lost


@row(
    "A4",
    "a power cut while wrong guesses are counted on ext4",
    "no reported count is lost; the next login works",
    causes=("the machine",),
)
def power_cut(lab):
    lab.configure(lock=f"retry_count_to_lock = {LIMIT}\nlock_time = 300\nmax_lock_count = 3")
    faults.Core(lab)
    disk = disks.Ext4(lab)
    # A control, in which syncs do nothing: an unsynced count must be lost, which proves that the power cut works.
    careless = {**os.environ, "CORE_UNDER": "strace -q -o /dev/null -e inject=fsync,fdatasync:retval=0"}
    told, gone = cut(lab, disk, [lab.person() for _ in range(WRITERS)], 12, careless)
    must(gone > 0, f"the cut is none: without syncs {told} counts all survived it")
    runs, acknowledged = ALL_RUNS if lab.thorough else RUNS, 0
    moments = random.Random(20261121)
    people = []
    for number in range(runs):
        if number % 8 == 0:
            people = [lab.person() for _ in range(WRITERS)]
        moment = moments.randint(1, WRITERS * (LIMIT - 3))
        count, lost = cut(lab, disk, people, moment, dict(os.environ))
        must(lost == 0, f"cut {number + 1}: {lost} of {count} counts are gone")
        acknowledged += count
    return f"{runs} cuts: {acknowledged} counts told, 0 lost; with syncs that do nothing {gone} of {told} were lost"
