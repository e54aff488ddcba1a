import UAFAdministration
import UAFMessages
import UAFService

/// The JSON objects of the API and of `--json`, as docs/api.md describes them.
///
/// Times are seconds since 1970.
enum APIShapes {
  static func account(_ row: AccountRow) -> JSONObject {
    let summary = row.summary
    var object: JSONObject = [
      "name": .string(summary.username), "keys": .integer(Int64(summary.keys)),
      "revokedKeys": .integer(Int64(summary.revokedKeys)), "hasOpenCode": .bool(summary.hasOpenCode),
    ]
    object.set("lastUsed", summary.lastUsedAt.map(JSONValue.integer))
    object.set("group", row.group.map(JSONValue.string))
    for field in ProfileField.allCases { object.set(field.rawValue, summary.profile[field].map(JSONValue.string)) }
    if !summary.profile.groups.isEmpty { object.set("groups", .array(summary.profile.groups.map(JSONValue.string))) }
    object.set("block", summary.block.map { .object(block($0)) })
    return object
  }

  /// The block of an account; its `until` may have passed.
  private static func block(_ block: AccountBlock) -> JSONObject {
    var object: JSONObject = [
      "since": .integer(block.since), "reason": .string(block.reason), "by": .string(block.actor),
    ]
    object.set("until", block.until.map(JSONValue.integer))
    return object
  }

  static func personGroup(_ group: PersonGroup) -> JSONObject {
    var object: JSONObject = [
      "id": .integer(group.id), "name": .string(group.name), "members": .integer(Int64(group.members)),
    ]
    object.set("externalID", group.externalID.map(JSONValue.string))
    return object
  }

  static func groupMapping(_ mapping: GroupMapping) -> JSONObject {
    var object: JSONObject = [
      "group": .integer(mapping.groupID), "name": .string(mapping.group), "members": .integer(Int64(mapping.members)),
    ]
    object.set("externalID", mapping.externalID.map(JSONValue.string))
    object.set("policy", mapping.policyGroup.map(JSONValue.string))
    object.set("role", mapping.role.map(JSONValue.string))
    object.set("madeBy", .string(mapping.madeBy))
    object.set("made", .integer(mapping.madeAt))
    return object
  }

  static func preview(_ preview: GroupMappingPreview) -> JSONObject {
    var object: JSONObject = ["members": .integer(Int64(preview.members))]
    for member in self.preview(preview.policy).members { object.set(member.name, member.value) }
    return object
  }

  static func policy(_ version: PolicyVersion) -> JSONObject {
    [
      "number": .integer(version.number), "time": .integer(version.savedAt), "actor": .string(version.actor),
      "reason": .string(version.reason), "policy": .string(version.text),
    ]
  }

  static func machinePolicy(_ policy: SavedMachinePolicy) -> JSONObject {
    [
      "number": .integer(policy.number), "group": .string(policy.group), "lifetime": .integer(policy.lifetime),
      "time": .integer(policy.savedAt), "actor": .string(policy.actor), "reason": .string(policy.reason),
      "policy": .string(policy.text),
    ]
  }

  static func machinePolicyPreview(_ preview: MachinePolicyPreview) -> JSONObject {
    let changes = preview.changes.map { change -> JSONValue in
      var object: JSONObject = ["key": .string(change.key)]
      object.set("before", change.before.map(JSONValue.string))
      object.set("after", change.after.map(JSONValue.string))
      return .object(object)
    }
    var object: JSONObject = ["machines": .integer(Int64(preview.machines)), "changes": .array(changes)]
    object.set("present", preview.present.map(JSONValue.integer))
    return object
  }

  static func preview(_ preview: PolicyPreview) -> JSONObject {
    [
      "accounts": .integer(Int64(preview.withKeys)), "changed": .integer(Int64(preview.changed)),
      "lockedOut": .integer(Int64(preview.lockedOut)), "names": .array(preview.names.map(JSONValue.string)),
      "lockedOutAlready": .integer(Int64(preview.lockedOutAlready)), "missing": .integer(Int64(preview.missing)),
      "missingNames": .array(preview.missingNames.map(JSONValue.string)),
      "isPresentUsable": .bool(preview.isPresentUsable), "locksEverybodyOut": .bool(preview.locksEverybodyOut),
    ]
  }

  static func passkey(_ passkey: PasskeyRecord) -> JSONObject {
    var object: JSONObject = [
      "account": .string(passkey.username), "id": .string(passkey.idText),
      "host": .string(passkey.relyingPartyID), "counter": .integer(Int64(passkey.signCounter)),
      "aaguid": .string(passkey.aaguid.description),
      "attested": .bool(passkey.isAttested), "synced": .bool(passkey.isBackupEligible),
      "backedUp": .bool(passkey.isBackedUp), "transports": .array(passkey.transports.map(JSONValue.string)),
      "registered": .integer(passkey.registeredAt), "counts": .bool(passkey.countsForSteps),
    ]
    object.set("issuedBy", passkey.origin.issuedBy.map(JSONValue.string))
    object.set("lastUsed", passkey.lastUsedAt.map(JSONValue.integer))
    object.set("revoked", passkey.revocation.map(revocation))
    return object
  }

