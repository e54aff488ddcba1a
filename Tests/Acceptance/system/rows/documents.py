"""What uafctl prints for scripts, against the schemas of docs/schemas, by a third-party validator."""

import copy
import json
import pathlib

from lab.table import Skip, must, row
from system.rows.switching import uafctl

SCHEMAS = pathlib.Path(__file__).parents[4] / "docs/schemas"


def schema(name):
    return json.loads((SCHEMAS / f"{name}.json").read_text())


def validator(name):
    try:
        import jsonschema
    except ImportError:
        raise Skip("python3-jsonschema could not be fetched") from None
    jsonschema.Draft202012Validator.check_schema(schema(name))
    return jsonschema.Draft202012Validator(schema(name))


def undocumented(value, known):
    """The members that the schema does not name; it allows them, because later versions may add some."""
    if isinstance(value, list):
        return [name for item in value for name in undocumented(item, known.get("items", {}))]
    if not isinstance(value, dict):
        return []
    names = known.get("properties", {})
    return [name for name in value if name not in names] + [
        inner for name, item in value.items() if name in names for inner in undocumented(item, names[name])
    ]


def mutations(value):
    """The document with one member removed or of a different type, for each of its members."""
    for name in value:
        less, other = copy.deepcopy(value), copy.deepcopy(value)
        del less[name]
        other[name] = {"unexpected": 1} if not isinstance(value[name], dict) else "text"
        yield less
        yield other


def keeps_to(name, text):
    """The document; its schema accepts it, and names each of its members."""
    must(text.startswith("{"), f"{name}: no object: {text}")
    document = json.loads(text)
    errors = [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(document)]
    must(not errors, f"{name}: {errors} in {text}")
    known = schema(name)
    for kind in known.get("oneOf", []):
        if kind["properties"]["type"]["const"] == document["type"]:
            known = kind
    must(not undocumented(document, known), f"{name} does not name {undocumented(document, known)}")
    return document


class Documents:
    """uafctl's output in a row, each checked against its schema, and the commands that have shown success and failure."""

    def __init__(self, lab):
        self._lab = lab
        self.checked = []
        self.ended = set()

    def look(self, name, text):
        self.checked.append((name, keeps_to(name, text)))
        return self.checked[-1][1]

    def shown(self, name, *arguments, check=True):
        """The document of a command that asks nothing."""
        document = self.look(name, uafctl(self._lab, *arguments, "--json", check=check).stdout)
        self.ended.add((" ".join(arguments[: 2 if arguments[0] == "pam" else 1]), "success"))
        return document

    def end(self, kind, command, *arguments, entries=()):
        """The JSON document at the end of a command that prompts for the entries. Its prompts are on standard error, which is
        mixed with the output here."""
        said = self._lab.run(
            "uafctl", *command.split(), "--json", *arguments, answers="".join(f"{entry}\n" for entry in entries), check=False
        )
        end = self.look("uafctl-end", said.stdout.splitlines()[-1])
        must(end["type"] == kind and (kind == "success") == (said.returncode == 0), f"{command}: {said.returncode}: {end}")
        self.ended.add((command, kind))
        return end


def commands_with_json(lab):
    """Every uafctl command whose help mentions --json."""

    def subcommands(*path):
        text = uafctl(lab, *path, "--help").stdout
        _, _, listed = text.partition("SUBCOMMANDS:")
        for line in listed.splitlines():
            # Not the rest of a longer line, nor the hint below the list.
            if line.startswith("  ") and not line.startswith(("   ", "  See ")):
                yield from subcommands(*path, line.split()[0])
        if "--json " in text:
            yield " ".join(path)

    return set(subcommands())


def operations(lab, documents, person):
    """Each operation once with success and once refused."""
    taken = lab.payload(person)
    documents.end("failure", "authenticate", person.name, entries=["wrong-2"])
    documents.end("success", "authenticate", person.name, entries=[person.passcode])
    documents.end("failure", "change", person.name, entries=["wrong-3"])
    documents.end("success", "change", person.name, entries=[person.passcode, "another-kite-52", "another-kite-52"])
    documents.end("failure", "deregister", person.name, entries=["wrong-4"])
    documents.end("success", "deregister", person.name, entries=["another-kite-52"])
    documents.end("success", "register", person.name, "--code", taken, entries=[person.passcode] * 2)
    documents.end("failure", "register", person.name, "--code", taken, entries=[person.passcode])
    documents.end("failure", "repair", person.name)
    documents.end("success", "repair", person.name, "--code", lab.payload(person), entries=[person.passcode])
    documents.end("failure", "oob", "/nowhere", person.name)
    waiting = lab.run("uaf-server", "approve", person.name, "--text", "Pay 10 to Hana", "--state", "/srv/uaf").stdout
    code = pathlib.Path("/tmp/approval")
    code.write_text(waiting.split()[0] + "\n")
    code.chmod(0o600)
    documents.end("success", "oob", code, person.name, entries=[person.passcode])
    documents.end("success", "reset", person.name)
    documents.end("failure", "reset", person.name)


