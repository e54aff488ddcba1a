"""Our client at third-party relying parties: uafctl registers, and logins go through libpam and sudo."""

import pathlib
import pwd
import shutil

from lab import hosts
from lab.machine import CONFIGURATION, PROGRAMS, Lab, Person
from lab.table import Skip, must, row
from webauthn import document
from webauthn.rigs import CERTIFICATES, NAME, OPEN

WRONG, LOCKED = "wrong-kite-11", 3
PASSCODE = "amber-kite-41"
VERDICT_KEY = pathlib.Path("/etc/ssl/verdict.pub")
# The section of the page with the client's configuration for each party, and what differs from it there.
SECTIONS = {
    "uaf-server": ("uaf-server", {}),
    "py_webauthn": ("Dialect webauthn", {}),
    "python-fido2": ("Dialect webauthn", {'"code"': '"open"'}),
    "go": ("Dialect webauthn", {'"code"': '"open"'}),
    "perl": ("Dialect webauthn", {'"code"': '"open"'}),
    "django-otp-webauthn": ("django-otp-webauthn", {}),
    "django-allauth": ("django-allauth", {}),
    "flask-security": ("Flask-Security", {}),
    "flask-security-class": ("Flask-Security", {'origin = "https://login.example.com"\n': ""}),
    "privacyidea": ("privacyIDEA", {}),
    "privacyidea-token": ("privacyIDEA", {'token_type = "passkey"': 'token_type = "webauthn"'}),
    "glewlwyd": ("glewlwyd", {}),
    "kanidm": ("kanidm", {}),
}
# privacyIDEA accepts every origin that client data and header have in common.
ANY_ORIGIN = {"privacyidea", "privacyidea-token"}


# The machine of the other suites, without its server.
MACHINE = Lab(thorough=False)


class Workstation:
    """This machine with our module in two services, and one person who is registered at a party."""

    def __init__(self, lab, name):
        self.party, self.account = lab.party(name), lab.account()
        if not pathlib.Path(hosts.PAM_HOST).exists():
            MACHINE.compile(PROGRAMS / "pam-host.c", hosts.PAM_HOST)
        for service in ("uaf", "sudo"):
            stack = "auth required pam_uaf.so\naccount required pam_permit.so\nsession required pam_permit.so\n"
            pathlib.Path("/etc/pam.d", service).write_text(stack)
        pathlib.Path("/etc/sudoers").write_text("root ALL=(ALL:ALL) ALL\n%sudo ALL=(ALL:ALL) ALL\n")
        pathlib.Path("/etc/ssl/party.pem").write_bytes((CERTIFICATES / "ca.pem").read_bytes())
        self.name = name
        self.configure()
        MACHINE.run("uafctl", "init")
        MACHINE.run("useradd", "--create-home", "--shell", "/bin/sh", "--groups", "sudo", self.account)
        self.person = Person(self.account, pwd.getpwnam(self.account).pw_uid, PASSCODE)

    def configure(self, origin=""):
        """Writes the configuration, with the cheapest derivation that a server elsewhere allows."""
        section, differing = SECTIONS[self.name]
        settings = document.block(section, "toml")
        for was, now in differing.items():
            settings = settings.replace(was, now)
        settings = settings.replace(f'base_url = "https://{NAME}', f'base_url = "{self.party.addresses()}')
        settings = settings.replace(f'origin = "https://{NAME}"', f'origin = "{self.party.origin}"')
        settings = settings.replace("/etc/pam-uaf/ca.pem", "/etc/ssl/party.pem")
        settings = settings.replace("/etc/pam-uaf/verdict.pub", str(VERDICT_KEY))
        if self.name == "uaf-server":
            VERDICT_KEY.write_bytes((self.party.state / "verdict.pub").read_bytes())
            VERDICT_KEY.chmod(0o644)
        if origin:
            lines = [line for line in settings.splitlines() if not line.startswith("origin")]
            settings = "\n".join([*lines, f'origin = "{origin}"'])
        CONFIGURATION.unlink(missing_ok=True)
        CONFIGURATION.write_text(f"""authenticators = ["passcode"]
{settings}
[state]
kdf_cost = 14
[lock]
retry_count_to_lock = {LOCKED}
lock_time = 300
""")
        CONFIGURATION.chmod(0o644)

    def register(self, code=None):
        """Registers the person as root would; `code` replaces the code that the party has issued."""
        enrolment = self.party.enrol(self.account)
        typed = f"{PASSCODE}\n{PASSCODE}\n"
        if enrolment is not OPEN:
            typed = f"{code or enrolment.code}\n{typed}"
        return MACHINE.run("uafctl", "register", self.account, answers=typed, check=False)

    def login(self, answer=PASSCODE):
        return hosts.login("uaf", self.account, answer)

    def sudo(self, *answers):
        """Runs sudo on the person's terminal, and types an answer at each prompt."""
        asked = ["sudo", "-k", "echo", hosts.LET_IN]
        return hosts.terminal(asked, answers, uid=self.person.uid)

    def logins(self):
        return self.party.accepted("login", self.account)

    def tries(self):
        """How many tries the passcode has left."""
        return MACHINE.status(self.person)["authenticators"][0]["remainingTries"]


