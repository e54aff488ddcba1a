"""The requests of Okta, Microsoft Entra ID, Keycloak and authentik, in the forms of their documentation or their sources."""

from lab.table import must, row
from provisioning.desk import ENGINES, ENTERPRISE, GROUP_SCHEMA, USER_SCHEMA, quoted, values

AS_TEXT = "application/json"


def found(client, path, text, more=""):
    return client.ask("GET", f"{path}?filter={quoted(text)}{more}", status=200)["Resources"]


def okta(server):
    """Looks a person up by userName, replaces whole users by PUT, and deactivates them by PUT or by a PATCH without a path."""
    client = server.client()
    client.ask("GET", "/Users?startIndex=1&count=2", status=200)
    client.ask("GET", "/Groups?startIndex=1&count=100", status=200)
    name = f"test.{client.name}@okta.example"
    must(not found(client, "/Users", f'userName eq "{name}"', "&startIndex=1&count=100"), "the person is there already")
    person = {
        "schemas": [USER_SCHEMA], "userName": name, "name": {"givenName": "Test", "familyName": "User"},
        "emails": [{"primary": True, "value": name, "type": "work"}], "displayName": "Test User", "locale": "en-US",
        "externalId": f"00u{client.name}", "groups": [], "password": "not-kept-77", "active": True,
    }  # fmt: skip
    made = client.ask("POST", "/Users", person, 201)
    user = f"/Users/{made['id']}"
    whole = {key: value for key, value in client.ask("GET", user, status=200).body.items() if key != "meta"}
    client.ask("PUT", user, {**whole, "displayName": "Renamed", "name": {"givenName": "Re"}}, 200)
    must(server.account(name)["displayName"] == "Renamed", "the new name was not kept")
    answer = client.ask("PUT", user, {**whole, "displayName": "Renamed", "active": False}, 200)
    must(answer["active"] is False, "the person is active after a PUT with active false")
    client.patch(user, ("replace", None, {"active": True}))
    must(client.patch(user, ("replace", None, {"active": False}))["active"] is False, "the person is active")
    client.patch(user, ("replace", None, {"active": True}))
    group = client.ask("POST", "/Groups", {"schemas": [GROUP_SCHEMA], "displayName": f"Okta {client.name}", "members": []}, 201)
    place = f"/Groups/{group['id']}"
    member = {"value": made["id"], "display": name}
    client.patch(place, ("add", "members", [member]))
    client.patch(place, ("replace", None, {"id": group["id"], "displayName": f"Okta {client.name} 2"}))
    must(values(client.ask("GET", place, status=200)) == [made["id"]], "a new name has changed the members")
    must(values(client.patch(place, ("remove", f'members[value eq "{made["id"]}"]', None))) == [], "the member is left")
    client.patch(place, ("replace", "members", [member]))
    client.ask("DELETE", place, status=204)
    must("groups" not in server.account(name), "the person is in a group that is gone")
    return f"looked up, created, replaced, deactivated twice, in and out of a group; audit: {len(server.audit(client))} rows"


def entra(server):
    """Capital letters in op, truth values as texts, paths with a filter, members removed by their value; the flag in the URL."""
    client = server.client()
    flag = "aadOptscim062020"
    must(not found(client, "/Users", f'userName eq "{client.name}"', f"&{flag}="), "a made-up person was found")
    name = f"Test_{client.name}@entra.example"
    made = client.ask(
        "POST", f"/Users?{flag}=",
        {
            "schemas": [USER_SCHEMA, ENTERPRISE], "externalId": client.name, "userName": name, "active": True,
            "displayName": "lennay", "emails": [{"primary": True, "type": "work", "value": "a@entra.example"}],
            "meta": {"resourceType": "User"}, "name": {"formatted": "A B", "familyName": "B", "givenName": "A"},
            "title": "Engineer", ENTERPRISE: {"department": "Labs", "employeeNumber": "7"}, "roles": [],
        }, 201,
    )  # fmt: skip
    user = f"/Users/{made['id']}"
    client.patch(
        user, ("Replace", "displayName", "민아"), ("Add", 'emails[type eq "work"].value', "b@entra.example"),
        ("Replace", "name.familyName", "Kim"), ("Add", f"{ENTERPRISE}:department", "연구소"),
    )  # fmt: skip
    account = server.account(name)
    shown = (account["displayName"], account["mail"], account["department"])
    must(shown == ("민아", "b@entra.example", "연구소"), f"kept were {shown}")
    must(client.patch(user, ("Replace", "active", "False"))["active"] is False, 'active "False" has not disabled')
    must(client.patch(user, ("Replace", "active", "True"))["active"] is True, 'active "True" has not enabled')
    client.patch(user, ("Replace", None, {"displayName": "A", f"{ENTERPRISE}:department": "B"}))
    client.patch(user, ("Remove", 'emails[type eq "work"].value', None), ("Remove", f"{ENTERPRISE}:department", None))
    account = server.account(name)
    must("mail" not in account and "department" not in account, f"a removed value is left: {account}")
    title = f"Entra {client.name}"
    group = client.ask(
        "POST", "/Groups",
        {"schemas": [GROUP_SCHEMA], "externalId": "8aa1", "displayName": title, "meta": {"resourceType": "Group"}}, 201,
    )  # fmt: skip
    place = f"/Groups/{group['id']}"
    listed = found(client, "/Groups", f'displayName eq "{title}"', "&excludedAttributes=members")
    must([g["id"] for g in listed] == [group["id"]] and "members" not in listed[0], "the group was not found by name")
    client.ask("GET", f"{place}?excludedAttributes=members", status=200)
    client.patch(place, ("Add", "members", [{"$ref": None, "value": made["id"]}]))
    question = f'id eq "{group["id"]}" and members eq "{made["id"]}"'
    must(len(found(client, "/Groups", question, "&attributes=id")) == 1, "the member was not found")
    must(values(client.patch(place, ("Remove", "members", [{"value": made["id"]}]))) == [], "the member is left")
    client.patch(place, ("Remove", "members", [{"value": made["id"]}]))
    client.ask("DELETE", place, status=204)
    client.ask("DELETE", user, status=204)
    client.ask("GET", user, status=404)
    return 'created, changed by paths, "False" disables, members in and out, deleted'


