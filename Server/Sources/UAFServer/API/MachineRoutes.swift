import NIOHTTP1
import UAFAdministration
import UAFMessages
import UAFService

/// The routes of machines.
enum MachineRoutes {
  static let all = [list, one, revoke, coming]

  private static let machine: JSONObject = [
    "device": .string("d-1"), "people": .integer(1), "keys": .integer(1), "revokedKeys": .integer(0),
    "registered": .integer(1_799_000_000), "name": .string("desk-17"), "group": .string("lab"),
    "joined": .integer(1_798_000_000), "lastContact": .integer(1_799_100_000), "module": .string("1.0"),
    "policy": .integer(3), "moreLocks": .integer(0), "moreWrongValues": .integer(0),
    "failures": .array([.string("state-open")]), "examined": .integer(1_799_000_000),
    "wrongValues": .array([
      .object([
        "account": .string("alice"), "type": .string("passcode"), "origin": .string("remote"), "count": .integer(4),
      ])
    ]),
    "locks": .array([
      .object([
        "account": .string("alice"), "type": .string("passcode"), "origin": .string("local"),
        "until": .integer(1_799_100_600),
      ])
    ]),
  ]

  private static let list = APIRoute(
    method: .GET, path: "/machines",
    summary:
      "The machines of the fleet that have keys or have joined, in the order of their device ids, or in another.",
    query: [
      APIInputs.text(
        "words",
        "Only machines whose device id, name, model, system, group or version contains this text."),
      APIInputs.choice(
        "state", FleetMachine.Standing.allCases.map(\.rawValue), "Only machines in this state."),
      APIInputs.choice(
        "sort", MachineQuery.Order.allCases.flatMap { [$0.rawValue, "-\($0.rawValue)"] },
        "The order; a minus sign means descending. Of more than 10,000 machines, only the first are sorted."
      ),
      APIInputs.text(
        "lacks",
        "Only joined machines, seen in the last 30 days, that lack a verdict key (its id) or an authority (its fingerprint). It stands alone."
      ),
      APIInputs.after("A device id; with another order, the `next` of the page before."),
      APIInputs.limit,
    ],
    example: ["machines": .array([.object(machine)]), "next": .string("d-1")]
  ) { call in
    if let name = call.query["lacks"] {
      for field in ["words", "state", "sort"] where call.query[field] != nil {
        throw AdministrationRefusal.invalid(field: field, .standsAlone)
      }
      let page = try await TrustAdministration(call.environment).lacking(
        name, after: call.query["after"] ?? "", limit: try call.limit(), by: call.caller)
      return .ok(APIShapes.page(page, "machines", APIShapes.machine))
    }
    let found = try await MachineAdministration(call.environment).search(
      query(call), after: call.query["after"] ?? "", by: call.caller)
    return .ok(APIShapes.page(found.page, "machines", APIShapes.machine))
  }

  private static func query(_ call: APICall) throws -> MachineQuery {
    var query = MachineQuery(limit: try call.limit())
    query.words = call.query["words"] ?? ""
    if let state = call.query["state"] {
      guard let standing = FleetMachine.Standing(rawValue: state) else {
        throw AdministrationRefusal.invalid(field: "state", .unknown)
      }
      query.standing = standing
    }
    if let sort = call.query["sort"] {
      query.isDescending = sort.hasPrefix("-")
      guard
        let order = MachineQuery.Order(
          rawValue: query.isDescending ? String(sort.dropFirst()) : sort)
      else {
        throw AdministrationRefusal.invalid(field: "sort", .unknown)
      }
      query.order = order
    }
    return query
  }

  private static let one = APIRoute(
    method: .GET, path: "/machines/{device}", summary: "One machine, and the first 1,000 of its keys.",
    example: ["machine": .object(machine), "keys": .array([])]
  ) { call in
    let found = try await MachineAdministration(call.environment).machine(call.part("device"), by: call.caller)
    return .ok([
      "machine": .object(APIShapes.machine(found.machine)),
      "keys": .array(found.keys.map { .object(APIShapes.key($0)) }),
    ])
  }

  private static let coming = APIRoute(
    method: .GET, path: "/coming-trust",
    summary: "Verdict keys and authorities that are going to be used, and how many joined machines lack them.",
    example: [
      "coming": .array([
        .object([
          "kind": .string("verdict-key"), "name": .string("0123456789abcdef"), "usedFrom": .integer(1_800_000_000),
          "lacking": .integer(1), "machines": .array([.string("desk-17")]),
        ])
      ])
    ]
  ) { call in
    let coming = try await TrustAdministration(call.environment).coming(by: call.caller)
    return .ok(["coming": .array(coming.map { .object(APIShapes.coming($0)) })])
  }

