"""Server policies that an attacker withholds, stores, changes or signs on their way to a machine that follows them."""

import contextlib
import http.client
import json
import pathlib
import ssl
import time

from attack import clocks
from attack.recorder import decode, encode
from attack.signing import SERVER, Signer, claims_of, flipped, unsigned
from lab import forger
from lab.machine import PORT, Person
from lab.table import must, row
from lab.waiting import until

KIND = "workstation-policy+jwt"
BITS, TRIES, STRICTER, HOUR = 30, 5, 3, 3600
FOLLOW = '[policy]\nfollow = ["passcode", "pattern", "lock", "prompt.texts"]'
GOOD = f"[passcode]\nmin_length = 9\n[lock]\nretry_count_to_lock = {STRICTER}\n"
# Root's own lock settings, as the lab configures them.
LOCK = {"lock.retry_count_to_lock": TRIES, "lock.lock_time": 300, "lock.max_lock_count": 3}
PAYLOAD, TEXT = pathlib.Path("/tmp/machine-payload"), pathlib.Path("/tmp/policy.toml")


class Between:
    """A proxy with the server's own certificate that can replace a policy."""

    def __init__(self, lab):
        self.place = forger.Forger(lab, self._reply, shown=forger.STOLEN)
        # The forged policy, if any; the server's own answers; whether check-ins get no answer.
        self.instead, self.sent, self.is_away = None, None, False
        # How far the machine's clock is ahead. The server would refuse its proof, so the row signs with the server's key.
        self.ahead, self._signed = 0, {}

    def _reply(self, request):
        # Forwards the machine's proof by its secret; without that proof the server would not let the machine leave.
        if request.path not in ("/uaf/machine", "/uaf/join", "/uaf/leave"):
            return forger.passing(request)
        if self.is_away and request.path == "/uaf/machine":
            return b""
        if self.ahead:
            return self._answer_alone(request)
        proof = {name: request.headers[name] for name in ("uaf-machine",) if name in request.headers}
        context = ssl._create_unverified_context()
        with contextlib.closing(http.client.HTTPSConnection("127.0.0.1", PORT, timeout=30, context=context)) as server:
            server.request("POST", request.path, request.body, {"Content-Type": "application/json", **proof})
            response = server.getresponse()
            said = response.read()
        if request.path == "/uaf/machine" and response.status == http.client.OK:
            answer = json.loads(said)
            self._signed = answer
            self.sent = answer.get("policy", self.sent)
            if self.instead is not None:
                said = json.dumps({**answer, "policy": self.instead}).encode()
        return forger.answer(said, kind="application/json", status=f"{response.status} as said")

    def _answer_alone(self, request):
        """The server's last answer, signed for this proof and for the machine's time."""
        token, now = self._signed["token"], int(time.time()) + self.ahead
        # docs/protocol.md, "Known machines": after version, operation, id and time.
        nonce = encode(decode(request.headers["uaf-machine"])[26:42])
        claims = {**claims_of(token), "nonce": nonce, "iat": now, "exp": now + 60}
        signed = {"token": Signer.server().sign("machine-checkin+jwt", claims, like=token), "policy": self.instead}
        return forger.answer(json.dumps({**self._signed, **signed}), kind="application/json")


