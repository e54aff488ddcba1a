"""What uafctl prints for scripts, against the schemas of docs/schemas, by a validator that nobody here wrote."""

import copy
import json
import pathlib

from lab.table import Skip, must, row
from system.rows.switching import rescuer, uafctl

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
    """The document with one member left out or of another type, for each of its members."""
    for name in value:
        less, other = copy.deepcopy(value), copy.deepcopy(value)
        del less[name]
        other[name] = {"unexpected": 1} if not isinstance(value[name], dict) else "text"
        yield less
        yield other


def keeps_to(name, text):
    """The document; its schema accepts it, and names each of its members."""
    document = json.loads(text)
    errors = [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(document)]
    must(not errors, f"{name}: {errors} in {text}")
    known = schema(name)
    for kind in known.get("oneOf", []):
        if kind["properties"]["type"]["const"] == document["type"]:
            known = kind
    must(not undocumented(document, known), f"{name} does not name {undocumented(document, known)}")
    return document


@row(
    "json",
    "uafctl status, doctor, pam status and operations with --json, and --json-conversation: before and after each change",
    "each document and each line keeps to its schema, which names all members and refuses wrong ones",
)
def documents(lab):
    checked = []

    def look(name, text):
        checked.append((name, keeps_to(name, text)))
        return checked[-1][1]

    def status(person):
        return look("uafctl-status", uafctl(lab, "status", "--json", person.name).stdout)

    person, stranger, _ = lab.person(), lab.person(registered=False), rescuer(lab)
    must(status(stranger)["registeredTypes"] == 0 and status(person)["registeredTypes"] == 4, "what is registered")
    lab.login(person, "wrong-guess")
    must(status(person)["authenticators"][0]["remainingTries"] == 4, "the tries that are left")
    look("uafctl-pam-status", uafctl(lab, "pam", "status", "--json").stdout)
    uafctl(lab, "pam", "enable", "sudo", "--shape", "fallback")
    listed = look("uafctl-pam-status", uafctl(lab, "pam", "status", "--json").stdout)
    uafctl(lab, "pam", "disable", "sudo")
    must({"name": "sudo", "origin": "enabled", "template": "fallback/sudo", "edited": False} in listed["services"], listed)
    look("uafctl-doctor", uafctl(lab, "doctor", "--json", check=False).stdout)
    for answer in ("wrong-1", person.passcode):
        answers = json.dumps({"answer": answer}) + "\n"
        text = lab.run("uafctl", "authenticate", "--json-conversation", person.name, answers=answers, check=False).stdout
        lines = [json.loads(line)["type"] for line in text.splitlines()]
        must(lines[0] == "challenge" and lines[-1] in ("success", "failure"), f"no conversation: {text}")
        for line in text.splitlines():
            look("uafctl-conversation", line)
    for command, entries, kind in (
        ("authenticate", ["wrong-2"], "failure"),
        ("authenticate", [person.passcode], "success"),
        ("change", [person.passcode, "another-kite-52", "another-kite-52"], "success"),
        ("deregister", ["another-kite-52"], "success"),
    ):
        given = "\n".join(entries) + "\n"
        # The questions are on standard error, and here before it.
        end = lab.run("uafctl", command, "--json", person.name, answers=given, check=False).stdout.splitlines()[-1]
        must(look("uafctl-conversation", end)["type"] == kind, f"{command}: {end}")
    refused = sum(not validator(name).is_valid(changed) for name, document in checked for changed in mutations(document))
    must(refused > 2 * len(checked), f"the schemas refuse {refused} wrong documents only")
    return f"{len(checked)} documents and lines, {refused} with one member wrong refused"
