import NIOHTTP1
import UAFAdministration
import UAFMessages
import UAFService

/// The routes of accounts and their keys.
enum AccountRoutes {
  static let all = [list, add, one, delete, keys, passkeys, machines, revoke]

  private static let account: JSONObject = [
    "name": .string("mina"), "keys": .integer(1), "revokedKeys": .integer(0), "hasOpenCode": .bool(false),
    "lastUsed": .integer(1_800_000_000), "displayName": .string("김미나"), "mail": .string("mina@example.org"),
    "department": .string("Laboratory"), "externalID": .string("E-1007"), "groups": .array([.string("Researchers")]),
  ]
  private static let key: JSONObject = [
    "account": .string("mina"), "aaid": .string("5541#0001"), "keyID": .string("Zm9v"), "version": .integer(1),
    "counter": .integer(7), "registered": .integer(1_799_000_000), "counts": .bool(false),
    "issuedBy": .string("token helpdesk"), "device": .string("d-1"),
  ]

  private static let passkey: JSONObject = [
    "account": .string("mina"), "id": .string("Zm9v"), "host": .string("uaf.example.org"), "counter": .integer(0),
    "aaguid": .string("00000000-0000-0000-0000-000000000000"), "attested": .bool(false), "synced": .bool(true),
    "backedUp": .bool(true), "transports": .array([.string("hybrid"), .string("internal")]),
    "registered": .integer(1_799_000_000), "counts": .bool(false), "issuedBy": .string("token helpdesk"),
  ]

  private static let list = APIRoute(
    method: .GET, path: "/accounts",
    summary:
      "Accounts in the order of their names; with search, those whose names begin with the text come first.",
    query: [
      APIInputs.text(
        "search", "Only accounts whose login name, display name, mail or department contains this text, in any case."),
      APIInputs.text("memberOf", "Only accounts in the group of people with this name."),
      APIInputs.text("prefix", "Only accounts whose names begin with this text."),
      APIInputs.choice("state", SearchedState.allCases.map(\.rawValue), "Only accounts in this state."),
      APIInputs.text("group", "Only accounts in this group of the policy in force."),
      APIInputs.number(
        "idleSince", 0...Int64.max,
        "Only accounts whose keys have not been used since this time, in seconds since 1970."),
      APIInputs.after("An account's name; with search, the `next` of the page before."),
      APIInputs.limit,
    ], example: ["accounts": .array([.object(account)]), "next": .string("mina")]
  ) { call in
    var query = AccountQuery(
      prefix: call.query["prefix"] ?? "", after: call.query["after"] ?? "", limit: try call.limit())
    query.state = try state(call.query["state"])
    query.idleSince = try call.query.integer("idleSince")
    let page = try await AccountAdministration(call.environment).page(
      query, group: call.query["group"],
      of: PeopleSelection(text: call.query["search"], memberOf: call.query["memberOf"]), by: call.caller)
    return .ok(APIShapes.page(page, "accounts", APIShapes.account))
  }