def registered(lab, name):
    machine = Workstation(lab, name)
    told = machine.register()
    must(told.returncode == 0, f"uafctl register: {told}")
    must(machine.party.accepted("key", machine.account) == 1, f"the party has no key: {told}")
    return machine


def origin_at(name):
    """The row of an origin that one party does not know."""

    @row(
        f"{name}-client-origin",
        f"{name}: our client signs an origin that the party does not know",
        "refused by the party; the passcode was right, so no try is lost",
        limit=180,
    )
    def origin(lab):
        machine = registered(lab, name)
        machine.configure("https://elsewhere.example.com")
        result = machine.login()
        must(not result.is_in and machine.logins() == 0, f"{result}, {machine.logins()} logins")
        must(machine.tries() == LOCKED, f"{machine.tries()} tries are left")
        machine.configure()
        result = machine.login()
        must(result.is_in, f"with the right origin again: {result}")
        return "refused with all tries left, and in with the right origin"


def at(name):
    """The rows of our client at one party."""

    @row(f"{name}-client", f"{name}: our client registers, and logs in through libpam", "in; the party counts it", limit=180)
    def login(lab):
        machine = registered(lab, name)
        for number in (1, 2):
            result = machine.login()
            must(result.is_in, f"login {number}: {result}")
            must(machine.logins() == number, f"the party counted {machine.logins()} logins")
        return f"{result.text.strip().splitlines()[-1]}; the party counted 2"

    @row(
        f"{name}-client-sudo",
        f"{name}: our client in sudo: a wrong passcode, then the right one",
        "in at the second prompt",
        limit=180,
    )
    def sudo(lab):
        if not shutil.which("sudo"):
            raise Skip("there is no sudo here")
        machine = registered(lab, name)
        session = machine.sudo(WRONG, PASSCODE)
        must(session.is_in and machine.logins() == 1, f"{session}, {machine.logins()} logins")
        session = machine.sudo(WRONG, WRONG, WRONG)
        must(not session.is_in and machine.logins() == 1, f"{session}, {machine.logins()} logins")
        return "in after one wrong value; not in after three"

    @row(
        f"{name}-client-wrong",
        f"{name}: our client with wrong passcodes until it locks, then with the right one",
        "refused, and the party counts no login; in after root's unlock",
        limit=180,
    )
    def wrong(lab):
        machine = registered(lab, name)
        for number in range(LOCKED):
            result = machine.login(WRONG)
            must(not result.is_in, f"try {number + 1}: {result}")
        result = machine.login()
        must(not result.is_in and machine.logins() == 0, f"locked: {result}, {machine.logins()} logins")
        MACHINE.run("uafctl", "unlock", machine.account)
        result = machine.login()
        must(result.is_in and machine.logins() == 1, f"unlocked: {result}")
        return "locked after three wrong values; in after root's unlock"

    @row(
        f"{name}-client-doctor",
        f"{name}: uafctl doctor, before anybody has registered",
        "the server is recognised, and nothing about it fails",
        limit=180,
    )
    def doctor(lab):
        machine = Workstation(lab, name)
        said = MACHINE.run("uafctl", "doctor", check=False).stdout
        lines = [line for line in said.splitlines() if "server" in line]
        must(any(line.endswith("answers as a WebAuthn server does") for line in lines), said)
        must(not any("[server-" in line for line in lines), said)
        must(machine.party.accepted("login", machine.account) == 0, "doctor logged somebody in")
        return next(line for line in lines if line.endswith("does")).strip()

    @row(f"{name}-client-away", f"{name}: the party is away, and comes back", "refused with PAM 9, then in", limit=180)
    def away(lab):
        machine = registered(lab, name)
        machine.party.program.stop()
        try:
            result = machine.login()
        finally:
            machine.party.resume()
        must(result.code == hosts.AUTHINFO_UNAVAIL, f"while the party is away: {result}")
        return "PAM 9"

    @row(
        f"{name}-client-gone",
        f"{name}: our client deregisters, which such a party is not told, and tries to log in",
        "1009 for the account, and no login",
        limit=180,
    )
    def gone(lab):
        machine = registered(lab, name)
        MACHINE.run("uafctl", "deregister", machine.account, answers=f"{PASSCODE}\n")
        result = machine.login()
        must(not result.is_in and machine.logins() == 0, f"{result}")
        return f"{result.text.strip().splitlines()[0]}"


