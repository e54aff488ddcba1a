"""Our own server as one more party, asked by the same clients."""

import json
import subprocess

from lab.codes import code_in
from webauthn.dialects import Enrolment
from webauthn.dialects.conformance import Conformance
from webauthn.rigs import CERTIFICATES, NAME, SECONDS, Party


class UAFServer(Party):
    """uaf-server: a code for each registration, and a row of the audit for what it accepts."""

    name = "uaf-server"
    dialect = Conformance
    slow = False
    # Accounts whose policy does not require that the authenticator verifies the person.
    unverified = tuple(f"unverified{number}" for number in range(1, 10))

    def prepare(self):
        self.state = self.folder / "state"
        self.policy = self.folder / "policy.json"
        group = {"accounts": self.unverified, "accepted": [["passcode"]], "passkeys": {"userVerification": "preferred"}}
        self.policy.write_text(json.dumps({"passkeys": {}, "groups": {"unverified": group}}))
        self._unverified = iter(self.unverified)
        # It reads a key only from its own user, and the other parties' files belong to somebody else.
        for name in ("leaf.pem", "leaf.key"):
            (self.folder / name).write_bytes((CERTIFICATES / name).read_bytes())
            (self.folder / name).chmod(0o600)

    def command(self):
        command = ["uaf-server", "serve", "--state", self.state, "--listen", f"127.0.0.1:{self.port}"]
        command += ["--public-url", f"https://{NAME}:{self.port}", "--policy", self.policy]
        command += ["--certificate", self.folder / "leaf.pem", "--key", self.folder / "leaf.key"]
        return [*command, "--account-rate", "0", "--address-rate", "0"]

    def enrol(self, account):
        code = code_in(self.told("enrol", account))
        return Enrolment(code, {"Authorization": f"Bearer {code}"})

    def unverified_account(self):
        """One of these accounts that no row has used."""
        return next(self._unverified)

    def accepted(self, what, account):
        kind = {"key": "registration", "login": "login"}[what]
        rows = self.told("audit", "list", "--account", account, "--kind", kind, "--outcome", "ok")
        return sum(line.split("\t")[2:3] == [kind] for line in rows.splitlines())

    def told(self, *arguments):
        """What one of its commands prints, notes included."""
        command = ["uaf-server", *(str(part) for part in arguments), "--state", str(self.state)]
        return subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=True
        ).stdout
