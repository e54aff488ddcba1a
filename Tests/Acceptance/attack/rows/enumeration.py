"""Whether texts and prompts reveal who has an account, and its state."""

import concurrent.futures
import hashlib
import json
import pathlib

from attack.recorder import Answer, Passage, Recorder, decode, encode, enrolment_code, request, respond
from lab import hosts
from lab.table import must, row
from lab.waiting import until

REMOTE = "192.0.2.7"
GUESS = "not-the-value-9"


def everybody(lab):
    """The people whose right value is refused, and {state: name} of the states that must look the same to a remote stranger."""
    states = ("registered", "locked", "locked for good", "locked Unix account", "one try left")
    people = {state: lab.person() for state in states}
    lock = "retry_count_to_lock = 2\nlock_time = 300\n"
    lab.configure(lock=f"{lock}max_lock_count = 0\n[lock.remote]\n{lock}")
    for _ in range(2):
        lab.login(people["locked"], GUESS + "x", remote=REMOTE)
        # Local locks also stop remote attempts, and become permanent.
        lab.login(people["locked for good"], GUESS + "y")
    lab.login(people["one try left"], GUESS + "z", remote=REMOTE)
    must(lab.status(people["locked for good"])["authenticators"][0]["permanent"], "nobody is locked for good")
    must(lab.status(people["locked"])["authenticators"][0]["remote"]["remainingLockSeconds"] > 0, "nobody is locked")
    lab.run("usermod", "--lock", people["locked Unix account"].name)
    names = {state: person.name for state, person in people.items()}
    right = {state: people[state] for state in ("locked", "locked for good")}
    return right, names | {
        "never registered": lab.person(registered=False).name,
        "no account": "hana9",
        "root": "root",
        "system account": "daemon",
        "a name that cannot be": "mina park",
    }


def neutral(text, name):
    return text.replace(name, "NAME")


@row(
    "A25",
    "distinguishing accounts by texts or prompts: registered, locked, permanently locked, unregistered, unknown, root ...",
    "the transcripts are equal byte for byte, through the small host and through sshd",
    causes=("somebody remote",),
)
def transcripts(lab):
    right, names = everybody(lab)
    seen = {}
    for state, name in names.items():
        login = hosts.login("uaf", name, GUESS, REMOTE)
        seen[state] = (login.code, neutral(login.text, name))
    for state, person in right.items():
        login = lab.login(person, person.passcode, remote=REMOTE)
        seen[f"{state}, right value"] = (login.code, neutral(login.text, person.name))
    tell_apart(seen, "the small host")
    # Entries that are not a value: empty, too long, not text.
    for entry in (b"", b"x" * 600, b"\xff\xfe", b"\x08\n\r\x7fINCORRECT"):
        logins = {state: hosts.login("uaf", name, entry, REMOTE) for state, name in names.items()}
        told = {state: (login.code, neutral(login.text, names[state])) for state, login in logins.items()}
        tell_apart(told, repr(entry[:9]))
    local = {hosts.login("uaf", names[state], GUESS).text for state in ("registered", "no account")}
    must(len(local) == 2, "the harness cannot tell states that are not hidden either: nothing is shown")
    text = next(iter(seen.values()))[1].replace("\n", " | ")
    through = "sshd is not here" if not pathlib.Path("/usr/sbin/sshd").exists() else over_ssh(lab, names)
    asked = on_the_way(lab, names)
    return f'{len(names)} states, 5 entries: one transcript ("{text}"); {through}; {asked}; {at_the_server(lab)}'


def tell_apart(seen, where):
    kinds = set(seen.values())
    must(len(kinds) == 1, f"{where} tells {len(kinds)} kinds apart: {seen}")


