"""The machines with which rows begin: bare ones, or ones with the packages, a server, people and their passcodes."""

import contextlib
import itertools
import os
import pathlib
import signal
import subprocess
import tempfile

from lab.processes import running
from lab.table import Skip, must
from lab.waiting import until
from packages.machine import Machine
from packages.publication import Publication

PACKAGES = ("libpam-uaf", "uaf-server")
# The window needs a toolkit that no machine of these rows has; rows/window.py installs it.
WINDOW = "uafctl-gui"
CONFIGURATION = "/etc/security/pam_uaf.conf"
SERVER = "https://127.0.0.1:8443"
PASSCODE, PASSWORD = "amber-kite-47", "unix-Password-77"
# The command that the hosts run after a login prints this text, and nobody types it.
LET_IN = "let-in"
SAY = "printf 'let-%s\\n' in"


class Scene:
    """The rows' machines by name, and actions on them. lab.run requires `tidy` and `thorough`."""

    thorough = False
    NEXT = "trixie"

    def __init__(self, folder):
        self._folder, self._root = folder, folder / "root"
        self._numbers = itertools.count(1)
        self._bare = self._root / "bare"
        self._installed = None
        self._publication = None
        self.archives = {name: next(folder.glob(f"{name}_*.deb")) for name in PACKAGES}
        self.window = next(folder.glob(f"{WINDOW}_*.deb"))
        self.version = subprocess.run(
            ["dpkg-deb", "--field", self.archives["libpam-uaf"], "Version"], text=True, stdout=subprocess.PIPE, check=True
        ).stdout.strip()
        self._why_not = ""
        self.can_boot = self._try_to_boot()

    def tidy(self):
        """Cleans nothing up: a row's machine ends with the row."""

    def _try_to_boot(self):
        try:
            with self._machine([self._bare], booted=True):
                return True
        except Exception as reason:
            self._why_not = str(reason)
            return False

    def _must_boot(self):
        if not self.can_boot:
            raise Skip(f"systemd cannot be started in namespaces here: {self._why_not}")

    def _machine(self, layers, booted, keeps_layer=False, own_network=False):
        return Machine(self._root / f"machine-{next(self._numbers)}", layers, booted, keeps_layer, own_network)

    def bare(self, booted=True):
        """A machine on which our packages were never installed."""
        if booted:
            self._must_boot()
        return self._machine([self._bare], booted)

    def installed(self, booted=None):
        """A machine with both packages, a server, mina with a passcode, and otto with a password alone."""
        if self._installed is None:
            with self._machine([self._bare], self.can_boot, keeps_layer=True) as machine:
                install(machine, self.archives)
                populate(machine)
                with_server(machine)
                configure(machine)
                register(machine, "mina")
                if machine.is_booted:
                    machine.run("systemctl", "stop", "uaf-server")
                machine.run("sync")
            self._installed = machine.layer
        if booted:
            self._must_boot()
        return self._machine([self._installed, self._bare], self.can_boot if booted is None else booted)

    def of_other_releases(self):
        """The packages that were built for other releases of Debian."""
        return sorted(self._folder.parent.glob("dist/*/build/packages/*.deb"))

    def next_release(self):
        """What apt needs to upgrade a machine of this release to the next one, our packages with it."""
        bundle = self._folder / "newer.tar"
        if not bundle.exists():
            raise Skip(f"nothing to upgrade to: only bookworm is upgraded, after make deb DIST={self.NEXT}")
        return bundle

    @property
    def released(self):
        """Every package of a release, by its name."""
        return self.archives | {WINDOW: self.window}

    @contextlib.contextmanager
    def scratch(self):
        """A folder in memory for the files of a row."""
        with tempfile.TemporaryDirectory(dir=self._root) as folder:
            yield pathlib.Path(folder)

    def unpublished(self):
        """A copy of the checkout that can be released, with the packages that were built."""
        return Publication(self._root / f"publication-{next(self._numbers)}", self.released, self.version)

    def publication(self):
        """A release of this checkout with a signed repository. It is made once, so rows change only copies of its files."""
        if self._publication is None:
            self._publication = self.unpublished().make()
        return self._publication

    def newer(self, package, folder):
        """The same package with a higher version, like a newer build."""
        return self.packed_again(package, folder, self.version + "+next1")

    def packed_again(self, package, folder, version, change=lambda inside: None):
        """A copy of a package with a different version and changed files."""
        inside, archive = folder / "inside" / f"{package}_{version}", folder / f"{package}_{version}.deb"
        inside.parent.mkdir(exist_ok=True)
        subprocess.run(["dpkg-deb", "--raw-extract", self.archives[package], inside], check=True)
        change(inside)
        control = inside / "DEBIAN/control"
        control.write_text(control.read_text().replace(f"Version: {self.version}\n", f"Version: {version}\n"))
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Znone", "--build", inside, archive], check=True, stdout=subprocess.DEVNULL
        )
        return archive


