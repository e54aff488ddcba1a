"""People who come, change, go and come back."""

from directory.desk import COUNT, named, shown
from directory.slapd import PEOPLE, person
from lab.table import must, row


@row(
    "L1",
    "200 people with Korean names in pages of 30, from a directory that sends nobody more than 50 entries at once: a dry run, a "
    "run, and another run",
    "the dry run prints 200 accounts and changes nothing; the run adds them with name, mail, department and groups; then "
    "nothing is left to do",
)
def first(desk):
    desk.begin()
    dry = desk.sync("--dry-run")
    must(dry.status == 0 and len(dry.names("add")) == COUNT, f"dry run: {dry.status} {dry.notes}")
    must(desk.users() == {}, "the dry run has changed the store")
    done = desk.sync()
    must(done.status == 0 and done.steps == dry.steps, f"the run did something else: {done.notes}")
    users = desk.users()
    must(len(users) == COUNT, f"{len(users)} accounts")
    for number in (0, 7, 199):
        account, name = users[named(number)], named(number)
        must(account["displayName"] == shown(number) and account["mail"] == f"{name}@example.org", f"{account}")
        must(account["department"] == ("연구소", "영업부")[number % 2], f"{account}")
        must(account.get("groups", []) == (["책임자"] if number % 10 == 0 else []), f"{account}")
        must(account["externalID"].startswith("ldap:corp:"), f"{account}")
    again = desk.sync()
    must(again.status == 0 and again.steps == [], f"again: {again.steps[:3]}")
    return f"{len(dry.steps)} steps in the dry run and in the run, none after it; {users[named(7)]['displayName']} is p007"


@row(
    "L2",
    "a name that changes, somebody who is gone, and a new entry with the name of that person",
    "one change; the account disabled in the directory's name, with its data; the new entry does not get the account",
)
def change(desk):
    desk.begin()
    must(desk.sync().status == 0, "the first run failed")
    desk.directory.change(f"dn: uid=p003,{PEOPLE}\nchangetype: modify\nreplace: cn\ncn: Mina Kim\n-\ndelete: mail\n\n")
    desk.directory.remove("p004")
    dry, done = desk.sync("--dry-run"), desk.sync()
    told = [(step["step"], step["account"]) for step in done.steps]
    must(told == [("change", "p003"), ("disable", "p004")] and dry.steps == done.steps, f"{told}")
    users = desk.users()
    must(users["p003"]["displayName"] == "Mina Kim" and "mail" not in users["p003"], f"{users['p003']}")
    must(users["p004"]["block"]["by"] == "directory corp", f"{users['p004']}")
    must(users["p004"]["displayName"] == shown(4), "the data of somebody who is gone is gone")
    # A new entry has a new entryUUID; the person is the one whose account has the external ID.
    desk.directory.add(person("p004", shown(4), mail="p004@example.org", ou="연구소"))
    returned = desk.sync()
    must("uid=p004" in returned.notes and desk.disabled() == ["p004"], f"a new entry took the account: {returned.notes}")
    return f"{told}; a new entry with the old name does not get the account"


@row(
    "L3",
    "people whose entries leave the base and return to it, one of whom an administrator has disabled, and one locked before",
    "enabled when the entry is back; but not the one whom the administrator has disabled; the lock stands again",
)
def returns(desk):
    desk.begin()
    must(desk.sync().status == 0, "the first run failed")
    move = "dn: uid={},{}\nchangetype: modrdn\nnewrdn: uid={}\ndeleteoldrdn: 0\nnewsuperior: {}\n\n"
    away = "ou=groups,dc=example,dc=org"
    desk.run("lock", "p007", "--for", "86400", "--reason", "lost")
    for name in ("p005", "p006", "p007"):
        desk.directory.change(move.format(name, PEOPLE, name, away))
    must(desk.sync().names("disable") == ["p005", "p006", "p007"], "not disabled")
    desk.run("enable", "p006")
    desk.run("disable", "p006", "--reason", "stolen")
    for name in ("p005", "p006", "p007"):
        desk.directory.change(move.format(name, away, name, PEOPLE))
    done = desk.sync()
    must(done.names("enable") == ["p005", "p007"], f"{done.steps}")
    blocked = {name: account["block"] for name, account in desk.users().items() if "block" in account}
    must(sorted(blocked) == ["p006", "p007"] and "until" not in blocked["p006"], f"{blocked}")
    must(blocked["p007"]["reason"] == "lost" and "until" in blocked["p007"], f"{blocked}")
    kinds = desk.run("audit", "list", "--account", "p005").count("directory corp")
    must(kinds >= 3, "the audit does not name the directory")
    return f"enabled {done.names('enable')}, still blocked {sorted(blocked)}"


@row(
    "L4",
    "accounts that were made by hand: one without an entry, one with the name of an entry, and one that is handed over; and an "
    "administrator who changes and then is gone",
    "untouched; named; changed by its external ID; kept as it is, and named both times",
)
def others(desk):
    desk.begin([person("mina", "김미나"), person("jun", "박준"), person("boss", "최부장")])
    desk.run("enrol", "hand")
    desk.run("enrol", "jun")
    first_run = desk.sync()
    must(first_run.names("add") == ["boss", "mina"] and "uid=jun" in first_run.notes, f"{first_run}")
    identifier = f"ldap:corp:{desk.directory.identifier('jun')}"
    must(identifier in first_run.notes, "the external ID for the hand-over is not named")
    must("displayName" not in desk.users()["jun"], "an account that was made by hand has changed")
    desk.run("person", "jun", "--external-id", identifier)
    handed = desk.sync()
    must([(step["step"], step["account"]) for step in handed.steps] == [("change", "jun")], f"{handed}")
    must(desk.users()["jun"]["displayName"] == "박준", "the account that was handed over has not changed")
    desk.run("admin", "add", "boss", "auditor")
    desk.directory.change(f"dn: uid=boss,{PEOPLE}\nchangetype: modify\nreplace: cn\ncn: Boss\n\n")
    changed = desk.sync()
    must(changed.status == 0 and changed.steps == [] and "boss has a role" in changed.notes, f"{changed}")
    must(desk.users()["boss"]["displayName"] == "최부장", "somebody with a role has changed")
    desk.directory.remove("boss")
    gone = desk.sync()
    must(gone.status == 0 and gone.steps == [] and "boss is gone" in gone.notes, f"{gone}")
    must(desk.disabled() == [], f"{desk.disabled()}")
    return f"hand is untouched, jun only after the hand-over; {next(line for line in gone.notes.splitlines() if 'boss' in line)}"
