import UAFAdministration
import UAFService

/// One request for a page, or one form of it, of somebody who has signed in.
struct PageCall {
  let signedIn: SignedIn
  let language: PageLanguage
  /// Of the query, or of the form.
  let fields: FormFields
  let environment: ConsoleEnvironment

  var caller: Caller { signedIn.caller }
  var administration: AdministrationEnvironment { environment.administration }

  func allows(_ permission: Permission) -> Bool { caller.role.allows(permission) }

  func text(_ text: PageText) -> String { language.text(text) }

  func time(_ seconds: Int64?) -> String { seconds.map(environment.timeText) ?? text(.never) }

  func yesOrNo(_ value: Bool) -> String { text(value ? .yes : .no) }

  func roleText(_ role: String) -> String {
    switch Role(rawValue: role) {
    case .auditor: text(.auditor)
    case .helpdesk: text(.helpdesk)
    case .operator: text(.operator)
    case .administrator: text(.administrator)
    case nil: role
    }
  }

  /// The choice of a role.
  var roleField: PageField {
    PageField(
      name: "role", label: text(.role), kind: .choice(Role.allCases.map { ($0.rawValue, roleText($0.rawValue)) }))
  }

  var reasonField: PageField { PageField(name: "reason", label: text(.reason), maximum: 500) }

  /// What a field has; nil for an empty one.
  func value(_ name: String) -> String? { fields[name].isEmpty ? nil : fields[name] }

  /// A time of a field, in seconds since 1970; nil for an empty one.
  ///
  /// - Throws: ``AdministrationRefusal/invalid(field:reason:)``.
  func time(_ name: String) throws(AdministrationRefusal) -> Int64? {
    guard let text = value(name) else { return nil }
    guard let time = environment.readTime(text) else {
      throw .invalid(field: name, reason: "must be a time such as 2026-11-23, or 2026-11-23T12:00:00Z")
    }
    return time
  }

  /// A number of a field.
  ///
  /// - Throws: ``AdministrationRefusal/invalid(field:reason:)``.
  func number(_ name: String) throws(AdministrationRefusal) -> Int64 {
    guard let number = Int64(fields[name]) else { throw .invalid(field: name, reason: "must be a number") }
    return number
  }

  /// - Throws: ``AdministrationRefusal/invalid(field:reason:)``.
  func role() throws(AdministrationRefusal) -> Role {
    guard let role = Role(rawValue: fields["role"]) else { throw .invalid(field: "role", reason: "is unknown") }
    return role
  }

  /// A link to the next page of a list.
  func next(_ path: String, _ parts: [(name: String, value: String)]) -> PageCell {
    let query = parts.filter { !$0.value.isEmpty }.map { "\($0.name)=\(FormFields.encoded($0.value))" }
    return PageCell(text(.nextPage), link: "\(path)?\(query.joined(separator: "&"))")
  }

  static func personLink(_ name: String) -> PageCell {
    PageCell(name, link: "/console/person?name=\(FormFields.encoded(name))")
  }

  static func machineLink(_ id: String, _ name: String?) -> PageCell {
    PageCell(name ?? id, link: "/console/machine?id=\(FormFields.encoded(id))")
  }
}
