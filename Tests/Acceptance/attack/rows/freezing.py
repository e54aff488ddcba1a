"""Freezing one's own login, so that other people wait for it."""

import os
import pathlib
import secrets
import shutil
import signal
import subprocess

from attack import peer
from attack.cores import slot_holders, slots, timed
from lab import hosts
from lab.listener import serve
from lab.processes import running
from lab.table import Skip, must, row
from lab.waiting import until

# Everything that a person can limit for a process before it starts su.
SLOW = ("nice", "-n", "19", "chrt", "--idle", "0", "taskset", "-c", "0")
CGROUPS = [pathlib.Path("/sys/fs/cgroup/unified"), pathlib.Path("/sys/fs/cgroup")]


class Delegated:
    """A cgroup that belongs to a person, as systemd delegates one to each session."""

    def __init__(self, lab, person):
        root = next((path for path in CGROUPS if (path / "cgroup.procs").exists()), None)
        if root is None or not (root / "cgroup.stat").exists():
            raise Skip("no cgroup v2 is mounted")
        self.folder = root / f"attack-{secrets.token_hex(8)}"
        try:
            self.folder.mkdir()
        except OSError as error:
            raise Skip(f"no cgroup can be made: {error}") from None
        lab.after(self._end)
        if not (self.folder / "cgroup.kill").exists():
            raise Skip("this kernel's cgroups know no freezing and killing")
        for name in (".", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"):
            os.chown(self.folder / name, person.uid, person.uid)
        # A person can freeze whatever is in a subgroup of their own group.
        self.inner = self.folder / "inner"
        self._person = person
        self._as_person(self.inner.mkdir)

    def _as_person(self, action):
        with peer.identity(self._person.uid):
            action()

    def enter(self):
        """Moves a child into the cgroup before it executes a program."""
        (self.inner / "cgroup.procs").write_text("0")

    def write(self, name, value):
        """The actions of the person."""
        self._as_person(lambda: (self.inner / name).write_text(value))

    def wait_for(self, name, text):
        until(lambda: text in (self.inner / name).read_text(), f"{text} in {name} of the cgroup")

    def processes(self):
        return {int(line) for line in (self.inner / "cgroup.procs").read_text().split()}

    def _end(self):
        for folder in (self.folder / "inner", self.folder):
            if folder.exists():
                (folder / "cgroup.kill").write_text("1")
                until(lambda: "populated 0" in (folder / "cgroup.events").read_text(), "the end of a cgroup")
                folder.rmdir()


def setuid_host(lab):
    """The small host, installed setuid like su: the user who starts it may send it signals."""
    host = pathlib.Path("/usr/local/bin/pam-host-setuid")
    shutil.copy(hosts.PAM_HOST, host)
    host.chmod(0o4755)
    lab.after(host.unlink)
    return str(host)


class Held:
    """Logins that one person began inside their own cgroup, each with a wrong value for a different account.

    One of them is deriving its key, and the others wait, because a person may run only one derivation at a time.
    """

    def __init__(self, person, accounts, group, host, prefix=()):
        command = [
            *prefix,
            "setpriv",
            f"--reuid={person.uid}",
            f"--regid={person.uid}",
            "--clear-groups",
            host,
            "/etc/pam.d",
            "uaf",
        ]
        self.person, self._group, self._busy = person, group, []
        self.logins = [
            subprocess.Popen(
                [*command, account.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                preexec_fn=group.enter,
            )
            for account in accounts
        ]
        for process in self.logins:
            assert process.stdout
            while not (line := process.stdout.readline()).startswith(b"prompt"):
                must(line, "a login in a delegated cgroup asks nothing")
        for number, process in enumerate(self.logins):
            assert process.stdin
            process.stdin.write(f"wrong-guess-{number}\n".encode())
            process.stdin.flush()
        until(slot_holders, "a derivation is under way")
        self.cores = set(running("uaf-helper"))
        must(len(self.cores) == len(accounts), f"{len(self.cores)} cores for {len(accounts)} logins")

    def stop(self):
        for process in self.logins:
            must(self._may_signal(process.pid, signal.SIGSTOP), "a person cannot stop the host he started")

    def freeze(self):
        self._group.write("cgroup.freeze", "1")
        self._group.wait_for("cgroup.events", "frozen 1")

    def kill(self):
        self._group.write("cgroup.kill", "1")

    def _may_signal(self, process, number):
        # Uses a process of the person's, not a thread with the person's effective uid: the kernel checks the real uid too.
        return (
            subprocess.run(
                ["sh", "-c", f"kill -{int(number)} {process}"],
                user=self.person.uid,
                group=self.person.uid,
                extra_groups=[],
                stderr=subprocess.DEVNULL,
                check=False,
            ).returncode
            == 0
        )

    def starve(self):
        """The person chose their CPU share (SLOW), and now the person's other programs use all of it."""
        self._busy = [
            subprocess.Popen(
                ["taskset", "-c", "0", "sh", "-c", "while :; do :; done"],
                user=self.person.uid,
                group=self.person.uid,
                extra_groups=[],
            )
            for _ in range(3)
        ]

    def cores_that_obey(self):
        """How many of the cores accept a signal from the person who started them."""
        return sum(self._may_signal(core, 0) for core in self.cores)

    def end(self):
        self._group.write("cgroup.freeze", "0")
        for process in self.logins + self._busy:
            process.kill()
            process.communicate()


@row(
    "A3",
    "during a call: SIGSTOP; cgroup.freeze and cgroup.kill by the owner of a delegated cgroup; no processor time",
    "nobody else waits; the person cannot reach the core, which continues, and every value that it checked is counted",
    causes=("a local user",),
)
def held_still(lab):
    limit = 10
    lab.configure(cost=16, lock=f"retry_count_to_lock = {limit}\nlock_time = 300\nmax_lock_count = 10")
    accounts, host, seen = [lab.person() for _ in range(slots())], setuid_host(lab), []
    person = accounts[0]
    lab.configure()
    other = lab.person()
    lab.configure(
        lock=f"retry_count_to_lock = {limit}\nlock_time = 300\nmax_lock_count = 10",
        more=f"[lock.remote]\nretry_count_to_lock = {limit}",
    )
    group = Delegated(lab, person)
    for start in ("by the module", "by the socket"):
        if start == "by the socket":
            serve(lab)
        for what in ("stop", "freeze", "kill", "starve") if start == "by the module" or lab.thorough else ("freeze",):
            held = Held(person, accounts, group, host, SLOW if what == "starve" else ())
            obedient, inside = held.cores_that_obey(), held.cores & group.processes()
            slow = sum(os.sched_getscheduler(core) != 0 or len(os.sched_getaffinity(core)) == 1 for core in held.cores)
            getattr(held, what)()
            login, seconds = timed(lambda: lab.login(other, other.passcode))
            must(login.is_in, f"{what}, core started {start}: another person waited {seconds:.1f} s for {login}")
            must(not slow, f"{what}: {slow} of {slots()} cores started {start} run as slowly as their person likes")
            must(not inside, f"{what}: {len(inside)} of {slots()} cores started {start} are in their person's cgroup")
            must(obedient == 0, f"{obedient} of {slots()} cores started {start} take signals from their person")
            until(lambda: not running("uaf-helper"), f"{what}: the cores started {start} go on and end their derivations")
            # The guess at the person's own account counts as local, the guesses at other accounts as a different user's.
            told = [lab.status(account)["authenticators"][0] for account in accounts]
            left = [counts.get("otherUser", counts)["remainingTries"] for counts in told]
            must(set(left) == {limit - 1}, f"{what}, core started {start}: each looked at once, {left} of {limit} tries left")
            held.end()
            for account in accounts:
                lab.run("uafctl", "unlock", account.name)
            seen.append(f"{what} {start} {seconds:.1f} s")
    return (
        f"{slots()} logins of one person to as many accounts, in the middle of a derivation; another was in after: "
        f"{', '.join(seen)}; each guess counted, no core in its person's reach"
    )
