"""What `uafctl status --json` says of the person's own account: docs/schemas/uafctl-status.json.

Only what the window shows is read, and that strictly.
"""

import unicodedata
from dataclasses import dataclass

from uafctl_gui import messages
from uafctl_gui.messages import Ending, Unreadable, json_object, text_of, whole

USABLE = 3006
UNREGISTERED = 3007
TYPES = ("passcode", "pattern", "fingerprint")
# The bits of FIDO's user verification methods.
_BITS = {"passcode": 4, "pattern": 128, "fingerprint": 2}
_MOST = 16


@dataclass(frozen=True)
class Authenticator:
    """One authenticator that has a value on this machine."""

    kind: str
    state: int
    is_usable: bool = True
    is_locked: bool = False
    is_permanent: bool = False
    lock_seconds: int = 0
    remaining_tries: int | None = None
    # "ahead", "forbidden", "revoked" or "unknown"; empty if the server accepts the key, as far as this machine knows.
    at_server: str = ""


@dataclass(frozen=True)
class Status:
    """The account on this machine."""

    account: str
    registered: tuple[Authenticator, ...] = ()
    available: tuple[str, ...] = ()
    codes_set_values: bool = False
    takes_codes: bool = True

    @property
    def is_registered(self) -> bool:
        """Whether anything is registered."""
        return bool(self.registered)

    @property
    def needs_new_key(self) -> bool:
        """Whether the server has refused a key that the person can replace under the same value."""
        return any(one.at_server in ("ahead", "revoked", "unknown") for one in self.registered)


def read(document: bytes) -> Status | Ending:
    """The status, or how the command has failed."""
    members = json_object(document)
    if "type" in members:
        if members["type"] != "failure":
            raise Unreadable("the status has a type that is not known")
        return messages.ending(members)
    account = members.get("account")
    if not isinstance(account, dict):
        raise Unreadable("the status names no account")
    name = text_of(account, "name")
    # It becomes a word of a command line.
    if not 1 <= len(name) <= 256 or any(unicodedata.category(character) == "Cc" for character in name):
        raise Unreadable("the name of the account is none")
    bits, usable = whole(members, "registeredTypes") or 0, whole(members, "usableTypes") or 0
    locked, available = whole(members, "lockedTypes") or 0, whole(members, "availableTypes") or 0
    listed = members.get("authenticators")
    if not isinstance(listed, list) or len(listed) > _MOST:
        raise Unreadable("the authenticators are no list, or too many")
    registered = [
        _authenticator(each, usable, locked) for each in listed if isinstance(each, dict) and _bit(each) & bits
    ]  # fmt: skip
    return Status(
        name,
        tuple(registered),
        tuple(kind for kind in TYPES if _BITS[kind] & available),
        members.get("codesSetValues") is True,
        members.get("takesCodes") is not False,
    )


def _bit(members: dict[str, object]) -> int:
    kind = members.get("type")
    return _BITS.get(kind, 0) if isinstance(kind, str) else 0


def _authenticator(members: dict[str, object], usable: int, locked: int) -> Authenticator:
    bit = _bit(members)
    return Authenticator(
        text_of(members, "type"),
        whole(members, "state") or 0,
        bool(usable & bit),
        bool(locked & bit),
        members.get("permanent") is True,
        whole(members, "remainingLockSeconds") or 0,
        whole(members, "remainingTries"),
        messages.perhaps(members, "atServer") or "",
    )
