"""Logins on a machine whose device key a chip holds, compared with a machine that has it in a file: `bench.py chip`.

The chip is Debian's swtpm. It computes on this machine's processor: a real chip takes some hundred milliseconds.
"""

import contextlib
import pathlib
import random
import shutil
import statistics
import subprocess
import tempfile
import time

COSTS = (16, 14)
COLUMNS = ("call to prompt", "answer to end", "whole login")


@contextlib.contextmanager
def running():
    """Starts a separate chip; returns the path of its socket."""
    # The path of a socket has at most 107 bytes.
    with tempfile.TemporaryDirectory(prefix="bench-tpm.", dir="/tmp") as name:
        place = pathlib.Path(name, "socket")
        server = ["--server", f"type=unixio,path={place}", "--flags", "not-need-init,startup-clear"]
        command = ["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={name}", *server]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as chip:
            try:
                while not place.exists() and chip.poll() is None:
                    time.sleep(0.01)
                yield place
            finally:
                chip.kill()


def measure(rounds, registering, login):
    """Prints the medians of logins that take turns.

    `registering(name, cost, more)` makes a machine with a person; `login` takes its result, and returns two times: to the prompt,
    and from the answer to the end.
    """
    if shutil.which("swtpm") is None:
        print("chip: not measured: swtpm is not here (apt-get install swtpm)")
        return
    with running() as place:
        tables = {"file": "", "chip": f'[tpm]\nuse = "require"\ntcti = "{place}"\n'}
        ways = [(kind, cost) for cost in COSTS for kind in tables]
        machines = {(kind, cost): registering(name=f"{kind}-{cost}", cost=cost, more=tables[kind]) for kind, cost in ways}
        samples: dict[tuple[str, int], list[tuple[float, float, float]]] = {way: [] for way in ways}
        for _ in range(rounds):
            for way in random.sample(ways, len(ways)):
                start, end = login(machines[way])
                samples[way].append((start, end, start + end))
    medians = {way: [1000 * statistics.median(column) for column in zip(*samples[way])] for way in ways}
    first = medians[ways[0]][-1]
    print(f"pam_authenticate, medians of {rounds} rounds in turn, milliseconds; the chip is swtpm on this processor")
    print(f"{'the key is in':<14}{'kdf_cost':>9}" + "".join(f"{name:>16}" for name in COLUMNS) + f"{'to the first':>14}")
    for (kind, cost), row in medians.items():
        print(f"{kind:<14}{cost:>9}" + "".join(f"{value:>16.1f}" for value in row) + f"{row[-1] / first:>14.2f}")
