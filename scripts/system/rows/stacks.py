"""Every stack of pam.d/ in every case of the table in pam.d/README.md, with real libpam and the services' own lines."""

import concurrent.futures
import contextlib
import dataclasses
import pathlib
import subprocess

from lab import hosts, listener, machine
from lab.table import must, row
from system import stack_table

AT_ONCE = 3
# More than the services of one shape: what is being looked at counts until it has been found right.
LOCK = "retry_count_to_lock = 10\nlock_time = 300\nmax_lock_count = 3"
CLOSED_PORT = 8444
MODULE = "/usr/lib/*/security/pam_uaf.so"
REMOTE = "198.51.100.7"
RESCUE = "uaf-rescue"

# What Debian has for services whose packages are not here.
DEBIAN = {
    "polkit-1": """@include common-auth
@include common-account
@include common-password
session       required   pam_env.so readenv=1 user_readenv=0
session       required   pam_env.so readenv=1 envfile=/etc/default/locale user_readenv=0
@include common-session-noninteractive""",
    "xscreensaver": "@include common-auth\n@include common-account",
    "swaylock": "auth include login",
}


@dataclasses.dataclass(frozen=True)
class Service:
    """A service as its program uses PAM."""

    name: str
    calls_as: str = "setuid"  # setuid: a person's program with root's rights; root; person
    remote: str | None = None
    stages: tuple = ("auth", "account", "cred")
    template: str | None = None
    types_once: bool = False  # answers every question with the one string it has

    def prefix(self, person, caller):
        if self.calls_as == "root":
            return []
        if self.calls_as == "person":
            return ["setpriv", f"--reuid={person.uid}", f"--regid={person.uid}", "--init-groups"]
        return ["setpriv", f"--ruid={caller.uid if self.name == 'su' else person.uid}"]


# By their names in the table.
SERVICES = {
    "sudo": Service("sudo"),
    "su": Service("su"),
    "login": Service("login", "root"),
    "sshd": Service("sshd", "root", REMOTE),
    "polkit-1": Service("polkit-1", stages=("auth", "account")),
    "locker": Service("xscreensaver", "person", template="locker"),
    "simple locker": Service("swaylock", "person", stages=("auth", "cred"), template="locker", types_once=True),
}


def shapes(service):
    """The shapes that pam.d/ has a stack in, for this service."""
    file = service.template or service.name
    return [shape for shape in stack_table.SHAPES if pathlib.Path(hosts.STACKS, shape, file).exists()]


# --- Cases, by their names in the table


@contextlib.contextmanager
def missing(*patterns):
    """Without some files."""
    away = [path for pattern in patterns for path in pathlib.Path("/").glob(pattern.lstrip("/"))]
    must(len(away) >= len(patterns), f"not all there: {patterns}")
    for path in away:
        path.rename(f"{path}.away")
    try:
        yield
    finally:
        for path in away:
            pathlib.Path(f"{path}.away").rename(path)


@contextlib.contextmanager
def configured(lab, change=None, **options):
    """With another configuration."""
    lab.configure(lock=LOCK, **options)
    text = machine.CONFIGURATION.read_text()
    machine.CONFIGURATION.write_text(change(text) if change else text)
    try:
        yield
    finally:
        lab.configure(lock=LOCK)


@contextlib.contextmanager
def all_broken(lab):
    with configured(lab, lambda text: "nonsense\n" + text, port=CLOSED_PORT), missing(machine.HELPER, MODULE):
        yield


@dataclasses.dataclass(frozen=True)
class Case:
    """Who logs in with what, and how the machine is meanwhile."""

    person: str = "registered"
    passcode: str | None = "right"  # right, wrong, empty; None: gives up at the question
    around: object = lambda lab: contextlib.nullcontext()
    password: bool = True


CHOICE = "empty line: use your password"
CASES = {
    "right passcode": [Case()],
    "wrong passcode": [Case(passcode="wrong")],
    "wrong password": [Case(password=False)],
    "locked, or locked for good": [Case("locked"), Case("locked for good")],
    "not registered": [Case("unregistered")],
    "revoked at the server": [Case("revoked")],
    "the server answers with something else": [
        Case(around=lambda lab: configured(lab, lambda text: text.replace("/uaf/get", "/uaf/nothing")))],
    "server down": [Case(around=lambda lab: configured(lab, port=CLOSED_PORT))],
    "server down, wrong passcode": [Case(passcode="wrong", around=lambda lab: configured(lab, port=CLOSED_PORT))],
    "server down, revoked before": [Case("revoked", around=lambda lab: configured(lab, port=CLOSED_PORT))],
    '"use your password" chosen': [
        Case(passcode="empty", around=lambda lab: configured(lab, more=f'[prompt]\ncancel_text = {{ en = "{CHOICE}" }}'))],
    "Ctrl-C, or nobody to ask": [Case(passcode=None)],
    "core missing": [Case(around=lambda lab: missing(machine.HELPER))],
    "socket missing": [Case(around=lambda lab: missing(listener.SOCKET))],
    "configuration broken": [Case(around=lambda lab: configured(lab, lambda text: "nonsense\n" + text))],
    "module missing": [Case(around=lambda lab: missing(MODULE))],
    "one of uaf-rescue": [Case(RESCUE)],
    "one of uaf-rescue, all of it broken": [Case(RESCUE, around=all_broken)],
}


# --- People


def lock(lab, person, **options):
    """Has somebody locked, on the machine and from afar, by one guess each."""
    lab.configure(lock="retry_count_to_lock = 1\nlock_time = 300\n" + options.get("most", "max_lock_count = 3"))
    for remote in (None, REMOTE):
        must(not lab.login(person, "wrong-guess", remote=remote).is_in, "a wrong guess got in")


