"""docs/runbooks: each page is played once, with the commands that it has."""

import json
import os
import pathlib
import shutil
import signal

from attack.clocks import WallClock
from lab import hosts, listener
from lab.machine import CONFIGURATION, STATE
from lab.page import Page
from lab.table import must, row
from lab.waiting import until
from system.rows.switching import uafctl

NAME, ADDRESS, PORT = "uaf.example.com", "127.0.7.1", 8443
SERVER, TLS, AUTHORITY = pathlib.Path("/var/lib/uaf-server"), pathlib.Path("/etc/uaf-server"), pathlib.Path("/etc/pam-uaf/ca.pem")
USER = "uaf-server"
# Root's folder, in which the authority of docs/two-machines.md is.
FOLDER = pathlib.Path("/srv/runbook")
NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
START, STOP = "systemctl start uaf-server", "systemctl stop uaf-server"
TWENTY_YEARS = 20 * 365 * 86_400
SEE, NOW, CHECK, AFTER = "How one sees it", "What to do now", "What to check", "Afterwards"
DOCTOR = "uafctl doctor || true"


class Desk:
    """A server under the name and in the folders of the pages, and a workstation with mina and otto, who is in uaf-rescue.

    `instead` is that of Page; an action may be the name of a method of this class.
    """

    def __init__(self, lab, name, instead=None, names=None):
        self._lab, self._process = lab, None
        actions = {command: getattr(self, act) if isinstance(act, str) else act for command, act in (instead or {}).items()}
        self.page = Page(f"docs/runbooks/{name}.md", names, actions)
        lab.after(self._remove)
        FOLDER.mkdir()
        for folder, owner in ((SERVER, USER), (TLS, "root"), (AUTHORITY.parent, "root")):
            if owner == USER and not lab.run("id", USER, check=False).stdout.startswith("uid"):
                lab.run("useradd", "--system", "--no-create-home", USER)
            mode = "0700" if owner == USER else "0755"
            lab.run("install", "-d", "-o", owner, "-g", owner, "-m", mode, folder)
        self._hosts = pathlib.Path("/etc/hosts").read_text()
        pathlib.Path("/etc/hosts").write_text(f"{self._hosts}{ADDRESS} {NAME}\n")
        self._certify()
        self.start()
        hosts.sudoers(lab, "ALL ALL=(ALL) ALL")
        self.otto = lab.rescuer()
        self.mina = lab.person(registered=False)
        # The pages call her mina.
        lab.run("usermod", "--login", "mina", self.mina.name)
        self.mina.name = "mina"
        self.configure()
        self.register(self.mina.passcode)
        uafctl(lab, "pam", "enable", "sudo", "--anyway", "--shape", "instead")
        lab.after(lambda: uafctl(lab, "pam", "disable", "sudo", check=False))

    def _remove(self):
        self.stop()
        self._lab.run("userdel", "--remove", "mina", check=False)
        pathlib.Path("/etc/hosts").write_text(self._hosts)
        for folder in (FOLDER, SERVER, TLS, AUTHORITY.parent):
            shutil.rmtree(folder, ignore_errors=True)

    def configure(self):
        """As `uafctl join` would have it: signed verdicts, with the key in a file of root's."""
        shutil.copy(SERVER / "verdict.pub", AUTHORITY.with_name("verdict.pub"))
        url = f"https://{NAME}:{PORT}/uaf"
        CONFIGURATION.unlink(missing_ok=True)
        CONFIGURATION.write_text(f"""[server]
request_url = "{url}/get"
response_url = "{url}/respond"
ca_file = "{AUTHORITY}"
require_signed_verdict = true
verdict_key = "{AUTHORITY.with_name("verdict.pub")}"
[state]
kdf_cost = 14
""")
        CONFIGURATION.chmod(0o644)

    def _certify(self):
        """The authority and the certificate of docs/two-machines.md."""
        made = FOLDER / "authority"
        made.mkdir(mode=0o700)
        self._lab.run("openssl", "req", "-x509", *NEW_KEY, "-days", "3650", "-subj", "/CN=Our authority", "-keyout",
                      made / "ca.key", "-out", made / "ca.pem")  # fmt: skip
        shutil.copy(made / "ca.pem", AUTHORITY)
        AUTHORITY.chmod(0o644)
        self.issue("365")

    def issue(self, days):
        """A certificate for the server, from now on."""
        made = FOLDER / "authority"
        self._lab.run("openssl", "req", *NEW_KEY, "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout",
                      TLS / "key.pem", "-out", made / "server.csr")  # fmt: skip
        self._lab.run("openssl", "x509", "-req", "-in", made / "server.csr", "-copy_extensions", "copy", "-days", days, "-CA",
                      made / "ca.pem", "-CAkey", made / "ca.key", "-out", TLS / "certificate.pem")  # fmt: skip
        (TLS / "key.pem").chmod(0o600)

    # --- Instead of systemctl

    def start(self):
        """Starts the server as its unit does: with copies of certificate and key that its user can read."""
        self._copy_certificate()
        log = open(FOLDER / "server.log", "ab")
        self._process = self._lab.start(
            "setpriv", "--reuid", USER, "--regid", USER, "--clear-groups", "uaf-server", "serve", "--state", SERVER,
            "--listen", f"{ADDRESS}:{PORT}", "--public-url", f"https://{NAME}:{PORT}", "--address-rate", "0",
            "--certificate", FOLDER / "tls/certificate.pem", "--key", FOLDER / "tls/key.pem", stdout=log, stderr=log,
        )  # fmt: skip
        until(self._answers, f"the server: {(FOLDER / 'server.log').read_text()[-400:]}", 60)

    def _copy_certificate(self):
        for name in ("certificate.pem", "key.pem"):
            self._lab.run("install", "-D", "-o", USER, "-g", USER, "-m", "0600", TLS / name, FOLDER / "tls" / name)
        os.chmod(FOLDER, 0o755)

    def _answers(self):
        must(
            self._process is not None and self._process.poll() is None,
            f"the server has ended: {(FOLDER / 'server.log').read_text()[-400:]}",
        )
        ask = ("curl", "-fsS", "--insecure", f"https://{NAME}:{PORT}/livez")
        return self._lab.run(*ask, check=False).returncode == 0

    def stop(self, number=signal.SIGTERM):
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait()
            self._process = None

    def reload(self):
        self._copy_certificate()
        if self._process is not None:
            self._process.send_signal(signal.SIGHUP)

    # --- People

    def register(self, passcode):
        path = FOLDER / "first.code"
        self._lab.run("uaf-server", "enrol", "mina", "--payload-file", path)
        self._lab.run("uafctl", "register", "mina", "--payload", path, answers=f"{passcode}\n{passcode}\n")
        path.unlink()

    def must_let_in(self, value=None):
        session = hosts.sudo(self.mina, value or self.mina.passcode)
        must(session.is_in, f"mina is not let in: {session.text}")
        return session.text

    def must_refuse(self, value=None):
        """The passcode is refused; otto of uaf-rescue gets in by the password."""
        session = hosts.sudo(self.mina, value or self.mina.passcode)
        must(not session.is_in, f"mina is let in: {session.text}")
        must(hosts.sudo(self.otto, self.otto.password).is_in, "otto of uaf-rescue is not let in by the password")
        return session.text

    # --- The page

    def play(self, *headings, passcode=None, **more):
        """Runs the commands below the headings, and returns their outputs by commands."""
        shown = {}
        for heading in headings:
            shown.update(self.page.play(heading, lambda prompt, command: self._run(prompt, command, passcode), **more))
        return shown

    def _run(self, prompt, command, passcode):
        if prompt == "mina@desk$":
            # She reaches the core by the socket, and gets the code as the page says.
            if not listener.is_listened_on():
                listener.serve(self._lab)
            home = FOLDER / "mina"
            home.mkdir(exist_ok=True)
            shutil.move(FOLDER / "mina.code", home / "mina.code")
            self._lab.run("chown", "-R", "mina", home)
            shell = ("setpriv", "--reuid", "mina", "--clear-groups", "sh", "-c", f"cd {home} && {command}")
            return self._lab.run(*shell, answers=f"{passcode}\n{passcode}\n").stdout
        return self._lab.run("sh", "-c", f"cd {FOLDER} && {command}").stdout

    def device(self):
        """The device id of mina's machine, as the server lists it."""
        lines = self._lab.run("uaf-server", "machines", "--json").stdout.splitlines()
        ids = [json.loads(line)["device"] for line in lines]
        must(len(ids) == 1, f"the machines of the server: {lines}")
        return ids[0]


