"""People who log in continuously, and a file with every acknowledged success."""

import collections
import itertools
import json
import threading
import time

from fleet.client import Later, Refused
from fleet.programs import LOGS
from lab.table import Broken, must

# Seconds between two logins of a person, because all programs share this machine.
PAUSE = 0.1
# Every nth login confirms a text.
TEXTS = 5


class Load:
    """Use as a context: each person logs in repeatedly until it ends."""

    def __init__(self, name, people, channel, pause=PAUSE):
        LOGS.mkdir(parents=True, exist_ok=True)
        self._file = (LOGS.parent / f"{name}.jsonl").open("w")
        self._lock, self._ends = threading.Lock(), threading.Event()
        self._pause = pause
        self.yes, self.later, self.refused, self.broken = [], collections.Counter(), [], []
        # Answers that were sent but whose result is unknown.
        self.unknown = []
        self._threads = [threading.Thread(target=self._log_in, args=(person, channel()), daemon=True) for person in people]
        self._people = people

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        for thread in self._threads:
            thread.join()
        self._file.close()

    def _log_in(self, person, channel):
        for number in itertools.count():
            if self._ends.wait(self._pause):
                break
            signed = None
            try:
                signed = person.sign(channel, f"{person.name}@load: text {number}" if number % TEXTS == TEXTS - 1 else None)
                self._keep(person.send(channel, signed))
            except Later as reason:
                with self._lock:
                    self.later[str(reason)] += 1
                    if signed and reason.sent:
                        self.unknown.append(signed)
            except Refused as reason:
                with self._lock:
                    self.refused.append((person.name, reason.status, time.time()))
            except Exception as reason:
                with self._lock:
                    self.broken.append(f"{person.name}: {type(reason).__name__}: {reason}")
                return
        channel.close()

    def _keep(self, yes):
        line = {"account": yes.person.name, "counter": yes.counter, "challenge": yes.digest, "time": yes.acknowledged}
        with self._lock:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()
            self.yes.append(yes)

    def for_(self, seconds):
        """Continues for some time."""
        time.sleep(seconds)

    def back_after(self, moment, seconds):
        """Waits until each person has a login that began after a moment; returns the longest time without any."""
        deadline = time.time() + seconds
        names = {person.name for person in self._people}
        while True:
            with self._lock:
                since = [yes for yes in self.yes if yes.started > moment]
            if {yes.person.name for yes in since} == names:
                break
            must(not self.broken, f"the client: {self.broken[:2]}")
            must(time.time() < deadline, f"no login again within {seconds} s; meanwhile {dict(self.later)}")
            time.sleep(0.05)
        return self.longest_gap(moment)

    def longest_gap(self, moment):
        """The longest time in which nobody had a success, beginning at `moment`."""
        with self._lock:
            times = [moment, *sorted(yes.acknowledged for yes in self.yes if yes.acknowledged > moment)]
        return max(after - before for before, after in itertools.pairwise(times))

    def counters(self):
        """The highest acknowledged counter of each account."""
        highest = {}
        for yes in self.yes:
            highest[yes.person.name] = max(highest.get(yes.person.name, 0), yes.counter)
        return highest

    def must_be_honest(self):
        """Checks that no client got a false answer or a definite refusal."""
        if self.broken:
            raise Broken(f"the client: {self.broken[:3]}")
        must(not self.refused, f"{len(self.refused)} definite refusals of honest logins: {self.refused[:5]}")
        counted = [(yes.person.name, yes.counter) for yes in self.yes if yes.person.counts]
        must(len(set(counted)) == len(counted), "one counter was acknowledged twice")
