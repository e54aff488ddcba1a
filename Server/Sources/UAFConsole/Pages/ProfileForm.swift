import UAFAdministration
import UAFService

/// The form that changes what the server knows about a person.
enum ProfileForm {
  static let path = "/console/person/change"

  static func label(_ field: ProfileField) -> PageText {
    switch field {
    case .displayName: .displayName
    case .mail: .mail
    case .department: .department
    case .externalID: .externalID
    }
  }

  /// The page with the form for the account that the query names.
  static func page(_ call: PageCall) async throws -> PageContent {
    let name = call.fields["name"]
    let account = try await AccountAdministration(call.administration).account(name, by: call.caller)
    return call.stepPage(
      title: call.text(.changePerson), sentence: call.text(.willChangePerson), isSigned: false,
      form: form(name, account.summary.profile, call))
  }

  private static func form(_ name: String, _ profile: AccountProfile, _ call: PageCall) -> PageForm {
    let texts = ProfileField.allCases.map { field in
      PageField(name: field.rawValue, label: call.text(label(field)), value: profile[field] ?? "", maximum: 254)
    }
    let separator = String(ProfileRules.groupSeparator)
    let groups = PageField(
      name: "groups", label: call.text(.groupsHow), value: profile.groups.joined(separator: separator), maximum: 5000)
    return PageForm(
      title: call.text(.changePerson), action: path, button: call.text(.save),
      fields: [PageField.hidden("name", name)] + texts + [groups],
      cancel: PageCell(call.text(.cancel), link: PageCall.personLink(name).link))
  }

  /// Changes the fields to what the form says: an empty field is cleared.
  static func change(_ call: PageCall) async throws {
    var texts: [ProfileField: String] = [:]
    for field in ProfileField.allCases { texts[field] = call.fields[field.rawValue] }
    let groups = call.fields["groups"].split(separator: ProfileRules.groupSeparator).map(String.init).filter { name in
      name.contains { !$0.isWhitespace }
    }
    let change = try ProfileChange(texts, groups: groups)
    try await PeopleAdministration(call.administration).change(call.fields["name"], change, by: call.caller)
  }
}
