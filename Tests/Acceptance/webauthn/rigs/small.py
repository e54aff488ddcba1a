"""The two small parties with the addresses of FIDO's conformance tools, and a stand-in for kanidm."""

import secrets

from webauthn.dialects import Enrolment
from webauthn.dialects.conformance import Conformance
from webauthn.rigs import NAME, OPEN, ORIGIN, PARTIES, PythonParty, lines


class Small(PythonParty):
    dialect = Conformance
    slow = False
    python = "small"

    def __init__(self, folder, records):
        super().__init__(folder, records)
        self.noted = self.folder / "accepted"

    def environment(self):
        return {"PYTHONPATH": str(PARTIES), "RP_ID": NAME, "ORIGINS": ORIGIN, "ACCEPTED": str(self.noted)}

    def enrol(self, account):
        return OPEN

    def accepted(self, what, account):
        return lines(self.noted, what, account)


class PyWebauthn(Small):
    """PyPI's webauthn: a code for each account, a session in a cookie."""

    name = "py_webauthn"
    application = ("by_py_webauthn:application",)

    def prepare(self):
        self._codes = self.folder / "codes"
        self._codes.touch()

    def environment(self):
        return super().environment() | {"CODES": str(self.folder / "codes")}

    def enrol(self, account):
        code = secrets.token_urlsafe(16)
        with self._codes.open("a") as file:
            file.write(f"{code} {account}\n")
        return Enrolment(code, {"Authorization": f"Bearer {code}"})


class PythonFido2(Small):
    """PyPI's fido2: anybody can register, and it needs no cookie."""

    name = "python-fido2"
    application = ("by_python_fido2:application",)


class KanidmTypes(PyWebauthn):
    """A stand-in for kanidm: its published types around PyPI's webauthn."""

    name = "kanidm"
    application = ("by_kanidm_types:application",)
    origin = f"https://{NAME}"
    stand_in = True

    def environment(self):
        return super().environment() | {"ORIGINS": self.origin}
