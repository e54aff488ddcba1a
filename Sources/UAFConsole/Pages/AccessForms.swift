import UAFAdministration
import UAFMessages

/// The forms that make tokens and administrators.
enum AccessForms {
  static let keysPath = "/console/administrators/set-keys"

  /// A token that may do more than read is made with a signature; any other one is made at once.
  static func addToken(_ call: PageCall) async throws -> FormRoutes.Result {
    try call.caller.require(.manageAccess)
    let (role, lifetime) = (try call.role(), try call.number("lifetime"))
    guard role == .auditor else { return .confirm(.createToken(call.fields["name"], role: role, lifetime: lifetime)) }
    let made = try await AccessAdministration(call.administration).createToken(
      call.fields["name"], role: role, lifetime: lifetime, by: call.caller)
    return .page(Self.made(.token(made.text), call))
  }

  /// A role is given with a signature.
  ///
  /// First somebody who has keys that do not count is shown with them.
  static func setRole(_ call: PageCall) async throws -> FormRoutes.Result {
    let (name, role) = (call.fields["name"], try call.role())
    try call.caller.require(.manageAccess)
    let keys = try await AccessAdministration(call.administration).earlierKeys(of: name, by: call.caller)
    guard !keys.isEmpty else { return .confirm(.setRole(role, of: name, counting: [])) }
    return .page(try earlierKeys(keys, name, role, call))
  }

  /// The keys that do not count, who has issued their codes, and the form that asks whether they are to count.
  private static func earlierKeys(
    _ keys: [EarlierKey], _ name: String, _ role: Role, _ call: PageCall
  ) throws -> PageContent {
    let table = PageTable(
      caption: call.text(.earlierKeys), columns: [.model, .keyID, .issuedBy].map(call.text),
      rows: keys.map { [PageCell($0.aaid.text), PageCell($0.keyID.text), PageCell($0.issuedBy ?? "")] }, empty: "")
    let choice = PageField(
      name: "keys", label: call.text(.earlierKeysAsk),
      kind: .choice([("none", call.text(.earlierKeysNone)), ("all", call.text(.earlierKeysAll))]), value: "none")
    let form = PageForm(
      title: call.text(.setRole), action: keysPath, button: call.text(.set),
      fields: [
        .hidden("name", name), .hidden("role", role.rawValue),
        .hidden("shown", keys.map(\.text).joined(separator: "\n")), choice,
      ], isDangerous: true)
    return PageContent(
      title: name,
      blocks: [
        .warning(call.text(.earlierKeysHow)), .table(table),
        .facts([("SHA-256", try String(DangerousStep.digits(keys)))]),
        .form(form),
      ])
  }

  /// The step with the keys that were shown, or with none of them.
  static func setRoleWithKeys(_ call: PageCall) throws -> DangerousStep {
    try call.caller.require(.manageAccess)
    let (name, role) = (call.fields["name"], try call.role())
    switch call.fields["keys"] {
    case "none": return .setRole(role, of: name, counting: [])
    case "all":
      let lines = call.fields["shown"].replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
      let keys = lines.compactMap { EarlierKey($0) }
      // Without an issuer nobody could see where a key comes from.
      guard keys.count == lines.count, keys.allSatisfy({ $0.issuedBy != nil }) else {
        throw AdministrationRefusal.invalid(field: "shown", reason: "has something else than keys in it")
      }
      return .setRole(role, of: name, counting: keys)
    default: throw AdministrationRefusal.invalid(field: "keys", reason: "is unknown")
    }
  }

  /// What was made, shown once.
  static func made(_ made: DangerousStep.Made, _ call: PageCall) -> PageContent {
    switch made {
    case .token(let text):
      PageContent(title: call.text(.tokens), blocks: [.code(text, label: call.text(.tokenMade))])
    case .code(let payload): PeoplePages.issued(payload, title: .codeIssued, how: .enrolHow, call)
    }
  }
}
