"""What a person plants in the environment of a program that asks for their passcode."""

import os
import pathlib
import signal
import time

from attack.rows.network import count_connections, left_behind, plant
from lab import hosts
from lab.processes import Watch, environment, gone, running
from lab.table import must, row
from lab.waiting import until

FIXED = [b"LC_ALL=C.UTF-8", b"PATH=/usr/sbin:/usr/bin:/sbin:/bin", b"SWIFT_BACKTRACE=enable=no"]
PROGRAMS = ("uaf-helper", "uaf-fetch")
FOLDER = "/tmp/planted"


def everything(lab):
    """The environment of A13, and variables that redirect runtimes, loaders, databases and languages."""
    proxy, visits = count_connections(lab)
    planted = plant(lab, proxy)
    script = pathlib.Path(FOLDER, "backtrace")
    # A process that runs a script has the script's name, not the name of the replaced program.
    script.write_text(f"#!/bin/sh\n>{FOLDER}/ran-in-backtrace\n")
    script.chmod(0o755)
    return visits, planted | {
        "SWIFT_BACKTRACE": f"enable=yes,interactive=no,color=no,swift-backtrace={script}",
        "SWIFT_ROOT": FOLDER,
        "SWIFT_DEBUG_ENABLE_MALLOC_STACK_LOGGING": "1",
        "LD_PRELOAD": f"{FOLDER}/module.so",
        "LD_LIBRARY_PATH": FOLDER,
        "LD_AUDIT": f"{FOLDER}/module.so",
        "LD_BIND_NOW": "1",
        "GCONV_PATH": FOLDER,
        "LOCPATH": FOLDER,
        "NLSPATH": FOLDER,
        "MALLOC_CHECK_": "3",
        "MALLOC_PERTURB_": "1",
        "TMPDIR": FOLDER,
        "GLIBC_TUNABLES": "glibc.malloc.check=3",
        "SQLITE_TMPDIR": FOLDER,
        "TZ": "/dev/zero",
        "LC_ALL": "ko_KR.UTF-8",
        "LANGUAGE": "ko",
        "HOSTALIASES": f"{FOLDER}/hosts",
        "RES_OPTIONS": "timeout:30",
        "LOCALDOMAIN": "example.org",
        "no_proxy": "",
        "PATH": f"{FOLDER}:{os.environ['PATH']}",
        "NOTIFY_SOCKET": f"{FOLDER}/socket",
        "LISTEN_FDS": "1",
        "LISTEN_PID": "1",
        "XDG_RUNTIME_DIR": FOLDER,
    }


@row(
    "A19",
    "planted LD_*, SSL_*, OPENSSL_*, SWIFT_BACKTRACE, proxies, HOME, TMPDIR, TZ ... through su, sudo, a host",
    "the environment of helper and network program is the fixed list; nothing planted runs",
    causes=("a local user",),
)
def planted_environment(lab):
    visits, planted = everything(lab)
    person, caller = lab.person(), lab.person(registered=False)
    whole = {**os.environ, **planted}
    asked = {"the small host": lambda: slowly(person, whole)}
    if pathlib.Path("/usr/bin/sudo").exists():
        hosts.sudoers(lab, f"{person.name} ALL=(ALL) SETENV: ALL", "Defaults !env_reset")
        hosts.ask_uaf(lab, "sudo")
        # The loader itself drops LD_* for a setuid program.
        asked["sudo"] = lambda: hosts.terminal(
            ["/usr/bin/sudo", "-E", "sh", "-c", hosts._SAY], [person.passcode], uid=person.uid, environment=planted
        )
    hosts.ask_uaf(lab, "su")
    asked["su"] = lambda: hosts.terminal(
        ["/bin/su", "-c", hosts._SAY, person.name], [person.passcode], uid=caller.uid, environment=planted
    )
    looks = 0
    for name, log_in in asked.items():
        with Watch() as watch:
            login = log_in()
        must(login.is_in, f"{name}: {login}")
        for program in PROGRAMS:
            found = {entry for entry in watch.environments[program] if entry}
            must(found == {tuple(FIXED)}, f"{name}: the environment of {program}: {found}")
            looks += len(found)
    inside = {mark for mark in left_behind() if any(program in mark for program in (*PROGRAMS, "backtrace", "keys"))}
    must(not inside, f"ran: {inside}")
    must(not visits, f"the planted proxy was visited {len(visits)} times")
    must("ran-in-pam-host" in left_behind(), "the planted module cannot run at all: nothing is shown")
    crashed = crash(lab, person, whole)
    control(lab, whole)
    return (
        f"{len(planted)} variables through {', '.join(asked)}: both programs had {len(FIXED)} variables each, "
        f"0 planted programs ran, 0 visits of the proxy; {crashed}; a server of ours that inherits it does run it"
    )


def at_prompt(person, whole):
    """A login by the small host, up to its prompt."""
    process = hosts.start("uaf", person.name, env=whole)
    # The loader complains about some of the planted variables.
    while not (line := process.stdout.readline()).startswith(b"prompt"):
        must(line, "no prompt")
    return process


def slowly(person, whole):
    """A login by the small host, answered once both programs can be inspected."""
    process = at_prompt(person, whole)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and not all(environment(each) for each in running("uaf-fetch") or [0]):
        time.sleep(0.01)
    time.sleep(0.05)
    return hosts.finish(process, person.passcode)


def crash(lab, person, whole):
    """The helper dies by a signal that Swift's runtime would call a backtracer for."""
    process = at_prompt(person, whole)
    helpers = running("uaf-helper")
    must(len(helpers) == 1 and environment(helpers[0]) == FIXED, f"helpers: {helpers}")
    os.kill(helpers[0], signal.SIGSEGV)
    login = hosts.finish(process, person.passcode)
    must(login.code == hosts.SYSTEM_ERR, f"after a crash: {login}")
    must(not (left := gone()), f"programs of ours outlived the crash: {left}")
    must("ran-in-backtrace" not in left_behind(), "the planted backtracer has run")
    return f"a helper that crashes ran no backtracer (PAM code {login.code})"


def control(lab, whole):
    """The same variables in a Swift program that inherits them: they must work there, or the row proves nothing."""
    environment = {name: value for name, value in whole.items() if not name.startswith("LD_")}
    process = lab.start(
        "uaf-server",
        "serve",
        "--state",
        "/srv/uaf-crash",
        "--listen",
        "127.0.0.1:0",
        "--development",
        env={**os.environ, "SWIFT_BACKTRACE": environment["SWIFT_BACKTRACE"]},
        stdout=-1,
        stderr=-3,
    )
    lab.after(lambda: lab.stop(process))
    process.stdout.readline()
    process.send_signal(signal.SIGSEGV)
    until(lambda: "ran-in-backtrace" in left_behind(), "the planted backtracer at work, without which nothing is shown")
