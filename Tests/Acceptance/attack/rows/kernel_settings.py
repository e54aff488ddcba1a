"""Process settings that survive fork and exec, and so pass from the user who starts a host to the core."""

import pathlib
import re
import socket
import subprocess
import sys
import time

from attack.rows.inherited import core_of
from lab import forger, hosts
from lab.machine import ROOT
from lab.processes import running, status
from lab.table import must, row
from lab.waiting import at_once, until

ODD_CALLER = [sys.executable, "-I", str(ROOT / "Tests/Acceptance/attack/odd_caller.py")]
# How long timeout=2 may take without delays: generous, since other work loads this machine. The slack is 40 s.
TIMEOUT, ENDS_WITHIN = 2, 30


def read(process, name):
    try:
        return pathlib.Path(f"/proc/{process}/{name}").read_text().strip()
    except OSError:
        return ""


def settings(process):
    """The settings of a process, by name; omits those that this kernel does not report."""
    policy = re.search(r"^\S+ (\S+)", read(process, "numa_maps"))
    merges = re.search(r"ksm_merge_any: (\S+)", read(process, "ksm_stat"))
    found = {
        "timer slack": read(process, "timerslack_ns"),
        "oom_score_adj": read(process, "oom_score_adj"),
        "coredump_filter": read(process, "coredump_filter").lstrip("0") or "0",
        "personality": read(process, "personality").lstrip("0") or "0",
        "memory policy": policy and policy[1],
        "merged pages": merges and merges[1],
        "large pages": status(process, "THP_enabled"),
    }
    return {name: value for name, value in found.items() if value}


WANTED = {
    "timer slack": "50000",
    "oom_score_adj": "0",
    "coredump_filter": "0",
    "personality": "0",
    "memory policy": "default",
    "merged pages": "no",
    "large pages": "1",
}


def start_su(caller, target):
    """The person's own program starts su after changing everything it can."""
    return subprocess.Popen(
        [*ODD_CALLER, str(caller.uid), "su", target.name, "-c", "echo is-inside"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd="/",
    )


def start_small_host(_, target):
    return hosts.start("uaf", target.name, prefix=[*ODD_CALLER, "0"])


def looked_at(start, caller, target):
    """The settings of core and network program at the prompt; then enters the right value."""
    host = start(caller, target)
    try:
        core = core_of(host)
        must(core is not None, "the host started no core")
        found = {}
        # The network program runs before the prompt.
        fetch = until(
            lambda: [process for process in running("uaf-fetch") if status(process, "PPid") == core.name], "the network program"
        )[0]
        for name, process in (("core", core.name), ("network program", fetch)):
            wrong = {key: value for key, value in settings(process).items() if value != WANTED[key]}
            found.update({f"{key} of the {name}": value for key, value in wrong.items()})
        seen = len(settings(core.name))
        text, _ = host.communicate(target.passcode.encode() + b"\n", timeout=120)
        return found, seen, host.returncode == 0 or b"is-inside" in text.split()
    finally:
        host.kill()
        host.wait()


def silent(lab):
    """A server that accepts connections and never sends anything."""
    listener = socket.create_server(("127.0.0.1", 0))
    lab.after(listener.close)
    url = f"https://127.0.0.1:{listener.getsockname()[1]}/uaf/get"
    forger.point(url, url)


def times_out(start, caller, target):
    """How long a call with `timeout=2` takes with a server that never answers; the core and the module both wait for it.

    The time is measured until the module has ended the core: libpam's delay after a failure runs in the host, and the caller can
    prolong it.
    """
    host, started = start(caller, target), time.monotonic()
    try:
        core = core_of(host)
        must(core is not None, "the host started no core")
        host.stdin.write(target.passcode.encode() + b"\n")
        host.stdin.flush()
        while int(core.name) in running("uaf-helper"):
            if time.monotonic() > started + ENDS_WITHIN:
                return None
            time.sleep(0.02)
        return time.monotonic() - started
    finally:
        host.kill()
        host.communicate()


@row(
    "A52",
    "settings of the caller that outlive fork and exec: 40 s of timer slack, oom_score_adj, personality ...",
    "the core and its network program have the normal settings; a time-out ends on time",
    causes=("a local user",),
)
def kernel_settings(lab):
    caller, target = lab.person(registered=False), lab.person()
    lines = ("account required pam_permit.so", "session required pam_permit.so")
    lab.stack("su", "auth required pam_uaf.so", *lines)
    ways = {"su": start_su, "a host of root's": start_small_host}
    for name, start in ways.items():
        found, seen, is_in = looked_at(start, caller, target)
        must(not found, f"{name}: {found}")
        must(is_in, f"{name}: the right value was refused")
    silent(lab)
    for service in ("su", "uaf"):
        lab.stack(service, f"auth required pam_uaf.so timeout={TIMEOUT}", *lines)
    took = dict(zip(ways, at_once(*(lambda start=start: times_out(start, caller, target) for start in ways.values()))))
    late = [name for name, seconds in took.items() if seconds is None]
    must(not late, f"timeout={TIMEOUT} still runs after {ENDS_WITHIN} s: {late}")
    return (
        f"{seen} settings looked at in core and network program, by {', '.join(ways)}: all normal, and in; "
        f"timeout={TIMEOUT} with 40 s of slack: " + ", ".join(f"{name} {s:.1f} s" for name, s in took.items())
    )