def keycloak(server):
    """Sends whole users and groups by POST and PUT in application/json; members are left out when there are none."""
    client = server.client()
    name = f"keycloak-{client.name}"
    person = {
        "schemas": [USER_SCHEMA], "externalId": f"f0{client.name}", "userName": name, "displayName": "Kay Cloak",
        "emails": [{"value": "k@keycloak.example", "primary": True}], "active": True, "roles": [{"value": "admin"}],
    }  # fmt: skip
    made = client.ask("POST", "/Users", person, 201, AS_TEXT)
    place = f"/Users/{made['id']}"
    meta = {"location": f"Users/{made['id']}"}
    client.ask("PUT", place, {**person, "id": made["id"], "meta": meta, "active": False, "emails": []}, 200, AS_TEXT)
    account = server.account(name)
    must("mail" not in account, "the mail address is left")
    client.ask("PUT", place, {**person, "id": made["id"], "meta": meta}, 200, AS_TEXT)
    group = {"schemas": [GROUP_SCHEMA], "externalId": "1", "displayName": f"Keycloak {client.name}"}
    members = [{"value": made["id"], "$ref": f"Users/{made['id']}"}]
    there = client.ask("POST", "/Groups", {**group, "members": members}, 201, AS_TEXT)
    where = f"/Groups/{there['id']}"
    must(values(there) == [made["id"]], "the group has no member")
    answer = client.ask("PUT", where, {**group, "id": there["id"], "meta": {"location": f"Groups/{there['id']}"}}, 200, AS_TEXT)
    must(values(answer) == [], "a PUT without members has left one")
    listed = client.ask("GET", "/Users", status=200)["Resources"]
    must(any(user["id"] == made["id"] for user in listed), "the person is not in the list")
    client.ask("DELETE", where, status=204)
    client.ask("DELETE", place, status=204)
    must(not server.told("admin", "list"), "a role in a request has made an administrator")
    return "created, replaced, disabled, emptied and deleted; the role in the request gave nothing"


def authentik(server):
    """Reads what the server can do, sends whole users, and one operation for each member that comes or goes."""
    client = server.client()
    must(client.ask("GET", "/ServiceProviderConfig", status=200)["patch"]["supported"], "PATCH is not offered")
    name = f"ak{client.name}"
    person = {
        "schemas": [USER_SCHEMA], "userName": name, "name": {"formatted": "A K", "givenName": "A", "familyName": "K"},
        "displayName": "A K", "photos": [{"value": "https://example.org/a.png", "type": "photo"}], "active": True,
        "emails": [{"value": "ak@authentik.example", "type": "other", "primary": True}], "externalId": f"id-{client.name}",
    }  # fmt: skip
    made = client.ask("POST", "/Users", person, 201)
    again = client.ask("POST", "/Users", person, 409)
    must(again["scimType"] == "uniqueness", f"a second POST: {again.body}")
    must(len(found(client, "/Users", f'userName eq "{name}"')) == 1, "the person was not found")
    client.ask("PUT", f"/Users/{made['id']}", {**person, "id": made["id"], "active": False}, 200)
    client.ask("PUT", f"/Users/{made['id']}", {**person, "id": made["id"], "active": True}, 200)
    group = {"schemas": [GROUP_SCHEMA], "displayName": f"authentik {client.name}", "externalId": "0a1b"}
    there = client.ask("POST", "/Groups", group, 201)
    place = f"/Groups/{there['id']}"
    must(there.body["members"] == [], "an empty group must have an empty list: authentik adds nobody to an absent one")
    client.patch(place, ("replace", None, {**group, "id": there["id"], "displayName": f"authentik {client.name} 2"}))
    others = [client.ask("POST", "/Users", {"schemas": [USER_SCHEMA], "userName": f"{name}-{n}"}, 201)["id"] for n in range(3)]
    add = [("add", "members", [{"value": user}]) for user in [made["id"], *others]]
    must(len(values(client.patch(place, *add))) == 4, "not all members were added")
    changes = [("remove", "members", [{"value": user}]) for user in others[:2]]
    must(values(client.patch(place, *changes)) == sorted([made["id"], others[2]]), "the wrong members are left")
    seen = client.ask("GET", "/Groups", status=200)
    must(seen["totalResults"] == len(seen["Resources"]), "the list is not whole")
    client.ask("DELETE", place, status=204)
    client.ask("DELETE", f"/Users/{made['id']}", status=204)
    return "discovered, created, refused twice, replaced, four members in and two out, deleted"


DIALECTS = {"Okta": okta, "Microsoft Entra ID": entra, "Keycloak's plug-in": keycloak, "authentik": authentik}

for number, (name, dialect) in enumerate(DIALECTS.items()):
    for place, (engine, shown) in enumerate(ENGINES.items(), 1):

        @row(f"D{2 * number + place}", f"{name} with {shown}", f"accepted, and done: {dialect.__doc__}")
        def recorded(lab, dialect=dialect, engine=engine):
            return dialect(lab.server(engine))