def people(lab):
    """Everybody the cases speak of, by what has become of them."""
    subprocess.run(["groupadd", "--force", RESCUE], check=True)
    found = {name: lab.person() for name in ("registered", "locked", "locked for good", "revoked", RESCUE)}
    found |= {name: lab.person(registered=False) for name in ("unregistered", "caller")}
    lab.run("usermod", "--append", "--groups", RESCUE, found[RESCUE].name)
    lab.run("uaf-server", "revoke", found["revoked"].name, "--state", "/srv/uaf")
    lock(lab, found["locked"])
    lock(lab, found["locked for good"], most="max_lock_count = 0")
    return found


# --- One login


@dataclasses.dataclass
class Seen:
    asked: tuple
    codes: list
    text: str

    def is_in(self):
        return bool(self.codes) and not any(self.codes)

    def is_refused(self):
        return bool(self.codes) and self.codes[0] != 0

    def __str__(self):
        end = "in" if self.is_in() else "refused" if self.is_refused() else f"neither in nor refused {self.codes}"
        return f"{', '.join(self.asked) or 'nothing'} → {end}"


def kind(prompt):
    """What a prompt asks for, or the prompt itself."""
    for word in ("passcode", "password"):
        if prompt.lower().startswith(word):
            return word
    return prompt.strip()


def log_in(service, person, caller, answers):
    """Goes through a login of the service, and answers each prompt by its kind; None gives up."""
    process = subprocess.Popen(
        [*service.prefix(person, caller), *hosts.command(service.name, person.name, service.remote), "--", *service.stages],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    asked, codes, lines, typed = [], [], [], None
    for line in process.stdout:
        word, _, rest = line.rstrip("\n").partition(" ")
        lines.append(line)
        if word == "result":
            codes.append(int(rest))
        elif word == "prompt":
            # The choice is a line of its own before the question.
            asked.append(kind(process.stdout.readline() if CHOICE in rest else rest))
            typed = typed if typed is not None and service.types_once else answers.get(asked[-1])
            if typed is None:
                process.stdin.close()
            else:
                process.stdin.write(typed + "\n")
                process.stdin.flush()
    process.wait()
    return Seen(tuple(asked), codes, "".join(lines))


def answers(case, person, right_password=True):
    passcode = {"right": person.passcode, "wrong": "wrong-guess", "empty": "", None: None}[case.passcode]
    return {"passcode": passcode, "password": person.password if right_password else "wrong-password"}


# --- The row


def cell(everybody, name, case, shape, expected):
    """Drives one cell of the table; returns how many logins that took and what is otherwise, as lines."""
    service, person = SERVICES[name], everybody[case.person]
    wrong = []

    def drive(right_password, asked, is_in, what):
        seen = log_in(service, person, everybody["caller"], answers(case, person, right_password))
        good = seen.asked == asked and (seen.is_in() if is_in else seen.is_refused())
        if not good:
            wrong.append(f"{what}: the table has {stack_table.Cell(asked, is_in)}, seen {seen}: {seen.text!r}")

    drive(case.password, expected.asked, expected.is_in, f"{shape}/{name}")
    # Where a password lets in, another one does not.
    if expected.is_in and "password" in expected.asked:
        until = expected.asked.index("password") + 1
        drive(False, expected.asked[:until], False, f"{shape}/{name}, wrong password")
        return 2, wrong
    return 1, wrong


def drive_case(lab, everybody, table, name, case):
    """One case in every service and shape; returns the count of logins and what is otherwise."""
    logins, wrong = 0, []
    with case.around(lab), concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for shape in stack_table.SHAPES:
            cells = {service: table.get((name, service, shape)) for service in SERVICES}
            cells = {service: expected for service, expected in cells.items() if expected is not None}
            for service in cells:
                host = SERVICES[service]
                hosts.ask_uaf(lab, host.name, shape, host.template)
            done = pool.map(lambda service: cell(everybody, service, case, shape, cells[service]), cells)
            for count, lines in done:
                logins += count
                wrong += [f"{name}, {line}" for line in lines]
            if case.passcode == "wrong":
                forget_guesses(lab, everybody["registered"])
    return logins, wrong


def forget_guesses(lab, person):
    """A right value, which counts no guess any more; the server is there for none of it."""
    for remote in (None, REMOTE):
        lab.login(person, person.passcode, remote=remote)


@row("stacks", "every stack of pam.d in every case of its table, with the services' own lines around it",
     "what the table in pam.d/README.md says: what is asked, and whether it lets in; a wrong password never does")
def stacks(lab):
    text = pathlib.Path(machine.ROOT, "pam.d/README.md").read_text()
    table = stack_table.read(text, {name: shapes(service) for name, service in SERVICES.items()})
    of_table = {case for case, _, _ in table}
    must(of_table == set(CASES), f"the table and the test differ in {sorted(of_table ^ set(CASES))}")
    for service, lines in DEBIAN.items():
        lab.stack(service, *lines.splitlines())
    listener.serve(lab)
    everybody = people(lab)
    lab.configure(lock=LOCK)
    logins, wrong = 0, []
    for name, case in [(name, case) for name, cases in CASES.items() for case in cases]:
        count, lines = drive_case(lab, everybody, table, name, case)
        logins += count
        wrong += lines
    must(not wrong, "\n".join(wrong))
    cells = sum(expected is not None for expected in table.values())
    return (f"{cells} cells as they stand there ({len(CASES)} cases, {len(SERVICES)} kinds of service, "
            f"{len(stack_table.SHAPES)} shapes), in {logins} logins")
