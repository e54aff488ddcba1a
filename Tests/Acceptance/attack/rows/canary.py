"""Checks that a value is found nowhere after its use."""

import contextlib
import os
import pathlib
import re
import secrets
import signal
import socket
import subprocess
import time

from attack import faults
from attack.memory import Canary, Capture
from lab import hosts
from lab.machine import STATE
from lab.processes import running
from lab.table import must, row
from lab.waiting import until

# Without this, the host would keep a copy of typed text in the buffer of its standard input, which the rows would find.
UNBUFFERED = ("stdbuf", "-i0")


@contextlib.contextmanager
def stopped_at(person, value, call, number):
    """An answered login, with the core stopped by a signal in one of its calls; yields the core's process."""
    trace = pathlib.Path("/tmp/stopped.trace")
    strace = f"strace -q -s 0 -o {trace} -e trace={call} -e inject={call}:signal=STOP:when={number}"
    host = subprocess.Popen(
        [*UNBUFFERED, *hosts.command("uaf", person.name)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "CORE_UNDER": strace},
        bufsize=0,
    )
    assert host.stdin
    try:
        host.stdin.write(value.encode() + b"\n")
        until(lambda: trace.exists() and "stopped by SIGSTOP" in trace.read_text(), f"the core at {call}")
        cores = running("uaf-helper")
        must(len(cores) == 1, f"{len(cores)} cores")
        yield cores[0]
    finally:
        for process in running("uaf-helper"):
            os.kill(process, signal.SIGCONT)
        host.stdin.close()
        host.wait(60)
        trace.unlink()


def while_used(person, canary):
    """Shows that the scan works: it must find the value in the memory of a core that is stopped while it uses the value, and in
    no other process."""
    with stopped_at(person, person.passcode, "flock", 1) as core:
        hits = canary.in_memory(core)
        limits = pathlib.Path(f"/proc/{core}/limits").read_text()
        names = canary.in_every_process()
    must(hits > 0, "the scanner does not find the value where it must be: it is worth nothing")
    must(re.search(r"Max core file size +0 +0 ", limits), f"the core may leave its memory in a file: {limits}")
    must(set(names) <= {"uaf-helper"}, f"while the core uses the value it is also in {names}")
    return hits


def last_call(core, person, value, is_point):
    """Of the calls in a traced login for which `is_point` is true, the last one: its name, and its ordinal among the calls of
    this name."""
    trace = core.attempt(person, value, core="-e trace=all").trace
    found = [point for point in faults.points(trace) if is_point(trace[point[2]])]
    must(found, f"the call is not in the trace of {len(trace)} calls")
    return found[-1][:2]


def at_the_network(core, person, canary):
    """The core after it has used the value, at the moment when it sends the response to the network program (docs/protocol.md,
    request: 0x41)."""
    call = last_call(core, person, person.passcode, lambda line: re.match(r'sendto\(\d+, "A\\1', line))
    with stopped_at(person, person.passcode, *call):
        must(running("uaf-fetch"), "there is no network program")
        names = canary.in_every_process()
    must(not names, f"when the server is asked the value is in {names}")


def before_exit(core, person, canary, value):
    """The core at its last call before the exit."""
    call = last_call(core, person, value, lambda line: line.startswith("close(3)"))
    with stopped_at(person, value, *call) as process:
        hits = canary.in_memory(process)
    must(hits == 0, f"the core still has the value {hits} times when it ends")