def words(text):
    """What a terminal has shown, as one line."""
    return " | ".join(line for line in text.splitlines() if line.strip())


@row(
    "runbook-server-down",
    "docs/runbooks/server-down.md: the server is killed, and started as the page says",
    "the passcode is refused and uaf-rescue's password lets in; doctor names it; then the passcode lets in, the audit is whole",
    causes=("the machine",),
    limit=240,
)
def server_down(lab):
    status, journal = "systemctl status uaf-server || true", "journalctl -u uaf-server -n 50 --no-pager || true"
    desk = Desk(lab, "server-down", {status: None, journal: None, "systemctl restart uaf-server": "start"})
    desk.must_let_in()
    desk.stop(signal.SIGKILL)
    told = desk.must_refuse()
    must("[server-unreachable]" in desk.play(SEE)[DOCTOR], "doctor does not name the server")
    desk.play(NOW)
    checked = desk.play(CHECK)
    must("server-unreachable" not in checked[DOCTOR], f"doctor afterwards: {checked[DOCTOR]}")
    must(any(text.strip() == "ok" for text in checked.values()), f"readyz: {checked}")
    desk.must_let_in()
    desk.play(AFTER)
    return f"{desk.page.finish()} commands; mina was told: {words(told)}"


@row(
    "runbook-lost-laptop",
    "docs/runbooks/lost-laptop.md: mina's machine is revoked and her account closed; later she registers again",
    "refused from the revocation on, and shown as the page says; in again with a new passcode alone",
    causes=("somebody remote",),
    limit=240,
)
def lost_laptop(lab):
    desk = Desk(lab, "lost-laptop")
    desk.must_let_in()
    desk.play(NOW, DEVICE=desk.device())
    desk.must_refuse()
    shown = desk.play(CHECK)
    users, audit = (shown[f"uaf-server {what}"] for what in ("users", "audit list"))
    must("disabled" in users, f"users: {users}")
    must("laptop lost" in audit and "account-disabled" in audit, f"audit: {audit}")
    desk.play(AFTER, passcode="maple-comet-31")
    desk.must_let_in("maple-comet-31")
    desk.must_refuse()
    return f"{desk.page.finish()} commands; refused, closed, and in again with a new passcode alone"


