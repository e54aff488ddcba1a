import UAFAdministration
import UAFMessages
import UAFService

/// Unlocks of what machines have locked: a form on a person's page, and the page that shows one once.
enum UnlockPages {
  /// The form; nil for somebody who may not, and for an account without a key to name a machine by.
  static func form(_ name: String, _ keys: [KeyRecord], _ call: PageCall) -> PageForm? {
    let machines = machines(of: keys)
    guard call.allows(.unlock), !machines.isEmpty else { return nil }
    let fields = [
      PageField.hidden("name", name),
      PageField(name: "machine", label: call.text(.machine), kind: .choice(machines)),
      PageField(
        name: "lifetime", label: call.text(.lifetime), kind: .number,
        value: String(UnlockAdministration.standardLifetime), isRequired: true),
      call.reasonField,
    ]
    return PageForm(
      title: call.text(.unlockMachine), action: "/console/person/unlock", button: call.text(.issueCode),
      fields: fields)
  }

  /// The machines of the keys that can be used, each once; where a machine tells no id, the key.
  private static func machines(of keys: [KeyRecord]) -> [(value: String, text: String)] {
    var found: [(value: String, text: String)] = []
    for key in keys.reversed() where key.revocation == nil {
      let value = key.deviceID ?? key.keyID.text
      guard !found.contains(where: { $0.value == value }) else { continue }
      found.append((value, key.deviceName.map { "\($0) \(value)" } ?? value))
    }
    return found
  }

  /// Gives out an unlock, which the page shows once.
  static func issue(_ call: PageCall) async throws -> PageContent {
    try call.caller.require(.unlock)
    let issued = try await UnlockAdministration(call.administration).issue(
      for: call.fields["name"], on: call.fields["machine"], lifetime: call.number("lifetime"),
      reason: call.fields["reason"], by: call.caller)
    let (name, end) = (issued.statement.account, call.time(issued.statement.expiresAt))
    var blocks: [PageBlock] = [
      .paragraph(call.language.text(.unlockMade, name, end)), .paragraph(call.text(.unlockHow)),
    ]
    if issued.codes.isEmpty { blocks.append(.paragraph(call.text(.unlockNoCode))) }
    if issued.codes.count > 1 { blocks.append(.paragraph(call.text(.unlockCodes))) }
    blocks += issued.codes.map { code in
      .code(
        code.text,
        label: issued.codes.count == 1
          ? call.text(.unlockCode) : call.language.text(.unlockCodeOf, code.label))
    }
    blocks.append(.code(issued.payload, label: call.text(.unlockLine)))
    return PageContent(title: name, blocks: blocks)
  }
}
