"""Answers that are too small, incomplete or wrong."""

from directory.desk import named
from directory.slapd import FEW, PEOPLE, entry, person
from lab.table import must, row


def refused(desk, run, status, text):
    """Checks that a run was refused and has changed nothing."""
    must(run.status == status and text in run.notes, f"exit {run.status}: {run.notes[-300:]}")
    must(desk.disabled() == [], f"accounts were disabled: {desk.disabled()}")


@row(
    "L5",
    "11 of 200 people are gone at once, and then everybody is",
    "nothing is done: exit status 6 with the number; after --may-disable 11, the 11 are disabled; a directory without people "
    "is refused whatever is allowed",
)
def limit(desk):
    desk.begin()
    must(desk.sync().status == 0, "the first run failed")
    gone = [named(number) for number in range(20, 31)]
    desk.directory.remove(*gone)
    desk.directory.add(person("newcomer", "새사람"))
    for options in ((), ("--dry-run",)):
        run = desk.sync(*options)
        refused(desk, run, 6, "11 accounts would be disabled, and at most 10")
    must("newcomer" not in desk.users(), "a part was done")
    allowed = desk.sync("--may-disable", "11")
    must(allowed.status == 0 and desk.disabled() == gone and "newcomer" in desk.users(), f"{allowed.notes}")
    nobody = desk.sync("--may-disable", "500", filter="(objectClass=device)")
    must(nobody.status == 1 and "has nobody" in nobody.notes and desk.disabled() == gone, f"{nobody}")
    return "exit status 6 twice, nothing done; 11 disabled when allowed; an empty directory is refused"


@row(
    "L6",
    "a directory that ends the answer at its size limit, which the account of the search has",
    "the entries before the limit are not used: exit status 1",
)
def size_limit(desk):
    desk.begin()
    must(desk.sync().status == 0, "the first run failed")
    run = desk.sync("--may-disable", "500", bindDN=FEW)
    refused(desk, run, 1, "size limit")
    return run.notes.strip()[-120:]


@row(
    "L7",
    "entries that cannot be used: a name with a space, a name in Korean, a mail without @, two with one name, and one without "
    "the ID",
    "each is named by its DN and left out, and nobody among them is disabled; without the ID the whole answer is refused",
)
def entries(desk):
    good = [person("mina", "김미나"), person("jun", "박준", mail="jun@example.org")]
    desk.begin(good)
    must(desk.sync().status == 0, "the first run failed")
    desk.directory.change(f"dn: uid=jun,{PEOPLE}\nchangetype: modify\nreplace: mail\nmail: jun\n\n")
    twin = entry(f"cn=twin,{PEOPLE}", "inetOrgPerson", cn="twin", sn="twin", uid="mina")
    desk.directory.add(person("kim minsu", "김민수"), person("민수", "김민수"), twin)
    run = desk.sync()
    must(run.status == 0 and run.steps == [] and desk.disabled() == [], f"{run}")
    named_entries = [line for line in run.notes.splitlines() if "left out: " in line]
    must(len(named_entries) == 5, f"{named_entries}")
    ids = {"id": "employeeNumber", "name": "uid"}
    refused(desk, desk.sync(attributes=ids), 1, "the entry needs one employeeNumber")
    return " / ".join(line.removeprefix("uaf-server: ")[:90] for line in named_entries)


@row(
    "L13",
    "malformed filters (RFC 4515), of people and of groups",
    "exit status 2, and the filter is named; nothing is changed",
)
def filters(desk):
    desk.begin([person("mina", "김미나")])
    wrong = "(&(objectClass=inetOrgPerson)"
    run = desk.sync(filter=wrong)
    refused(desk, run, 2, wrong)
    groups = {"base": "ou=groups,dc=example,dc=org", "filter": "(cn=)))", "name": "cn", "member": "member"}
    of_groups = desk.sync(groups=groups)
    refused(desk, of_groups, 2, groups["filter"])
    must(desk.users() == {}, "a wrong filter has changed the store")
    return run.notes.strip()[-120:]


@row(
    "L8",
    "a reference to another server among the people, and a base that is a reference",
    "neither is followed; the base is refused with exit status 1",
)
def referrals(desk):
    desk.begin([person("mina", "김미나")])
    elsewhere = entry(f"cn=elsewhere,{PEOPLE}", "referral", "extensibleObject", cn="elsewhere", ref="ldap://127.0.0.9/dc=other")
    desk.directory.add(elsewhere)
    run = desk.sync()
    must(run.status == 0 and run.names("add") == ["mina"], f"{run}")
    base = desk.sync(base=f"cn=elsewhere,{PEOPLE}")
    refused(desk, base, 1, "refers to another one")
    missing = desk.sync(base="ou=nowhere,dc=example,dc=org")
    refused(desk, missing, 1, "no such base")
    return base.notes.strip()[-100:]
