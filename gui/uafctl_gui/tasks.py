"""What the window can have uafctl do: one command line each. No secret is ever an argument; a code is `-`, the first line of
standard input."""

from dataclasses import dataclass
from enum import Enum

# scripts/gui.sh puts the folder here.
UAFCTL = "@BINDIR@/uafctl"


class Kind(Enum):
    """The steps that a person can choose."""

    REGISTER = "register"
    CHANGE = "change"
    FORGET = "deregister"
    # A new value with a new code, for somebody who has forgotten it or is locked.
    RECOVER = "recover"
    # A new key under the same value, after the server has refused the old one.
    REPAIR = "repair"


# The steps that begin with a code of the administrator's.
WITH_CODE = (Kind.REGISTER, Kind.RECOVER, Kind.REPAIR)
_COMMANDS = {Kind.RECOVER: "register"}


@dataclass(frozen=True)
class Task:
    """A step, for one authenticator type or for what the core chooses."""

    kind: Kind
    account: str = ""
    authenticator: str = ""
    has_code: bool = False

    @property
    def arguments(self) -> list[str]:
        """The command line. The account is named only beside a type: one word alone could be either of them."""
        code = ["--code", "-"] if self.has_code else []
        names = ["--", self.account, self.authenticator] if self.authenticator and self.account else []
        command = _COMMANDS.get(self.kind, self.kind.value)
        return [UAFCTL, command, "--json-conversation", "--together", *code, *names]


_LANGUAGE = ("LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES")

STATUS = [UAFCTL, "status", "--json"]


def environment(variables: dict[str, str]) -> dict[str, str]:
    """What uafctl gets of the session's environment: the language, and nothing else."""
    return {"PATH": "/usr/bin:/bin"} | {name: value for name, value in variables.items() if name in _LANGUAGE}