  private static func revocation(_ revocation: Revocation) -> JSONValue {
    .object([
      "time": .integer(revocation.time), "by": .string(revocation.by), "reason": .string(revocation.reason),
    ])
  }

  static func key(_ key: KeyRecord) -> JSONObject {
    var object: JSONObject = [
      "account": .string(key.username), "aaid": .string(key.aaid.text), "keyID": .string(key.keyID.text),
      "version": .integer(Int64(key.authenticatorVersion)), "counter": .integer(Int64(key.signCounter)),
      "registered": .integer(key.registeredAt), "counts": .bool(key.countsForSteps),
    ]
    object.set("issuedBy", key.origin.issuedBy.map(JSONValue.string))
    object.set("device", key.deviceID.map(JSONValue.string))
    object.set("deviceName", key.deviceName.map(JSONValue.string))
    object.set("lastUsed", key.lastUsedAt.map(JSONValue.integer))
    object.set("revoked", key.revocation.map(revocation))
    return object
  }

  static func machine(_ machine: FleetMachine) -> JSONObject {
    var object: JSONObject = [
      "device": .string(machine.id), "people": .integer(Int64(machine.people)),
      "keys": .integer(Int64(machine.keys)), "revokedKeys": .integer(Int64(machine.revokedKeys)),
    ]
    object.set("registered", machine.registeredAt.map(JSONValue.integer))
    object.set("name", machine.name.map(JSONValue.string))
    object.set("model", machine.model.map(JSONValue.string))
    object.set("system", machine.system.map(JSONValue.string))
    object.set("lastUsed", machine.lastUsedAt.map(JSONValue.integer))
    object.set("group", (machine.joined?.group).map(JSONValue.string))
    object.set("joined", (machine.joined?.joinedAt).map(JSONValue.integer))
    object.set("left", (machine.joined?.departedAt).map(JSONValue.integer))
    if let contact = machine.joined?.contact { add(contact, to: &object) }
    return object
  }

  /// A key or an authority to come, and who lacks it.
  static func coming(_ coming: ComingTrust) -> JSONObject {
    let kind =
      switch coming.anchor {
      case .verdictKey: "verdict-key"
      case .authority: "authority"
      }
    var object: JSONObject = [
      "kind": .string(kind), "name": .string(coming.anchor.name), "usedFrom": .integer(coming.usedFrom),
      "lacking": .integer(Int64(coming.lacking)), "machines": .array(coming.names.map(JSONValue.string)),
    ]
    object.set("more", coming.hasMore ? .bool(true) : nil)
    object.set("learningNone", coming.learningNone > 0 ? .integer(Int64(coming.learningNone)) : nil)
    return object
  }

  /// What a machine has reported about itself.
  private static func add(_ contact: MachineContact, to object: inout JSONObject) {
    object.set("lastContact", .integer(contact.at))
    object.set("module", .string(contact.module))
    object.set("policy", contact.policy.map(JSONValue.integer))
    object.set("locks", .array(contact.locks.named.map(\.json)))
    object.set("moreLocks", .integer(Int64(contact.locks.more)))
    object.set("wrongValues", .array(contact.wrongValues.named.map(\.json)))
    object.set("moreWrongValues", .integer(Int64(contact.wrongValues.more)))
    object.set("failures", contact.examination.map { FindingList.json($0.failures) })
    object.set("examined", (contact.examination?.at).map(JSONValue.integer))
    object.set("copySeen", contact.copySeenAt.map(JSONValue.integer))
  }

  /// A machine of one account.
  static func device(_ device: AccountDevice) -> JSONObject {
    var object: JSONObject = [
      "keys": .integer(Int64(device.keys)), "revokedKeys": .integer(Int64(device.revokedKeys)),
      "registered": .integer(device.registeredAt),
    ]
    object.set("name", device.name.map(JSONValue.string))
    object.set("model", device.model.map(JSONValue.string))
    object.set("system", device.system.map(JSONValue.string))
    object.set("lastUsed", device.lastUsedAt.map(JSONValue.integer))
    return object
  }

  static func model(_ model: ModelFigures.Model) -> JSONObject {
    var object: JSONObject = [
      "aaid": .string(model.count.aaid.text), "keys": .integer(Int64(model.count.keys)),
      "revokedKeys": .integer(Int64(model.count.revokedKeys)),
    ]
    object.set("type", model.type.map(JSONValue.string))
    return object
  }

