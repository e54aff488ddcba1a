"""A core that crashes, is missing, hangs, sends nonsense, or sends a success that is not valid."""

import pathlib
import sys

from attack import faults
from lab import hosts
from lab.machine import HELPER
from lab.table import must, row

# Replaces the core and runs one line of Python. `hear` reads a packet of the module, `say` sends one to it.
SCRIPT = f"""#!{sys.executable} -IS
import os, signal, socket, time
peer = socket.socket(fileno=3)
hear = lambda: peer.recv(65536)
say = lambda *fields: peer.send(b"".join(fields))
field = lambda tag, value: bytes([tag]) + len(value).to_bytes(2, "big") + value
prompt = b"\\x81" + field(1, b"\\0") + field(2, b"passcode") + field(3, b"\\1") + field(4, b"Passcode: ")
finished = lambda code, result: b"\\x86" + field(1, bytes([code])) + field(2, result.to_bytes(4, "big"))
BEHAVIOUR
"""
BEHAVIOURS = {
    "crashes at once": "os.kill(os.getpid(), signal.SIGSEGV)",
    "crashes when it has heard": "hear(); os.kill(os.getpid(), signal.SIGILL)",
    "crashes at the answer": "hear(); say(prompt); hear(); os.kill(os.getpid(), signal.SIGSEGV)",
    "ends with status 0": "hear(); os._exit(0)",
    "ends with status 0 after the answer": "hear(); say(prompt); hear(); os._exit(0)",
    "hangs": "hear(); time.sleep(600)",
    "hangs and ignores the end": "hear(); [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 13, 15)]; time.sleep(600)",
    "never reads": "time.sleep(600)",
    "sends garbage": "hear(); say(os.urandom(64))",
    "sends an empty packet": "hear(); say(b'')",
    "sends a cut packet": "hear(); say(finished(0, 0)[:-1])",
    "sends a byte too many": "hear(); say(finished(0, 0), b'\\0')",
    "sends 64 KiB": "hear(); say(b'\\x82', field(1, b'x' * 65000))",
    "prompts for ever": "hear()\nwhile True: say(prompt); hear()",
    "talks for ever": "hear()\nwhile True: say(b'\\x82', field(1, b'x'))",
    "says success with a failure's number": "hear(); say(prompt); hear(); say(finished(0, 3012))",
    "says success with the number of a reset": "hear(); say(prompt); hear(); say(finished(0, 7100))",
    "says ignore": "hear(); say(prompt); hear(); say(finished(25, 1009))",
    "says a code that PAM has not": "hear(); say(finished(200, 0))",
    "says only info and goes": "hear(); say(b'\\x82', field(1, b'Welcome'))",
    "sets a variable and dies": "hear(); say(prompt); hear(); say(b'\\x85', field(1, b'A'), field(2, b'B'))",
    "says success before it is asked, cut": "say(finished(0, 0)[:5])",
    # Both packets are sent while the host is stopped, so that it always finds them together.
    "answers while it has to wait": (
        "hear(); os.kill(os.getppid(), signal.SIGSTOP); say(prompt); say(finished(0, 0)); "
        "os.kill(os.getppid(), signal.SIGCONT); hear()"
    ),
}
# The effect of a failed module's control word: whether the next module runs, and how the login ends when that
# module succeeds. As Linux-PAM documents it.
CONTROLS = {
    "required": (True, hosts.SYSTEM_ERR),
    "requisite": (False, hosts.SYSTEM_ERR),
    "sufficient": (True, hosts.SUCCESS),
    "optional": (True, hosts.SUCCESS),
    "[default=bad]": (True, hosts.SYSTEM_ERR),
    "[default=die]": (False, hosts.SYSTEM_ERR),
    "[success=done default=ignore]": (True, hosts.SUCCESS),
    "[success=ok system_err=ignore default=die]": (True, hosts.SUCCESS),
}
RAN = pathlib.Path("/tmp/next-ran")


def stack(lab, control, mark, more=""):
    """A stack of the module, a module that leaves a trace, and a module that succeeds; returns its service."""
    service = f"bad-core-{mark.name}"
    lab.stack(
        service,
        f"auth {control} pam_uaf.so timeout=2 {more}",
        f"auth optional pam_exec.so quiet /bin/touch {mark}",
        "auth required pam_permit.so",
        "account required pam_permit.so",
    )
    lab.after(lambda: pathlib.Path("/etc/pam.d", service).unlink())
    return service


def check(lab, name, person, value):
    """Tests one behaviour of the core under every control word; the logins run in parallel."""
    RAN.mkdir(exist_ok=True)
    number = [*BEHAVIOURS, "missing", "not executable", "a folder", "of no format"].index(name)
    marks = {control: RAN / f"{number}-{place}" for place, control in enumerate(CONTROLS)}
    started = {control: hosts.start(stack(lab, control, mark, "nouserok"), person.name) for control, mark in marks.items()}
    for control, (next_runs, code) in CONTROLS.items():
        login = hosts.finish(started[control], value)
        what = f"a core that is or {name}, {control}"
        must(login.code == code, f"{what}: {login}")
        must(marks[control].exists() == next_runs, f"{what}: the next module {'did not run' if next_runs else 'ran'}")
    return len(CONTROLS)


def without_a_core(lab, person):
    """No file, or a wrong file, at the core's path."""

    def missing(path):
        path.unlink()

    def not_executable(path):
        path.chmod(0o600)

    def a_folder(path):
        path.unlink()
        path.mkdir()

    def of_no_format(path):
        path.unlink()
        path.write_bytes(b"\x7fELF\x02")
        path.chmod(0o755)

    ways = {"missing": missing, "not executable": not_executable, "a folder": a_folder, "of no format": of_no_format}
    done, path = 0, pathlib.Path(HELPER)
    for name, break_it in ways.items():
        faults.stands_in(lab, SCRIPT.replace("BEHAVIOUR", "pass"))
        try:
            break_it(path)
            done += check(lab, name, person, "anything")
        finally:
            if path.is_dir():
                path.rmdir()
    return done


@row(
    "A21",
    "a core that crashes, is missing, hangs, sends nonsense, or sends a success that it contradicts",
    "PAM_SYSTEM_ERR within the allowed time, and the next module of the stack runs as each control word says",
    causes=("root", "the machine"),
)
def bad_core(lab):
    person = lab.person()
    done = without_a_core(lab, person)
    for name, behaviour in BEHAVIOURS.items():
        faults.stands_in(lab, SCRIPT.replace("BEHAVIOUR", behaviour))
        done += check(lab, name, person, person.passcode)
    # Proves that the module listens to the forged core: a valid success logs in. Otherwise the results above prove nothing.
    faults.stands_in(lab, SCRIPT.replace("BEHAVIOUR", "hear(); say(prompt); hear(); say(finished(0, 0)); hear()"))
    login = lab.login(person, "anything")
    must(login.is_in, f"the stand-in is not heard: {login}")
    return (
        f"{done} logins ({len(BEHAVIOURS) + 4} ways, {len(CONTROLS)} control words): PAM_SYSTEM_ERR from the module in "
        "each, the next one ran wherever the control word has it"
    )
