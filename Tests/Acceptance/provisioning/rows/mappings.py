"""Groups of people that an administrator has mapped: the identity provider decides who is in them, and nothing else."""

import contextlib
import http.client
import json
import ssl

from lab.table import must, row
from lab.waiting import until
from provisioning.desk import GROUP_SCHEMA, NAME, USER_SCHEMA

POLICY = {
    "accepted": [["passcode"], ["pattern"], ["fingerprint"]],
    "groups": {"two-factors": {"accounts": ["nobody"], "accepted": [["passcode", "pattern"]]}},
}


def made(client, path, schema, **attributes):
    return client.ask("POST", path, {"schemas": [schema], **attributes}, 201)


def person(client, name):
    return made(client, "/Users", USER_SCHEMA, userName=f"{name}-{client.name}")


def roles(server):
    """The people with a role by a group, and their roles."""
    return {one["name"]: one["role"] for one in server.told("admin", "list") if "group" in one}


def bound(server, token):
    """The accounts that the running server counts to the group of the policy; None before it has read the policy."""
    trust = ssl.create_default_context(cafile=str(server.authority))
    with contextlib.closing(http.client.HTTPSConnection(NAME, server.port, timeout=60, context=trust)) as connection:
        headers = {"Authorization": f"Bearer {token}"}
        connection.request("GET", "/api/v1/accounts?group=two-factors", headers=headers)
        reply = connection.getresponse()
        body = json.loads(reply.read())
    if reply.status == 400 and "policy in force" in body["detail"]:
        return None
    must(reply.status == 200, f"the accounts of the policy's group: {reply.status} {body}")
    return {one["name"] for one in body["accounts"]}


def mapped(lab, engine):
    server = lab.server(engine)
    client = server.client()
    mina, jun = person(client, "mina"), person(client, "jun")
    group = made(
        client,
        "/Groups",
        GROUP_SCHEMA,
        displayName=f"Desk {client.name}",
        externalId=client.name,
        members=[{"value": mina["id"]}],
    )
    file = server.state / "policy.json"
    file.write_text(json.dumps(POLICY))
    file.chmod(0o644)
    if not server.told("policy", "list"):
        server.run("policy", "set", file, "--reason", "test")
    path, place = f"/Groups/{group['id']}", ("group", "map", group["id"])
    # No name and no token gives a group an effect.
    must(not roles(server), "a role without a mapping")
    refused = server.run(*place, "--role", "administrator", check=False)
    must(refused.returncode != 0, "a group was mapped to administrator")
    server.run(*place, "--policy", "two-factors", "--role", "helpdesk")
    must(roles(server) == {mina["userName"]: "helpdesk"}, f"roles: {roles(server)}")
    reader = server.token("auditor")[1]
    until(lambda: bound(server, reader) == {mina["userName"]}, "the policy of the member")
    # The identity provider decides about the members, in one commit with their roles.
    client.patch(path, ("add", "members", [{"value": jun["id"]}]), ("remove", f'members[value eq "{mina["id"]}"]', None))
    must(roles(server) == {jun["userName"]: "helpdesk"}, f"roles: {roles(server)}")
    until(lambda: bound(server, reader) == {jun["userName"]}, "the policy of the new member")
    client.patch(f"/Users/{jun['id']}", ("replace", "active", False))
    must(not roles(server), "a disabled account has the role")
    client.patch(f"/Users/{jun['id']}", ("replace", "active", True))
    must(roles(server) == {jun["userName"]: "helpdesk"}, f"roles: {roles(server)}")
    # It neither renames the group nor lets it mean another one.
    client.patch(path, ("replace", "displayName", "Everybody"), status=400)
    client.patch(path, ("replace", "externalId", "other"), status=400)
    client.ask("DELETE", path, status=204)
    again = made(client, "/Groups", GROUP_SCHEMA, displayName=f"Desk {client.name}", members=[{"value": jun["id"]}])
    must(again["id"] != group["id"] and not roles(server), "a new group of the same name has the role")
    until(lambda: not bound(server, reader), "the end of the policy")
    must(not server.told("group", "mappings"), "the mapping is still there")
    kinds = [row["kind"] for row in server.told("audit", "list", "--limit", "100000")]
    must(kinds.count("group-mapping") >= 1 and kinds.count("group-mapping-removal") >= 1, "no rows about the mapping")
    must(client.server.audit(client).count("administrator-removal") == 3, "a role ended without a row")
    return "roles followed the members; renamed, disabled, deleted and made again: none was kept"


EXPECTED = "its members have policy and role, and nobody after leaving, being disabled, or the group's removal"


@row("M1", "a mapped group on SQLite, changed by the identity provider", EXPECTED, ("somebody remote",))
def on_sqlite(lab):
    return mapped(lab, "sqlite")


@row("M2", "a mapped group on PostgreSQL, changed by the identity provider", EXPECTED, ("somebody remote",))
def on_postgresql(lab):
    return mapped(lab, "postgresql")