  private static func state(_ text: String?) throws(Problem) -> SearchedState? {
    guard let text else { return nil }
    guard let state = SearchedState(rawValue: text) else {
      let names = SearchedState.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.badRequest, "invalid", "must be one of \(names)", field: "state")
    }
    return state
  }

  private static let add = APIRoute(
    method: .POST, path: "/accounts", summary: "Adds an account that has neither keys nor a code.",
    body: [APIInputs.text("name", "1 to 128 printable ASCII characters without white space.", isRequired: true)],
    bodyExample: ["name": .string("mina")], status: .created, example: ["name": .string("mina")]
  ) { call in
    let name = try call.body.string("name")
    try await AccountAdministration(call.environment).add(name, by: call.caller)
    return APIResponse(
      status: .created, body: ["name": .string(name)], location: PathText.joined(["accounts", name]))
  }

  private static let one = APIRoute(
    method: .GET, path: "/accounts/{account}", summary: "One account.", example: account
  ) { call in
    .ok(
      APIShapes.account(
        try await AccountAdministration(call.environment).account(call.part("account"), by: call.caller)))
  }

  static let change = APIRoute(
    method: .PATCH, path: "/accounts/{account}",
    summary: "Changes what is known about the account's person: the members that are given.",
    body: [
      text(.displayName, "The person's name in any script, at most 128 characters."),
      text(.mail, "A mail address, at most 254 bytes."), text(.department, "At most 128 characters."),
      text(.externalID, "The person's ID in a directory, at most 128 characters; no two accounts have the same."),
      APIRoute.Input(
        name: "groups", schema: ["type": .string("array"), "items": .object(["type": .string("string")])],
        description: "The names of all groups of the person, at most 64; an empty list removes the person from all."),
    ], bodyExample: ["displayName": .string("김미나"), "groups": .array([.string("Researchers")])], example: account
  ) { call in
    try call.caller.require(.manageAccounts)
    var texts: [ProfileField: String] = [:]
    for field in ProfileField.allCases { texts[field] = try call.body.optionalString(field.rawValue) }
    let change = try ProfileChange(texts, groups: try call.body.optionalStrings("groups"))
    try await PeopleAdministration(call.environment).change(call.part("account"), change, by: call.caller)
    return .ok(
      APIShapes.account(
        try await AccountAdministration(call.environment).account(call.part("account"), by: call.caller)))
  }

  private static func text(_ field: ProfileField, _ description: String) -> APIRoute.Input {
    APIInputs.text(field.rawValue, "\(description) An empty text clears it.")
  }

  private static let delete = APIRoute(
    method: .DELETE, path: "/accounts/{account}",
    summary: "Deletes an account with its keys and codes; confirmed texts and the audit stay.",
    query: [APIInputs.reason], status: .noContent
  ) { call in
    try await AccountAdministration(call.environment).delete(
      call.part("account"), reason: call.query["reason"] ?? "", by: call.caller)
    return .done
  }

  private static let keys = APIRoute(
    method: .GET, path: "/accounts/{account}/keys",
    summary: "The keys of an account, oldest first, including revoked keys.", example: ["keys": .array([.object(key)])]
  ) { call in
    let keys = try await KeyAdministration(call.environment).keys(of: call.part("account"), by: call.caller)
    return .ok(["keys": .array(keys.map { .object(APIShapes.key($0)) })])
  }

  private static let passkeys = APIRoute(
    method: .GET, path: "/accounts/{account}/passkeys",
    summary: "The passkeys of an account, oldest first, including revoked ones.",
    example: ["passkeys": .array([.object(passkey)])]
  ) { call in
    let passkeys = try await KeyAdministration(call.environment).passkeys(of: call.part("account"), by: call.caller)
    return .ok(["passkeys": .array(passkeys.map { .object(APIShapes.passkey($0)) })])
  }

  private static let machines = APIRoute(
    method: .GET, path: "/accounts/{account}/machines",
    summary: "The machines of an account, the most recently used first.",
    example: [
      "machines": .array([
        .object([
          "keys": .integer(1), "revokedKeys": .integer(0), "registered": .integer(1_799_000_000),
          "name": .string("desk-17"),
        ])
      ])
    ]
  ) { call in
    let machines = try await MachineAdministration(call.environment).machines(of: call.part("account"), by: call.caller)
    return .ok(["machines": .array(machines.map { .object(APIShapes.device($0)) })])
  }

  private static let revoke = APIRoute(
    method: .POST, path: "/accounts/{account}/revocations",
    summary: "Revokes keys of an account: one, all on one machine, or all.",
    body: [
      APIInputs.text("key", "Only this key: AAID, a space, KeyID; or passkey, a space, identifier."),
      APIInputs.text("device", "Only the keys on the machine with this device id."), APIInputs.reason,
    ], bodyExample: ["device": .string("d-1"), "reason": .string("lost")], example: ["revoked": .integer(1)]
  ) { call in
    // Checked before the body is read, so that a caller without the permission gets the same refusal for every body.
    try call.caller.require(.revoke)
    let count = try await KeyAdministration(call.environment).revoke(
      keys(of: call.part("account"), key: call.body.optionalString("key"), device: call.body.optionalString("device")),
      reason: call.body.optionalString("reason") ?? "", by: call.caller)
    return .ok(["revoked": .integer(Int64(count))])
  }

  /// The keys to revoke: all keys of the account, unless the request names a key or a device.
  private static func keys(
    of account: String, key: String?, device: String?
  ) throws(AdministrationRefusal) -> KeySelection {
    switch (key, device) {
    case (nil, nil): return .all(of: account)
    case (nil, let device?): return .onMachine(device, of: account)
    case (let key?, nil):
      return try KeyName(named: key, field: "key").selection(of: account)
    default: throw .invalid(field: "key", .keyAndDevice)
    }
  }
}