@row(
    "runbook-leaked-state-folder",
    "docs/runbooks/leaked-state-folder.md: somebody has a copy of /var/lib/pam-uaf and knows the passcode",
    "the copy logs nobody in; mina is in with a new passcode under a new key of the machine",
    causes=("root",),
    limit=240,
)
def leaked_state(lab):
    desk = Desk(lab, "leaked-state-folder")
    desk.must_let_in()
    thiefs, own = FOLDER / "thief", FOLDER / "own"
    shutil.copytree(STATE, thiefs, copy_function=shutil.copy2)
    key = (STATE / "device.key").read_bytes()
    desk.play(NOW, passcode="maple-comet-31", DEVICE=desk.device())
    must((STATE / "device.key").read_bytes() != key, "the key of the machine is the old one")
    desk.must_let_in("maple-comet-31")
    must("FAIL state" not in desk.play(CHECK)[DOCTOR], "doctor complains of the new state folder")
    STATE.rename(own)
    shutil.copytree(thiefs, STATE)
    STATE.chmod(0o700)
    told = desk.must_refuse()
    shutil.rmtree(STATE)
    own.rename(STATE)
    desk.play(AFTER)
    desk.must_let_in("maple-comet-31")
    return f"{desk.page.finish()} commands; the copy with the right passcode: {words(told)}"


@row(
    "runbook-leaked-server-key",
    "docs/runbooks/leaked-server-key.md: the session secret and the verdict key are replaced",
    "logins are refused until the machine has the new public key, then accepted; both ids are new, the audit is whole",
    causes=("somebody remote",),
    limit=240,
)
def leaked_key(lab):
    def start():
        desk.start()
        desk.must_refuse()
        shutil.copy(SERVER / "verdict.pub", FOLDER)

    desk = Desk(lab, "leaked-server-key", {STOP: "stop", START: start})
    desk.must_let_in()
    listed = ("runuser", "-u", USER, "--", "uaf-server", "keys", "list", "--state", SERVER)

    def ids():
        return {kind: name for kind, name, *_ in map(str.split, lab.run(*listed).stdout.splitlines())}

    before = ids()
    desk.play(NOW)
    desk.must_let_in()
    checked = desk.play(CHECK)
    must("verdict-key" not in checked[DOCTOR], f"doctor: {checked[DOCTOR]}")
    after = ids()
    changed = {kind for kind in before if before[kind] != after.get(kind)}
    must({"secret", "verdict"} <= changed, f"the keys before: {before}, after: {after}")
    return f"{desk.page.finish()} commands; new: {', '.join(sorted(changed))}"