def joining(lab, documents):
    """Joins the lab's own server and leaves it."""
    made = lab.run("uaf-server", "join-code", "create", "--state", "/srv/uaf", "--json").stdout
    payload = pathlib.Path("/tmp/machine-payload")
    # The fingerprint is printed on standard error, which is mixed with the output here.
    payload.write_text(json.loads(next(line for line in made.splitlines() if line.startswith("{")))["payload"] + "\n")
    payload.chmod(0o600)
    documents.end("failure", "join", "--payload", "/nowhere")
    documents.end("failure", "check-in")
    joined = documents.shown("uafctl-join", "join", "--payload", payload)
    must(joined["group"] == "default", joined)
    documents.shown("uafctl-check-in", "check-in")
    documents.end("failure", "leave")
    documents.end("success", "leave", "--force")


def together(lab, documents, person):
    """A change that is cancelled at the form for the new value: one challenge, then two."""
    answers = json.dumps({"answers": [person.passcode]}) + "\n" + json.dumps({"cancel": True}) + "\n"
    words = ("change", "--json-conversation", "--together", person.name, "passcode")
    lines = lab.run("uafctl", *words, answers=answers, check=False).stdout.splitlines()
    asked = [len(document["challenges"]) for line in lines if "challenges" in (document := json.loads(line))]
    must(asked == [1, 2], f"not one challenge and then two: {lines}")
    for line in lines:
        documents.look("uafctl-conversation", line)


@row(
    "json",
    "every command of uafctl that has --json, done and refused, and --json-conversation: before and after each change",
    "each document and each line keeps to its schema, which names all members and refuses wrong ones",
)
def all_documents(lab):
    documents = Documents(lab)
    look = documents.look

    def status(person):
        return documents.shown("uafctl-status", "status", person.name)

    person, stranger, _ = lab.person(), lab.person(registered=False), lab.rescuer()
    must(status(stranger)["registeredTypes"] == 0 and status(person)["registeredTypes"] == 4, "what is registered")
    lab.login(person, "wrong-guess")
    must(status(person)["authenticators"][0]["remainingTries"] == 4, "the tries that are left")
    documents.end("failure", "status", "nobody-of-this-name")
    documents.shown("uafctl-pam-status", "pam", "status")
    uafctl(lab, "pam", "enable", "sudo", "--anyway", "--shape", "fallback")
    listed = documents.shown("uafctl-pam-status", "pam", "status")
    uafctl(lab, "pam", "disable", "sudo")
    must({"name": "sudo", "origin": "enabled", "template": "fallback/sudo", "edited": False} in listed["services"], listed)
    documents.end("failure", "pam status", "--pam-directory", "/nowhere")
    documents.shown("uafctl-doctor", "doctor", check=False)
    documents.end("failure", "doctor", "--conf", "")
    for answer in ("wrong-1", person.passcode):
        answers = json.dumps({"answer": answer}) + "\n"
        text = lab.run("uafctl", "authenticate", "--json-conversation", person.name, answers=answers, check=False).stdout
        lines = [json.loads(line)["type"] for line in text.splitlines()]
        must(lines[0] == "challenge" and lines[-1] in ("success", "failure"), f"no conversation: {text}")
        for line in text.splitlines():
            look("uafctl-conversation", line)
    together(lab, documents, person)
    operations(lab, documents, person)
    joining(lab, documents)
    lacking = {(command, kind) for command in commands_with_json(lab) for kind in ("success", "failure")} - documents.ended
    must(not lacking, f"not tried: {sorted(lacking)}")
    checked = documents.checked
    refused = sum(not validator(name).is_valid(changed) for name, document in checked for changed in mutations(document))
    must(refused > 2 * len(checked), f"the schemas refuse {refused} wrong documents only")
    return f"{len(checked)} documents and lines, {refused} with one member wrong refused"