/// The routes of what is known about people.
enum PeopleRoutes {
  static let all = [AccountRoutes.change, groups, rename, remove]

  private static let groups = APIRoute(
    method: .GET, path: "/groups", summary: "Groups of people in the order of their names; they give nobody a role.",
    query: [APIInputs.after("A group's name."), APIInputs.limit],
    example: [
      "groups": .array([
        .object(["id": .integer(1), "name": .string("Researchers"), "members": .integer(12)])
      ])
    ]
  ) { call in
    let page = try await PeopleAdministration(call.environment).groups(
      after: call.query["after"] ?? "", limit: try call.limit(), by: call.caller)
    return .ok(APIShapes.page(page, "groups", APIShapes.personGroup))
  }

  private static let rename = APIRoute(
    method: .PATCH, path: "/groups/{group}", summary: "Gives a group of people a different name; its members stay.",
    body: [APIInputs.text("name", "At most 64 characters, without `|`.", isRequired: true)],
    bodyExample: ["name": .string("Laboratory")], status: .noContent
  ) { call in
    try call.caller.require(.manageAccounts)
    try await PersonGroupAdministration(call.environment).rename(
      call.number("group"), to: call.body.string("name"), by: call.caller)
    return .done
  }

  private static let remove = APIRoute(
    method: .DELETE, path: "/groups/{group}", summary: "Removes a group of people; the accounts of its members stay.",
    status: .noContent
  ) { call in
    try await PersonGroupAdministration(call.environment).remove(call.number("group"), by: call.caller)
    return .done
  }
}

/// The routes that disable, lock and enable accounts.
enum AccountBlockRoutes {
  static let all = [block, unblock]

  private static let block = APIRoute(
    method: .PUT, path: "/accounts/{account}/block",
    summary: "Disables an account, or locks it for a limited time: this server then refuses all its logins.",
    body: [
      APIInputs.text("reason", "Why, for the audit; one line, at most 200 bytes.", isRequired: true),
      APIInputs.number(
        "seconds", AccountStateAdministration.lockTimes,
        "How long the account is locked, in seconds; if absent, it is disabled without an end."),
    ], bodyExample: ["reason": .string("left the company")], status: .noContent
  ) { call in
    let states = AccountStateAdministration(call.environment)
    let (account, reason) = (call.part("account"), try call.body.string("reason"))
    if let seconds = try call.body.optionalInteger("seconds") {
      try await states.lock(account, seconds: seconds, reason: reason, by: call.caller)
    } else {
      try await states.disable(account, reason: reason, by: call.caller)
    }
    return .done
  }

  private static let unblock = APIRoute(
    method: .DELETE, path: "/accounts/{account}/block", summary: "Enables a disabled or locked account.",
    status: .noContent
  ) { call in
    let states = AccountStateAdministration(call.environment)
    try await states.enable(call.part("account"), by: call.caller)
    return .done
  }
}

/// The routes of unlocks.
enum UnlockRoutes {
  static let all = [issue]

  private static let issue = APIRoute(
    method: .POST, path: "/accounts/{account}/unlocks",
    summary: "Issues an unlock for the account on one machine, as a payload and as codes to type.",
    body: [
      APIInputs.text(
        "machine", "The machine's device id, or the KeyID of one of the account's keys.", isRequired: true),
      APIInputs.number("lifetime", UnlockStatement.lifetimes, "In seconds; the default is 3600."), APIInputs.reason,
    ], bodyExample: ["machine": .string("d-1"), "lifetime": .integer(3600), "reason": .string("forgot the new value")],
    status: .created,
    example: [
      "id": .string("AAECAwQFBgcICQoLDA0ODw"), "account": .string("mina"), "issued": .integer(1_800_000_000),
      "expires": .integer(1_800_003_600), "payload": .string("eyJhbGciOiJFUzI1NiJ9.e30.c2ln"),
      "codes": .array([
        .object(["machine": .string("7QK3"), "code": .string("DHF3-80KW-1X5R-9TQ2-M6ZB-0C4E")])
      ]), "device": .string("d-1"),
    ]
  ) { call in
    let issued = try await UnlockAdministration(call.environment).issue(
      for: call.part("account"), on: call.body.string("machine"),
      lifetime: call.body.optionalInteger("lifetime") ?? UnlockAdministration.standardLifetime,
      reason: call.body.optionalString("reason") ?? "", by: call.caller)
    return APIResponse(status: .created, body: APIShapes.issued(issued), secrets: ["payload", "codes"])
  }
}
