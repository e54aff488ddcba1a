import NIOHTTP1
import UAFAdministration
import UAFMessages
import UAFService

/// The routes of the audit.
enum AuditRoutes {
  static let all = [list, one]

  private static let row: JSONObject = [
    "number": .integer(9), "time": .integer(1_800_000_000), "kind": .string("login"), "outcome": .string("ok"),
    "account": .string("mina"), "actor": .string("person"), "address": .string("192.0.2.1"),
    "machine": .string("desk-17"), "authenticators": .string(""), "detail": .string(#"{"service":"sudo"}"#),
    "hash": .string("AAAA"),
  ]

  private static let list = APIRoute(
    method: .GET, path: "/audit", summary: "Rows of the audit.",
    query: [
      APIInputs.text("account", "Only this account."), APIInputs.text("kind", "Only this kind, such as login."),
      APIInputs.text("outcome", "Only this outcome: ok, or the reason of a refusal."),
      APIInputs.text("machine", "Only this machine, as the machine column shows it."),
      APIInputs.text("service", "Only this PAM service, such as sudo, as the machine has named it."),
      APIInputs.text(
        "words",
        "Only rows with these words in a text other than kind and outcome; upper "
          + "and lower case are the same."),
      APIInputs.text(
        "not",
        "Only rows that do not meet these conditions: names of the parameters above, separated by commas."),
      APIInputs.number("since", 0...Int64.max, "Only from this time on, in seconds since 1970."),
      APIInputs.number("until", 0...Int64.max, "Only before this time."),
      APIInputs.choice("order", ["newest", "oldest"], "Which row comes first; the default is newest."),
      APIInputs.after("A row's number."), APIInputs.limit,
    ], example: ["rows": .array([.object(row)]), "next": .string("9")]
  ) { call in
    let page = try await AuditAdministration(call.environment).page(
      filter(call.query), limit: try call.limit(), by: call.caller)
    return .ok(APIShapes.page(page, "rows", APIShapes.auditRow))
  }

  private static func filter(_ query: QueryText) throws(Problem) -> AuditFilter {
    var filter = AuditFilter(
      account: query["account"], kind: query["kind"].map { AuditKind(rawValue: $0) }, outcome: query["outcome"],
      since: try query.integer("since"), until: try query.integer("until"), machine: query["machine"])
    filter.service = query["service"]
    filter.words = query["words"]
    filter.negated = try negated(query["not"])
    let after = try query.integer("after")
    switch query["order"] {
    case nil, "newest":
      filter.isNewestFirst = true
      filter.before = after
    case "oldest": filter.after = after ?? 0
    default: throw Problem(.badRequest, "invalid", "must be newest or oldest", field: "order")
    }
    return filter
  }

  private static func negated(_ text: String?) throws(Problem) -> Set<AuditField> {
    var fields: Set<AuditField> = []
    for name in (text ?? "").split(separator: ",") {
      guard let field = AuditField(rawValue: String(name)) else {
        let names = AuditField.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem(.badRequest, "invalid", "must be one or more of \(names)", field: "not")
      }
      fields.insert(field)
    }
    return fields
  }

  private static let one = APIRoute(
    method: .GET, path: "/audit/{number}", summary: "One row of the audit.", example: row
  ) { call in
    .ok(
      APIShapes.auditRow(try await AuditAdministration(call.environment).row(call.number("number"), by: call.caller)))
  }
}