@row(
    "runbook-store-restored",
    "docs/runbooks/store-restored.md: a backup is restored, after which a machine had been revoked",
    "the revoked machine is valid again until the page's command; the audit is whole; mina is in again with a new code",
    causes=("the machine",),
    limit=240,
)
def store_restored(lab):
    saved, old = pathlib.Path("/srv/backups"), SERVER.with_name("uaf-server.old")
    for folder in (saved, old):
        lab.after(lambda folder=folder: shutil.rmtree(folder, ignore_errors=True))

    def start():
        desk.start()
        desk.must_let_in()

    desk = Desk(lab, "store-restored", {STOP: "stop", START: start}, {"BACKUP": f"{saved}/one"})
    lab.run("install", "-d", "-o", USER, "-g", USER, "-m", "0700", saved)
    lab.run("runuser", "-u", USER, "--", "uaf-server", "backup", saved / "one", "--state", SERVER)
    device = desk.device()
    lab.run("uaf-server", "revoke", "--device", device, "--reason", "lost")
    desk.must_refuse()
    desk.play(NOW, DEVICE=device)
    desk.must_refuse()
    checked = desk.play(CHECK)
    must("mina" in checked["uaf-server users"], f"users: {checked}")
    uafctl(lab, "forget", "mina")
    desk.register("maple-comet-31")
    desk.must_let_in("maple-comet-31")
    return f"{desk.page.finish()} commands; the key that was revoked after the backup let in until it was revoked again"


@row(
    "runbook-clock-wrong",
    "docs/runbooks/clock-wrong.md: the workstation's clock is twenty years ahead",
    "the passcode is refused, and never the way to the password; doctor names it; with the clock set it lets in",
    causes=("the machine",),
    limit=240,
)
def clock_wrong(lab):
    clock = WallClock(lab)
    ntp = {f"timedatectl set-ntp {state}": None for state in ("false", "true")}
    desk = Desk(lab, "clock-wrong", {'timedatectl set-time "YYYY-MM-DD HH:MM:SS"': lambda: clock.move(0), **ntp})
    clock.move(TWENTY_YEARS)
    told = desk.must_refuse()
    findings = ("[server-certificate]", "[clock-server]")
    seen = desk.play(SEE)[DOCTOR]
    must(any(name in seen for name in findings), f"doctor: {seen}")
    desk.play(NOW)
    checked = desk.play(CHECK)[DOCTOR]
    must(not any(name in checked for name in findings), f"doctor afterwards: {checked}")
    desk.must_let_in()
    return f"{desk.page.finish()} commands; mina was told: {words(told)}"


@row(
    "runbook-certificate-expired",
    "docs/runbooks/certificate-expired.md: the server's certificate has ended",
    "the passcode is refused, and never the way to the password; doctor names it; with the new one the same machine lets in",
    causes=("root",),
    limit=240,
)
def certificate(lab):
    desk = Desk(lab, "certificate-expired", {"systemctl reload uaf-server": "reload"})
    clock = WallClock(lab)
    desk.stop()
    clock.move(-10 * 86_400)
    desk.issue("1")
    clock.move(0)
    desk.start()
    told = desk.must_refuse()
    seen = desk.play(SEE)
    must("[server-certificate]" in seen[DOCTOR], f"doctor: {seen[DOCTOR]}")
    (ended,) = (text for command, text in seen.items() if "s_client" in command)
    desk.play(NOW)

    def shown():
        return next(text for command, text in desk.play(CHECK).items() if "s_client" in command)

    until(lambda: shown() != ended, "the new certificate after the reload", 30)
    must("server-certificate" not in desk.play(CHECK)[DOCTOR], "doctor still complains")
    desk.must_let_in()
    return f"{desk.page.finish()} commands; {ended.strip().splitlines()[-1]}; mina was told: {words(told)}"


@row(
    "runbook-vulnerability",
    "docs/runbooks/vulnerability.md: the versions, and pam_uaf out of the stacks and in again",
    "the versions are shown; out of the stacks the password lets in, and afterwards the passcode alone",
    causes=("root",),
    limit=240,
)
def vulnerability(lab):
    apt = {f"apt-get install --only-upgrade {name}": None for name in ("uaf-server", "libpam-uaf")}
    desk = Desk(lab, "vulnerability", apt)
    # The lab's own service, which uafctl has not written, is on no other machine.
    own = pathlib.Path("/etc/pam.d/uaf")
    held = own.read_bytes()
    own.unlink()
    lab.after(lambda: own.write_bytes(held))
    versions = desk.play(SEE)
    shown = versions["uafctl --version"].split()[-1], versions["uaf-server --version"].strip()
    must(shown[0] == shown[1], f"the versions: {versions}")
    desk.play(NOW)
    must(hosts.sudo(desk.mina, desk.mina.password).is_in, "the password is refused after disable")
    desk.play(CHECK, AFTER)
    desk.must_let_in()
    must(not hosts.sudo(desk.mina, desk.mina.password).is_in, "the password lets in again")
    return f"{desk.page.finish()} commands; {versions['uafctl --version'].strip()}"