class Follower:
    """The machine: joins through the proxy, and reports the values in force and their sources."""

    def __init__(self, lab):
        self.lab, self.between, self.refused = lab, Between(lab), 0
        # The people register before the machine joins: their codes name the server's own address.
        self.person, self.victim, self.root = lab.person(), lab.person(), Person("root", 0, "amber-kite-root")
        lab.register(self.root)
        lab.after(lambda: lab.run("uafctl", "forget", "root"))
        self.server = Signer.server()

    def join(self):
        url = f"https://127.0.0.1:{self.between.place.port}"
        made = self.lab.run("uaf-server", "join-code", "create", "--server", url, "--state", SERVER, "--json").stdout
        code = json.loads(next(line for line in made.splitlines() if line.startswith("{")))
        PAYLOAD.unlink(missing_ok=True)
        PAYLOAD.touch(0o600)
        PAYLOAD.write_text(code["payload"] + "\n")
        self.lab.run("uafctl", "join", "--payload", PAYLOAD)

    def leave(self):
        self.lab.run("uafctl", "leave", "--force", check=False)

    def check_in(self, instead=None):
        """Checks in, and receives this instead of the server's policy."""
        self.between.instead = instead
        try:
            return self.lab.run("uafctl", "check-in", check=False)
        finally:
            # A login also checks in if the server has news.
            self.between.instead = None

    def standing(self):
        """The version in force, and each value that a policy may change, with its source."""
        policy = self.lab.status(self.person)["policy"]
        must("note" not in policy, f"the policy in force has a note: {policy}")
        return policy.get("version"), {value["key"]: (value["value"], value["from"]) for value in policy["values"]}

    def goes_on(self, what):
        login = self.lab.login(self.person, self.person.passcode)
        must(login.is_in, f"{what}: the person is not let in: {login}")

    def refuses(self, what, why, token):
        """A policy that is received and rejected: the old one stays in force, the log says why, and logins continue."""
        before, mark = self.standing(), self.lab.log.mark()
        said = self.check_in(token)
        told = [line for line in self.lab.log.since(mark, "policy is not used") if "policy is not used" in line]
        must(said.returncode == 0, f"{what}: the check-in itself fails: {said.stdout.strip()}")
        must(self.standing() == before, f"{what}: taken: {self.standing()}, before {before}")
        must(any(why in line for line in told), f"{what}: not {why!r} in the log: {told}")
        if not self.between.ahead:
            self.goes_on(what)
        self.refused += 1

    def takes(self, what, claims):
        """A policy that is received and accepted; returns the values."""
        said = self.check_in(self.server.sign(KIND, claims, like=self.between.sent))
        version, values = self.standing()
        must(
            said.returncode == 0 and version == claims["version"],
            f"{what}: not taken: {said.stdout.strip()}, in force is {version}",
        )
        return values


def not_for_it(machine, claims):
    """Answers that the server did not sign for this machine and this time, each wrong in one way."""
    server, like, now = machine.server, machine.between.sent, int(time.time())
    newer = {**claims, "version": claims["version"] + 1}

    def signed(**changed):
        return server.sign(KIND, {**newer, **changed}, like=like)

    machine.refuses("an older version", "is older than the last policy", signed(version=claims["version"] - 1))
    machine.refuses("another machine", "for a different machine", signed(machine="0" * len(claims["machine"])))
    machine.refuses("another group", "for a different group", signed(group="lab"))
    machine.refuses("nobody", "is not signed", unsigned(KIND, newer))
    machine.refuses("another key", "is not signed", Signer.stranger().sign(KIND, newer, like=like))
    machine.refuses("another type", "is not signed", server.sign("unlock+jwt", newer))
    machine.refuses("not yet good", "is not valid yet", signed(nbf=now + HOUR))
    for number, changed in enumerate(flipped(signed(), BITS)):
        machine.refuses(f"changed bit {number}", "is not signed", changed)


def not_allowed(machine, claims):
    """Values that the server itself has signed but that no policy may have."""
    for what, text, why in (
        ("nothing meets it", "[passcode]\nmin_length = 20\nmax_length = 10\n", "min_length"),
        ("nothing meets it and root's", "[passcode]\nmax_length = 5\n", "min_length"),
        ("[server]", '[server]\nrequest_url = "https://198.51.100.7/uaf/get"\n', "server"),
        ("[service.sudo]", '[service.sudo]\nauthenticators = ["pattern"]\n', "service"),
        ("[policy]", "[policy]\nfollow = []\n", "policy"),
        ("root's own lock", "[lock]\nroot_permanent_lock = true\n", "root_permanent_lock"),
        ("no TOML", "[lock\n", "must end with ]"),
    ):
        token = machine.server.sign(KIND, {**claims, "version": claims["version"] + 1, "toml": text}, like=machine.between.sent)
        machine.refuses(what, why, token)


def away(machine):
    """A server that does not answer a check-in, which an interceptor can cause."""
    before = machine.standing()
    machine.between.is_away = True
    said = machine.check_in()
    must(said.returncode != 0, f"no answer, and the check-in succeeds: {said.stdout.strip()}")
    must(machine.standing() == before, "a server that is away changes the policy")
    machine.goes_on("the server does not answer check-ins")
    machine.between.is_away = False


