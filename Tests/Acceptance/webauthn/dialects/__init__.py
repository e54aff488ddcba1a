"""The client's side of each dialect, as small as the tests need it."""

import dataclasses

from webauthn.authenticator import HONEST, standard, url
from webauthn.channel import Answer


@dataclasses.dataclass(frozen=True)
class Enrolment:
    """What a person gets from the server's administrator, so that they may register a key.

    `code` is what a person would type or paste; the other two fields have it in the form that requests need.
    """

    code: str = ""
    headers: dict[str, str] = dataclasses.field(default_factory=dict)
    cookies: dict[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Offer:
    """The server's challenge for a login. `challenge` is its text in the client data."""

    account: str
    challenge: str
    rp_id: str
    allowed: tuple[bytes, ...] = ()
    # What has to be sent back.
    state: str = ""
    answer: Answer | None = None


@dataclasses.dataclass(frozen=True)
class Outcome:
    """Whether the server has accepted, and its answer."""

    accepted: bool
    answer: Answer
    # The account that the answer says is logged in; empty if it names none.
    who: str = ""


class Dialect:
    """One client of one server; a login is `begin`, a signature, and `finish`."""

    # How the dialect encodes bytes, and the other base64 form, which the server may not accept.
    encode, other = staticmethod(url), staticmethod(standard)

    def __init__(self, channel, authenticator):
        self.channel, self.authenticator = channel, authenticator

    def register(self, account, enrolment, twist=HONEST):
        """Registers a new key; returns the outcome and the credential."""
        raise NotImplementedError

    def begin(self, account):
        """Asks for a challenge."""
        raise NotImplementedError

    def finish(self, offer, signed):
        """Sends the answer to the server's challenge."""
        raise NotImplementedError

    def login(self, account, credential, twist=HONEST):
        """A whole login; returns the outcome."""
        offer = self.begin(account)
        return self.finish(offer, self.authenticator.sign(credential, offer.challenge, twist))


class Refused(Exception):
    """The server offers no challenge."""

    def __init__(self, answer):
        super().__init__(str(answer))
        self.answer = answer
