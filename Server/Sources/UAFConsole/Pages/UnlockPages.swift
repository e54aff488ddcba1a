import UAFAdministration
import UAFMessages
import UAFService

/// Unlocks for accounts that machines have locked: a form on a person's page, and the page that shows an unlock, once.
enum UnlockPages {
  /// The form; nil if the caller lacks the permission, or if the account has no usable key on any machine.
  static func form(_ name: String, _ keys: [KeyRecord], _ call: PageCall) -> PageForm? {
    let machines = machines(of: keys)
    guard call.allows(.unlock), !machines.isEmpty else { return nil }
    let fields = [
      PageField.hidden("name", name),
      PageField(
        name: "machine", label: call.text(.machine), kind: .choice(machines), value: call.fields["machine"]),
      call.lengthField("lifetime", .lifetime, UnlockAdministration.standardLifetime),
      call.reasonField,
    ]
    return PageForm(
      title: call.text(.unlockMachine), action: "/console/person/unlock", button: call.text(.issueCode),
      fields: fields)
  }

  /// The machines on which the account has usable keys, each once.
  ///
  /// If a machine reports no ID, the KeyID stands for it.
  static func machines(of keys: [KeyRecord]) -> [(value: String, text: String)] {
    var found: [(value: String, text: String)] = []
    for key in keys.reversed() where key.revocation == nil {
      let value = key.deviceID ?? key.keyID.text
      guard !found.contains(where: { $0.value == value }) else { continue }
      found.append((value, key.deviceName.map { "\($0) \(value)" } ?? value))
    }
    return found
  }

  /// Issues an unlock, and returns the page that shows it once.
  static func issue(_ call: PageCall) async throws -> PageContent {
    let issued = try await UnlockAdministration(call.administration).issue(
      for: call.fields["name"], on: call.fields["machine"], lifetime: call.length("lifetime"),
      reason: call.fields["reason"], by: call.caller)
    let (name, end) = (issued.statement.account, call.time(issued.statement.expiresAt))
    var blocks: [PageBlock] = [
      .paragraph(call.language.text(.unlockMade, name, end)), .paragraph(call.text(.unlockHow)),
    ]
    if issued.codes.isEmpty { blocks.append(.paragraph(call.text(.unlockNoCode))) }
    if issued.codes.count > 1 { blocks.append(.paragraph(call.text(.unlockCodes))) }
    blocks += issued.codes.map { code in
      call.code(
        code.text,
        label: issued.codes.count == 1
          ? call.text(.unlockCode) : call.language.text(.unlockCodeOf, code.label))
    }
    blocks.append(call.code(issued.payload, label: call.text(.unlockLine)))
    return PageContent(title: name, blocks: blocks)
  }
}