  private static let revoke = APIRoute(
    method: .POST, path: "/machines/{device}/revocations",
    summary: "Revokes all keys on a machine, and its membership.",
    body: [APIInputs.reason], bodyExample: ["reason": .string("stolen")], example: ["revoked": .integer(1)]
  ) { call in
    let count = try await MachineAdministration(call.environment).revoke(
      call.part("device"), reason: call.body.optionalString("reason") ?? "", by: call.caller)
    return .ok(["revoked": .integer(Int64(count))])
  }
}

/// The routes of policies for workstations.
enum MachinePolicyRoutes {
  static let all = [list, one, preview, save]

  private static let example: JSONObject = [
    "number": .integer(3), "group": .string("lab"), "lifetime": .integer(WorkstationPolicy.standardLifetime),
    "time": .integer(1_800_000_000), "actor": .string("administrator mina"), "reason": .string("longer passcodes"),
    "policy": .string("[passcode]\nmin_length = 12\n"),
  ]
  private static let group = APIInputs.text("group", "The group of machines.", isRequired: true)
  private static let policy = APIInputs.text(
    "policy", "The policy, TOML of at most 16384 bytes; docs/workstation-policy.md has its form. Empty: no policy.",
    isRequired: true)
  private static let lifetime = APIInputs.number(
    "lifetime", WorkstationPolicy.lifetimes,
    "How long the signed policy is valid, in seconds; the default is 90 days.")

  private static let list = APIRoute(
    method: .GET, path: "/machine-policies",
    summary: "The saved policies for workstations, the newest first; the first policy of each group is in force.",
    query: [
      APIInputs.text("group", "Only policies of this group."), APIInputs.after("A policy's number."), APIInputs.limit,
    ],
    example: ["machinePolicies": .array([.object(example)]), "next": .string("3")]
  ) { call in
    let page = try await MachinePolicyAdministration(call.environment).policies(
      of: call.query["group"], after: call.query["after"], limit: try call.limit(), by: call.caller)
    return .ok(APIShapes.page(page, "machinePolicies", APIShapes.machinePolicy))
  }

  private static let one = APIRoute(
    method: .GET, path: "/machine-policies/{number}", summary: "One saved policy for workstations.", example: example
  ) { call in
    let number = try call.number("number")
    return .ok(
      APIShapes.machinePolicy(
        try await MachinePolicyAdministration(call.environment).policy(number, by: call.caller)))
  }

  private static let preview = APIRoute(
    method: .POST, path: "/machine-policy-previews",
    summary: "Shows what a policy for workstations would change, and changes nothing.",
    body: [group, policy, lifetime],
    bodyExample: ["group": .string("lab"), "policy": .string("[passcode]\nmin_length = 12\n")],
    example: APIShapes.machinePolicyPreview(
      MachinePolicyPreview(
        machines: 12, present: 3, changes: [.init(key: "passcode.min_length", before: "10", after: "12")]))
  ) { call in
    let preview = try await MachinePolicyAdministration(call.environment).preview(try draft(call), by: call.caller)
    return .ok(APIShapes.machinePolicyPreview(preview))
  }

  private static let save = APIRoute(
    method: .POST, path: "/machine-policies",
    summary: "Saves a policy for workstations, which they get when they next contact the server.",
    body: [
      group, policy, lifetime, APIInputs.text("reason", "Why, for the history; 1 to 500 bytes.", isRequired: true),
      APIInputs.number(
        "after", 0...Int64.max, "The number of the group's policy on which it is based; 0 for none.",
        isRequired: true),
    ],
    bodyExample: [
      "group": .string("lab"), "policy": .string("[passcode]\nmin_length = 12\n"),
      "reason": .string("longer passcodes"), "after": .integer(3),
    ],
    status: .created, example: example
  ) { call in
    guard let last = try call.body.optionalInteger("after") else {
      throw Problem(.badRequest, "invalid", "is missing", field: "after")
    }
    let saved = try await MachinePolicyAdministration(call.environment).save(
      try draft(call), reason: call.body.string("reason"), after: last, by: call.caller)
    return APIResponse(
      status: .created, body: APIShapes.machinePolicy(saved),
      location: PathText.joined(["machine-policies", String(saved.number)]))
  }

  private static func draft(_ call: APICall) throws -> MachinePolicyDraft {
    MachinePolicyDraft(
      group: try call.body.string("group"), text: try call.body.string("policy"),
      lifetime: try call.body.optionalInteger("lifetime"))
  }
}