# --- Packages


def install(machine, archives, **environment):
    """What `apt install ./libpam-uaf.deb ./uaf-server.deb` does; returns what it printed."""
    paths = [machine.bring(archive, f"/var/tmp/{archive.name}") for archive in archives.values()]
    return machine.run("apt-get", "install", "--yes", "--no-install-recommends", *paths, **environment).stdout


def state_of(machine, package):
    """The state of a package in dpkg: "installed", "config-files", or "" if dpkg does not know it."""
    result = machine.run("dpkg-query", "-W", "-f", "${db:Status-Status}", package, check=False)
    return result.stdout.removeprefix("not-installed") if result.returncode == 0 else ""


def stacks(machine):
    """Every file of /etc/pam.d with its text, mode and owner."""
    found = {}
    for file in sorted(machine.path("/etc/pam.d").iterdir()):
        status = file.stat()
        found[file.name] = (file.read_text(), oct(status.st_mode), status.st_uid)
    return found


def services_with_module(machine):
    """The services whose lines name the module."""
    return sorted(
        name
        for name, (text, _, _) in stacks(machine).items()
        if any("pam_uaf.so" in line.partition("#")[0] for line in text.splitlines())
    )


# --- People and the server


def populate(machine):
    """mina and otto, who may use sudo; both have a password."""
    for name in ("mina", "otto"):
        machine.run("useradd", "--create-home", "--shell", "/bin/sh", "--groups", "sudo", name)
        machine.run("chpasswd", answers=f"{name}:{PASSWORD}\n")
    machine.write("/etc/sudoers.d/each-time", "Defaults passwd_tries=1, timestamp_timeout=0, lecture=never\n", 0o440)
    # Makes sshd show PAM's prompts one after the other, with as few delays as possible.
    machine.write("/etc/ssh/sshd_config.d/asks.conf", "KbdInteractiveAuthentication yes\nPasswordAuthentication no\n")


def with_server(machine):
    """Starts the package's server, with a certificate at the path that its service expects."""
    if not machine.path("/etc/uaf-server/key.pem").exists():
        made = "/root/certificates"
        maker = machine.converse("uaf-server", "serve", "--state", made, "--development", "--listen", "127.0.0.1:0")
        maker.until("listening on")
        end("uaf-server")
        maker.end()
        for name in ("certificate.pem", "key.pem"):
            machine.run("install", "-m", "0600", f"{made}/{name}", f"/etc/uaf-server/{name}")
        machine.run("install", "-D", "-m", "0644", f"{made}/ca.pem", "/etc/pam-uaf/ca.pem")
    if machine.is_booted:
        machine.run("systemctl", "start", "uaf-server")
        # Only the messages of this start: an earlier start has logged the same.
        start = machine.run("systemctl", "show", "--property=InvocationID", "--value", "uaf-server").stdout.strip()
        until(
            lambda: "listening on" in machine.run("journalctl", "--quiet", f"_SYSTEMD_INVOCATION_ID={start}").stdout,
            "the server's service",
        )
        return
    machine.run("chown", "-R", "uaf-server", "/etc/uaf-server")
    machine.run("install", "-d", "-o", "uaf-server", "-m", "0700", "/var/lib/uaf-server")
    server = machine.converse(
        "runuser",
        "-u",
        "uaf-server",
        "--",
        "uaf-server",
        "serve",
        "--state",
        "/var/lib/uaf-server",
        "--certificate",
        "/etc/uaf-server/certificate.pem",
        "--key",
        "/etc/uaf-server/key.pem",
    )
    server.until("listening on")


def rescuer(machine, name):
    """Makes an administrator a member of uaf-rescue, with a password."""
    machine.run("groupadd", "--system", "uaf-rescue")
    machine.run("usermod", "--append", "--groups", "uaf-rescue", name)


def end(program):
    """Ends a program as the administrator would; only one machine runs at a time."""
    for process in running(program):
        os.kill(process, signal.SIGTERM)
    until(lambda: not running(program), f"the end of {program}")