def over(machine, claims):
    """A policy that has expired by the machine's clock."""
    wall, now = clocks.WallClock(machine.lab), int(time.time())
    short = {**claims, "version": claims["version"] + 1, "iat": now, "nbf": now, "exp": now + HOUR}
    machine.between.ahead = 2 * HOUR
    wall.move(2 * HOUR)
    machine.refuses("it has expired", "has expired", machine.server.sign(KIND, short, like=machine.between.sent))
    wall.move(0)
    machine.between.ahead = 0
    machine.goes_on("a policy whose time was over")


def locks(machine, claims):
    """A looser lock leaves root's setting in force; the strictest lock locks people, but never root."""
    lab, root, victim = machine.lab, machine.root, machine.victim
    loose = "[lock]\nretry_count_to_lock = 10\nlock_time = 30\nmax_lock_count = 10\n"
    values = machine.takes("a looser lock", {**claims, "version": claims["version"] + 1, "toml": loose})
    loosened = {key: value for key, value in values.items() if key in LOCK and int(value[0]) != LOCK[key]}
    must(not loosened, f"a policy has made root's lock looser: {loosened}")
    strict = "[lock]\nretry_count_to_lock = 1\nlock_time = 3600\nmax_lock_count = 0\n"
    machine.takes("the strictest lock", {**claims, "version": claims["version"] + 2, "toml": strict})
    lab.guesses(victim, 1)
    must(not lab.login(victim, victim.passcode).is_in, "the policy's lock does not count for a person")
    lab.guesses(root, TRIES - 1)
    login = lab.login(root, root.passcode)
    must(login.is_in, f"after {TRIES - 1} of root's {TRIES} tries a policy keeps root out: {login}")


def before_joining(machine, claims):
    """A policy that was signed for this machine and group during an earlier membership."""
    kept = machine.server.sign(KIND, {**claims, "iat": int(time.time())}, like=machine.between.sent)
    machine.leave()
    until(lambda: int(time.time()) > claims_of(kept)["iat"], "another second than that of the token")
    # Otherwise the join itself would deliver the server's own policy.
    machine.between.is_away = True
    machine.join()
    machine.between.is_away = False
    must(machine.standing()[0] is None, "a policy is in force after the machine has joined again")
    machine.refuses("signed before it joined", "before this machine joined", kept)
    machine.check_in()
    must(machine.standing()[0] == claims["version"], "after those tries the server's own policy is not taken")


@row(
    "A83",
    "a policy in transit: older, for others, unsigned, changed, expired, from before joining; from the server: looser, "
    "impossible, with more sections",
    "the policy in force stays, the log says why, logins continue; no lock looser than root's, and no policy's lock for root",
    causes=("the network", "the server"),
)
def attacked(lab):
    # The server's policies stay after the row; without a machine that follows them they affect nobody.
    machine = Follower(lab)
    lab.after(machine.leave)
    lab.configure(port=machine.between.place.port, more=FOLLOW)
    machine.join()
    TEXT.write_text(GOOD)
    for reason in ("the first", "the one that counts"):
        lab.run("uaf-server", "machine-policy", "set", TEXT, "--reason", reason, "--state", SERVER)
    machine.check_in()
    claims = claims_of(machine.between.sent)
    version, values = machine.standing()
    must(version == claims["version"], f"the server's own policy is not taken: {version}")
    must(values["lock.retry_count_to_lock"] == (str(STRICTER), f"policy {version}"), f"the values: {values}")
    not_for_it(machine, claims)
    not_allowed(machine, claims)
    away(machine)
    before_joining(machine, claims)
    # Signed after the machine joined again.
    claims = claims_of(machine.between.sent)
    locks(machine, claims)
    over(machine, {**claims, "version": claims["version"] + 2})
    return (
        f"{machine.refused} refused, each with its reason in the log, among them {BITS} with one bit changed; "
        f"a looser lock left root's {TRIES} tries; the strictest locked a person after one wrong entry, and not root after "
        f"{TRIES - 1}; a server that was away changed nothing"
    )