for party in SECTIONS:
    at(party)
    if party not in ANY_ORIGIN:
        origin_at(party)


@row(
    "uaf-server-client-verdict",
    "uaf-server: our client with the key of another server's verdicts, then with the right one, and a registration likewise",
    "refused although the server has accepted it; then in",
    limit=180,
)
def verdict(lab):
    machine = registered(lab, "uaf-server")
    own = VERDICT_KEY.read_bytes()
    made = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    MACHINE.run(*made, "-out", "/root/other.pem")
    MACHINE.run("openssl", "pkey", "-in", "/root/other.pem", "-pubout", "-out", str(VERDICT_KEY))
    result = machine.login()
    must(not result.is_in and machine.logins() == 1, f"with the other key: {result}, {machine.logins()} logins")
    other = Workstation(lab, "uaf-server")
    MACHINE.run("openssl", "pkey", "-in", "/root/other.pem", "-pubout", "-out", str(VERDICT_KEY))
    told = other.register()
    must(told.returncode != 0 and not other.login().is_in, f"registered with the other key: {told}")
    VERDICT_KEY.write_bytes(own)
    result = machine.login()
    must(result.is_in and machine.logins() == 2, f"with the right key: {result}, {machine.logins()} logins")
    return "refused with another key, in with the right one"


@row(
    "py_webauthn-client-code",
    "py_webauthn: our client registers with a code of somebody else",
    "refused; nothing is stored",
    limit=180,
)
def code(lab):
    machine = Workstation(lab, "py_webauthn")
    other = machine.party.enrol(lab.account()).code
    told = machine.register(other)
    must(told.returncode != 0 and machine.party.accepted("key", machine.account) == 0, f"uafctl register: {told}")
    must(not machine.login().is_in, "a login without a registration")
    return told.stdout.strip().splitlines()[-1]


@row(
    "flask-security-client-second",
    "flask-security: our client registers again after it has deregistered, which the server was not told",
    "in with the second key, although the server refuses two keys of one name",
    limit=180,
)
def second(lab):
    machine = registered(lab, "flask-security")
    MACHINE.run("uafctl", "deregister", machine.account, answers=f"{PASSCODE}\n")
    told = machine.register()
    must(told.returncode == 0, f"uafctl register: {told}")
    must(machine.party.accepted("key", machine.account) == 2, f"the party does not have two keys: {told}")
    result = machine.login()
    must(result.is_in and machine.logins() == 1, f"{result}")
    return "in; the party has two keys"


@row(
    "flask-security-client-password",
    "flask-security: our client registers with a wrong password, then with the right one",
    "1001 and no key; then a key",
    limit=180,
)
def password(lab):
    machine = Workstation(lab, "flask-security")
    told = machine.register("wrong-password-22")
    must(told.returncode != 0 and "1001" in told.stdout, f"uafctl register: {told}")
    must(machine.party.accepted("key", machine.account) == 0, "the party has a key")
    told = machine.register()
    must(told.returncode == 0 and machine.party.accepted("key", machine.account) == 1, f"uafctl register: {told}")
    return "refused with the wrong password; registered with the right one"