def without_server(machine):
    """Stops the server."""
    if machine.is_booted:
        machine.run("systemctl", "stop", "uaf-server")
    else:
        end("uaf-server")


def configure(machine):
    """Edits the package's configuration as an administrator does: removes the "#", and enters the server."""
    text = machine.read(CONFIGURATION)
    for before, after in (
        ("#[server]", "[server]"),
        ('#request_url  = "https://fido.example.com/uaf/get"', f'request_url = "{SERVER}/uaf/get"'),
        ('#response_url = "https://fido.example.com/uaf/respond"', f'response_url = "{SERVER}/uaf/respond"'),
        ("#ca_file     =", "ca_file     ="),
        ("#kdf_cost  = 16", "kdf_cost = 14"),
        ("#retry_count_to_lock = 5", "retry_count_to_lock = 3"),
    ):
        must(before in text, f"{CONFIGURATION} has no {before}")
        text = text.replace(before, after, 1)
    machine.write(CONFIGURATION, text)


def register(machine, name, passcode=PASSCODE):
    """Registers a passcode, as its person does it."""
    payload = machine.says(
        "runuser",
        "-u",
        "uaf-server",
        "--",
        "uaf-server",
        "enrol",
        name,
        "--state",
        "/var/lib/uaf-server",
        "--server",
        f"{SERVER}/uaf",
    )
    home = f"/home/{name}/payload"
    machine.write(home, payload, 0o600)
    machine.run("chown", name, home)
    if machine.is_booted:
        return machine.run(
            "runuser", "-u", name, "--", "uafctl", "register", "passcode", "--payload", home, answers=f"{passcode}\n{passcode}\n"
        )
    # Without systemd nobody listens at the socket, and only root can start the core.
    return machine.run("uafctl", "register", name, "passcode", "--payload", home, answers=f"{passcode}\n{passcode}\n")


# --- How they log in


def by_host(machine, name, answer, service="uaf", as_person=False):
    """The code that libpam returns to the small host."""
    prefix = ("runuser", "-u", name, "--") if as_person else ()
    text = machine.run(*prefix, "pam-host", "/etc/pam.d", service, name, answers=f"{answer}\n", check=False).stdout
    codes = [line.split()[1] for line in text.splitlines() if line.startswith("result ")]
    return int(codes[-1]) if codes else None


def sudo(machine, name, *answers):
    return machine.terminal("runuser", "-u", name, "--", "sudo", "sh", "-c", SAY, answers=answers)


def su(machine, caller, target, *answers):
    return machine.terminal("runuser", "-u", caller, "--", "su", "-c", SAY, target, answers=answers)


def console(machine, name, *answers):
    """A person logs in by `login`, with a shell that reports that it was started.

    As with getty, it has its own session and the terminal to itself: util-linux's login hangs up the terminal, which would kill
    any process that uses it.
    """
    machine.write("/usr/local/bin/say-let-in", f"#!/bin/sh\n{SAY}\n", 0o755)
    machine.run("usermod", "--shell", "/usr/local/bin/say-let-in", name)
    session = machine.terminal("setsid", "--ctty", "--wait", "login", name, answers=answers)
    machine.run("usermod", "--shell", "/bin/sh", name)
    return session


def ssh(machine, name, *answers):
    if not machine.is_booted and not running("sshd"):
        machine.run("/usr/sbin/sshd")
    return machine.terminal(
        "ssh",
        "-F",
        "none",
        "-o",
        "StrictHostKeyChecking=no",
        "-o",
        "UserKnownHostsFile=/dev/null",
        "-o",
        "PreferredAuthentications=keyboard-interactive",
        "-o",
        "NumberOfPasswordPrompts=1",
        "-o",
        "LogLevel=ERROR",
        "-l",
        name,
        "127.0.0.1",
        SAY,
        answers=answers,
    )


def passwords_let_in(machine):
    """Checks that everybody logs in by password alone through each real host; returns the number of logins."""
    tried = 0
    for name, other in (("mina", "otto"), ("otto", "mina")):
        for what, session in (
            ("sudo", sudo(machine, name, PASSWORD)),
            ("su", su(machine, other, name, PASSWORD)),
            ("login", console(machine, name, PASSWORD)),
            ("sshd", ssh(machine, name, PASSWORD)),
        ):
            must(LET_IN in session.text, f"{what} does not let {name} in by password: {session.text!r}")
            tried += 1
    must(LET_IN not in sudo(machine, "otto", "wrong").text, "sudo lets somebody in without the password")
    return tried