  static func code(_ code: IssuedCode) -> JSONObject {
    var object: JSONObject = [
      "number": .integer(code.number), "account": .string(code.username), "issuedBy": .string(code.issuedBy),
      "issued": .integer(code.issuedAt), "expires": .integer(code.expiresAt), "isOpen": .bool(code.isOpen),
    ]
    object.set("used", code.usedAt.map(JSONValue.integer))
    return object
  }

  /// A payload, which contains a code and is shown only once.
  static func issued(_ issued: IssuedPayload) -> JSONObject {
    var object: JSONObject = [
      "account": .string(issued.payload.username), "expires": .integer(issued.payload.expires),
    ]
    object.set("code", (issued.payload.code?.text).map(JSONValue.string))
    object.set("payload", .string(issued.payload.encoded))
    object.set("number", issued.number.map(JSONValue.integer))
    return object
  }

  /// An unlock in both forms, payload and codes, which are shown only once.
  static func issued(_ issued: IssuedUnlock) -> JSONObject {
    var object: JSONObject = [
      "id": .string(issued.id), "account": .string(issued.statement.account),
      "issued": .integer(issued.statement.issuedAt), "expires": .integer(issued.statement.expiresAt),
      "payload": .string(issued.payload),
      "codes": .array(
        issued.codes.map { .object(["machine": .string($0.label), "code": .string($0.text)]) }),
    ]
    switch issued.statement.target {
    case .device(let id): object.set("device", .string(id))
    case .key(let id): object.set("key", .string(id.text))
    }
    return object
  }

  static func joinCode(_ code: JoinCode, now: Int64) -> JSONObject {
    [
      "number": .integer(code.number), "group": .string(code.group), "machines": .integer(Int64(code.machines)),
      "used": .integer(Int64(code.used)), "issuedBy": .string(code.issuedBy), "issued": .integer(code.issuedAt),
      "expires": .integer(code.expiresAt), "state": .string(code.state(at: now).rawValue),
    ]
  }

  /// A payload, which contains a join code and is shown only once.
  static func issued(_ issued: IssuedJoinCode) -> JSONObject {
    [
      "number": .integer(issued.number), "group": .string(issued.payload.group.name),
      "machines": .integer(issued.machines), "expires": .integer(issued.payload.expires),
      "payload": .string(issued.payload.encoded), "fingerprint": .string(issued.fingerprint),
    ]
  }

  static func approval(_ approval: ApprovalRecord) -> JSONObject {
    let outcome =
      switch approval.outcome {
      case .open: "open"
      case .confirmed: "confirmed"
      case .denied: "denied"
      case .closed: "closed"
      }
    return [
      "number": .integer(approval.id), "account": .string(approval.username), "text": .string(approval.shown),
      "expires": .integer(approval.expiresAt), "outcome": .string(outcome),
    ]
  }

  /// The members of a row of the audit that are texts, in the order of its columns.
  static let auditTexts = ["kind", "outcome", "account", "actor", "address", "machine", "authenticators", "detail"]

  /// A row of the audit, from which its hash can be recomputed.
  static func auditRow(_ row: AuditRow) -> JSONObject {
    var object: JSONObject = ["number": .integer(row.number), "time": .integer(row.event.time)]
    for (name, text) in zip(auditTexts, row.event.texts) { object.set(name, .string(text)) }
    object.set("hash", .string(Base64URL.encode(row.link.hash)))
    return object
  }

  static func token(_ token: AccessToken) -> JSONObject {
    var object: JSONObject = [
      "name": .string(token.name), "role": .string(token.role), "createdBy": .string(token.createdBy),
      "created": .integer(token.createdAt), "expires": .integer(token.expiresAt),
      "addresses": .array(token.addresses.map(JSONValue.string)),
    ]
    object.set("lastUsed", token.lastUsedAt.map(JSONValue.integer))
    object.set("revoked", token.revokedAt.map(JSONValue.integer))
    return object
  }

  static func administrator(_ administrator: StoredAdministrator) -> JSONObject {
    var object: JSONObject = [
      "name": .string(administrator.name), "role": .string(administrator.role),
      "addedBy": .string(administrator.addedBy), "added": .integer(administrator.addedAt),
    ]
    object.set("group", administrator.group.map(JSONValue.integer))
    return object
  }

  /// A page: its rows as the member `name`, and in `next` the key after which the next page begins; the last page has no
  /// `next`.
  static func page<Row>(_ page: Page<Row>, _ name: String, _ shape: (Row) -> JSONObject) -> JSONObject {
    var object: JSONObject = [:]
    object.set(name, .array(page.rows.map { .object(shape($0)) }))
    object.set("next", page.next.map(JSONValue.string))
    return object
  }
}