def when_it_crashes(person):
    """Whether strace reports a memory dump of a core that dies while it has the value in memory."""
    trace = pathlib.Path("/tmp/crash.trace")
    environment = {**os.environ, "CORE_UNDER": f"strace -s 0 -o {trace} -e inject=flock:signal=SEGV:when=1"}
    login = hosts.login("uaf", person.name, person.passcode, env=environment)
    text = trace.read_text()
    trace.unlink()
    must(login.code == hosts.SYSTEM_ERR and "killed by SIGSEGV" in text, f"the core did not crash: {login}")
    must("core dumped" not in text, "the core left its memory in a file")
    # A control: whether a program that may dump its memory does.
    command = ["prlimit", "--core=unlimited", "strace", "-o", str(trace), "sh", "-c", "kill -SEGV $$"]
    subprocess.run(command, cwd="/tmp", check=False, stderr=subprocess.DEVNULL)
    text = trace.read_text()
    trace.unlink()
    return "no core file" if "core dumped" in text else "no core file (but this machine makes none of other programs)"


def in_the_host(person, canary):
    """The host's memory after pam_authenticate has returned, at the prompt of a second login in the same process."""
    hits = {}
    for kind, prefix in (("unbuffered", UNBUFFERED), ("buffered", ())):
        host = subprocess.Popen(
            [*prefix, *hosts.command("uaf", person.name), "--", "auth", "auth"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        assert host.stdin and host.stdout
        try:
            host.stdin.write(person.passcode.encode() + b"\n")
            shown = b""
            while shown.count(b"prompt ") < 2:
                part = host.stdout.read(4096)
                must(part, f"the second login never asks: {shown!r}")
                shown += part
            must(b"result 0" in shown, f"the right value is refused: {shown!r}")
            hits[kind] = canary.in_memory(host.pid)
        finally:
            host.kill()
            host.wait()
            host.stdout.close()
            host.stdin.close()
    must(hits["buffered"] > 0, "the scanner does not find the value in a host that keeps it: it is worth nothing")
    must(hits["unbuffered"] == 0, f"after pam_authenticate the host has the value {hits['unbuffered']} times")
    return hits["buffered"]


@row(
    "A24",
    "searching for a unique value in memory, core dumps, arguments, environments, log, files and network",
    "found while it is in use, and nowhere afterwards; the scanner finds it where it must be",
    causes=("a local user", "the network"),
)
def canary_row(lab):
    person = lab.person(registered=False)
    person.passcode = "canary-" + secrets.token_urlsafe(24)
    wrong = Canary("finch-" + secrets.token_urlsafe(24))
    right = Canary(person.passcode)
    mark, began = lab.log.mark(), time.time() - 1
    capture = Capture()
    lab.register(person)
    core = faults.Core(lab)
    used = while_used(person, right)
    at_the_network(core, person, right)
    before_exit(core, person, right, person.passcode)
    before_exit(core, person, wrong, wrong.text)
    crash = when_it_crashes(person)
    lab.login(person, person.passcode)
    kept = in_the_host(person, right)
    names = right.in_every_process() + wrong.in_every_process()
    must(not names, f"afterwards the value is in {names}")
    places = (STATE, "/srv", "/tmp", "/run", "/var", "/dev/shm", "/home", "/etc")
    made = pathlib.Path("/tmp/control")
    made.write_text(right.text)
    must(right.in_files(began, "/tmp") == [str(made)], "the scanner does not find the value in a file that has it")
    made.unlink()
    control = Canary("control-" + secrets.token_urlsafe(24))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(control.text.encode(), ("127.0.0.1", 9))
    packets = capture.end()
    log = "\n".join(lab.log.since(mark)).encode()
    must(control.count(packets) > 0, "the capture does not have what was sent on purpose: it is worth nothing")
    for name, value in (("right", right), ("wrong", wrong)):
        must(not value.count(log), f"the {name} value is in the log")
        must(not value.count(packets), f"the {name} value is on the network")
        found = value.in_files(began, *places)
        must(not found, f"the {name} value is in {found}")
    return (
        f"0 hits in memory after use (core at the network and at its end, host, every process), {len(log)} bytes of log, "
        f"the files of state, server, machine, {len(packets)} bytes of network, {crash}; found are {used} in the core that "
        f"uses it, {kept} in a host that keeps it, one in a file, and what was sent on purpose"
    )