def on_the_way(lab, names):
    """The requests that each login sends to the server, while the person types and until the login ends."""
    passage = Passage(lab)
    seen = {}
    for state, name in names.items():
        passage.asked.clear()
        login = hosts.start("uaf", name, REMOTE)
        until(lambda: len(passage.asked) >= 2, f"{state}: a request and its list of facets, before anything was entered")
        hosts.finish(login, GUESS)
        seen[state] = tuple(passage.asked)
    tell_apart(seen, "the network")
    paths = " and ".join(path for _, path in seen["registered"])
    lab.configure()
    return f"the network: {paths} asked for each while the person types"


def over_ssh(lab, names):
    hosts.ask_uaf(lab, "sshd")
    hosts.sshd(lab, 2225)
    # ssh refuses such a name as an argument, and then shows no prompt.
    names = {state: name for state, name in names.items() if " " not in name}
    with concurrent.futures.ThreadPoolExecutor(len(names)) as pool:
        sessions = dict(zip(names, pool.map(lambda name: hosts.ssh(name, GUESS, port=2225), names.values())))
    must("Passcode" in sessions["registered"].text, f"sshd does not ask us: {sessions['registered']}")
    tell_apart({state: (each.status, neutral(each.text, names[state])) for state, each in sessions.items()}, "sshd")
    return f"sshd and ssh: one transcript for {len(sessions)}"


# --- An attacker who talks to the server without our client


def server_states(lab):
    """People with names of equal length, one in each state that a server knows; {state: name}."""
    person = lab.person()
    invited, unknown = (person.name.replace("mina", other) for other in ("hana", "suna"))
    enrolment_code(invited)
    return person, {"registered": person.name, "invited": invited, "unknown": unknown}


def shape(message):
    """A request without its parts that are always new and without the account's own key."""
    told = json.loads(json.dumps(message))
    told["header"]["serverData"] = len(decode(told["header"]["serverData"]))
    told["challenge"] = len(decode(told["challenge"]))
    for way in told["policy"]["accepted"]:
        for criteria in way:
            criteria["keyIDs"] = [len(decode(each)) for each in criteria.get("keyIDs", [])]
    return json.dumps(told, sort_keys=True)


def at_the_server(lab):
    person, names = server_states(lab)
    asked = {state: [request({"username": name}) for _ in range(2)] for state, name in names.items()}
    shapes = {shape(message) for pair in asked.values() for message in pair}
    must(len(shapes) == 1, f"the server's requests tell states apart: {shapes}")
    for state, pair in asked.items():
        must(pair[0]["policy"] == pair[1]["policy"], f"{state}: made-up keys change from one request to the next")
    sample = Recorder(lab).record(person)
    lab.configure()
    statuses = {state: respond(forged(sample, asked[state][0], name)) for state, name in names.items()}
    must(len(set(statuses.values())) == 1, f"a forged signature tells states apart: {statuses}")
    must(respond(sample) == 1200, "the sample was not good answer: nothing is shown")
    return (
        f"the server: requests of one shape for {len(names)} states, a forged signature by the key that is asked for: "
        f"status {statuses['registered']} for each"
    )


def forged(sample, message, name):
    """An answer to a request by the key it asks for, valid except for the signature."""
    answer = Answer(sample)
    answer.challenge(message)
    answer.context["username"] = name
    answer.message[0]["fcParams"] = encode(json.dumps(answer.parameters).encode())
    answer.is_changed = False
    envelope = answer.message[0]["assertions"][0]
    assertion = bytearray(decode(envelope["assertion"]))
    criteria = next(each for way in message["policy"]["accepted"] for each in way if "5541#0001" in each["aaid"])
    # TAG_KEYID and TAG_FINAL_CHALLENGE_HASH, 32 bytes each.
    for tag, value in (
        (b"\x09\x2e\x20\x00", decode(criteria["keyIDs"][0])),
        (b"\x0a\x2e\x20\x00", hashlib.sha256(answer.message[0]["fcParams"].encode()).digest()),
    ):
        place = assertion.index(tag) + 4
        assertion[place : place + 32] = value
    envelope["assertion"] = encode(bytes(assertion))
    return answer.body()
