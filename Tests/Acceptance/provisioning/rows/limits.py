"""What a provisioning program may not do."""

import http.client
import json
import ssl

from lab.table import must, row
from provisioning.desk import NAME, USER_SCHEMA


def api(client, method, path, body=None):
    """The status of a request to the API with the program's token."""
    trust = ssl.create_default_context(cafile=str(client.server.authority))
    connection = http.client.HTTPSConnection(NAME, client.server.port, timeout=60, context=trust)
    headers = {"Authorization": f"Bearer {client.token}", "Content-Type": "application/json"}
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        return connection.getresponse().status
    finally:
        connection.close()


@row(
    "L1",
    "a provisioning token elsewhere, other tokens at SCIM",
    "403 at each path of the API, 403 and 401 at SCIM",
    ("somebody remote",),
)
def elsewhere(lab):
    server = lab.server()
    client = server.client()
    paths = [("GET", "/api/v1/me"), ("GET", "/api/v1/accounts"), ("GET", "/api/v1/audit"), ("GET", "/api/v1/openapi.json")]
    paths += [("POST", "/api/v1/tokens"), ("POST", "/api/v1/enrolments"), ("POST", "/api/v1/accounts")]
    for method, path in paths:
        status = api(client, method, path, {} if method == "POST" else None)
        must(status == 403, f"{method} {path}: {status}")
    must(api(client, "GET", "/console/people") in (302, 303, 401, 403), "the console shows people")
    for role in ("auditor", "helpdesk", "operator", "administrator"):
        client.token = server.token(role)[1]
        client.ask("GET", "/Users", status=403)
    client.token = "uafs_x"
    client.ask("GET", "/Users", status=401)
    return f"{len(paths)} paths of the API and four other roles refused"


@row(
    "L2",
    "administrators, and accounts that an administrator has disabled or locked, or that belong to a directory",
    "403, and nothing is changed; a lock stands again after inactive and active",
    ("somebody remote",),
)
def privileged(lab):
    server = lab.server()
    client = server.client()
    boss = client.ask("POST", "/Users", {"schemas": [USER_SCHEMA], "userName": f"boss-{client.name}"}, 201)
    server.run("admin", "add", boss["userName"], "administrator")
    client.patch(f"/Users/{boss['id']}", ("replace", "active", False), status=403)
    client.ask("DELETE", f"/Users/{boss['id']}", status=403)
    mina = client.ask("POST", "/Users", {"schemas": [USER_SCHEMA], "userName": f"mina-{client.name}"}, 201)
    server.run("disable", mina["userName"], "--reason", "stolen")
    client.patch(f"/Users/{mina['id']}", ("replace", "active", True), status=403)
    must(client.ask("GET", f"/Users/{mina['id']}", status=200)["active"] is False, "the account is enabled")
    client.ask("DELETE", f"/Users/{mina['id']}", status=403)
    jun = client.ask("POST", "/Users", {"schemas": [USER_SCHEMA], "userName": f"jun-{client.name}"}, 201)
    server.run("lock", jun["userName"], "--for", "86400", "--reason", "lost")
    client.patch(f"/Users/{jun['id']}", ("replace", "active", False))
    client.ask("DELETE", f"/Users/{jun['id']}", status=403)
    client.patch(f"/Users/{jun['id']}", ("replace", "active", True))
    account = server.told("users", "--prefix", jun["userName"])[0]
    must(account["block"]["reason"] == "lost" and "until" in account["block"], f"the lock is gone: {account}")
    server.run("enable", jun["userName"])
    server.run("person", jun["userName"], "--external-id", f"ldap:corp:{client.name}")
    client.patch(f"/Users/{jun['id']}", ("replace", "externalId", "7"), status=400)
    client.ask("DELETE", f"/Users/{jun['id']}", status=403)
    client.ask("PUT", f"/Users/{jun['id']}", {"schemas": [USER_SCHEMA], "userName": jun["userName"]}, 200)
    server.run("admin", "remove", boss["userName"], "--force")
    return "all refused"


@row("L3", "two programs change the same person", "the second is told that its version is old: 412", ("the network",))
def versions(lab):
    client = lab.server().client()
    made = client.ask("POST", "/Users", {"schemas": [USER_SCHEMA], "userName": f"both-{client.name}"}, 201)
    tag = {"If-Match": made.headers["ETag"]}
    body = {"schemas": [USER_SCHEMA], "userName": made["userName"], "displayName": "first"}
    client.ask("PUT", f"/Users/{made['id']}", body, 200, headers=tag)
    client.ask("PUT", f"/Users/{made['id']}", {**body, "displayName": "second"}, 412, headers=tag)
    must(client.ask("GET", f"/Users/{made['id']}", status=200)["displayName"] == "first", "the second was kept")
    return "412"
