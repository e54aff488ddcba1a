import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages

/// Reports the state of the account's authenticators as JSON; the operation succeeds in every state.
struct StatusOperation: CallOperation {
  let call: Call
  let policy: CallPolicy
  let accounts: AccountAccess
  let sensors: BiometricCheck
  let serverSide: ServerSideStatus
  let now: () -> BootTime

  func run() throws(Ending) -> Success {
    let uid = try call.caller.requireAccount()
    let directory = try accounts.openState()
    let binding = directory.isBoundToChip ? "tpm" : "file"
    let account = try accounts.open(uid, in: directory)
    var entries: [JSONValue] = []
    var sets = TypeSets()
    for type in policy.enabledTypes {
      var state = try entry(type, uid, account, isBound: directory.isBoundToChip)
      if try accounts.holds(account, type) { sets.registered |= type.userVerification }
      var isSupported = true
      if !type.isTyped {
        let standing = try sensors.standing(
          type, of: account, named: call.caller.name ?? call.caller.ownName, in: directory)
        state = Self.withSensor(state, standing, isBound: directory.isBoundToChip)
        isSupported = standing.isSupported
      }
      if isSupported { sets.supported |= type.userVerification }
      sets.add(type, state.code)
      entries.append(.object(state.json))
    }
    var person: JSONObject = ["uid": .integer(Int64(uid)), "name": .string(call.shownName)]
    person.set("serverUserName", account.map { .string($0.identity.serverUserName) })
    var document: JSONObject = [
      "version": .string(HelperVersion.current), "keyBinding": .string(binding), "account": .object(person),
      "availableTypes": .integer(Int64(sets.supported)), "registeredTypes": .integer(Int64(sets.registered)),
      "lockedTypes": .integer(Int64(sets.locked)), "usableTypes": .integer(Int64(sets.usable)),
      "authenticators": .array(entries),
    ]
    // Only keys of the protocol that the configured server speaks are shown and used.
    let isWebAuthn = policy.configuration.server?.dialect.isWebAuthn == true
    document.set("protocol", .string(isWebAuthn ? "WebAuthn" : "UAF"))
    if let account { serverSide.write(account, to: &document) }
    document.set("serverUnknownSince", serverSide.unknownSince.map(JSONValue.integer))
    document.set("codesSetValues", .bool(policy.provesCodes))
    document.set("takesCodes", .bool(policy.configuration.server?.enrolment.takesCodes ?? true))
    document.set("policy", PolicyStatus(policy: policy).json)
    document.set("joined", serverSide.hasJoined ? .bool(true) : nil)
    document.set("announced", serverSide.announced)
    document.set("unlocksKeyring", .bool(policy.configuration.keyring.unlock))
    return Success(document: JSONValue.object(document).text)
  }

  /// The types as bits of UAF's user verification methods, in one set for each property that they may have for this account.
  private struct TypeSets {
    /// The types that could be registered: they are enabled and supported by this version, and there is a sensor if they need
    /// one.
    var supported: UInt32 = 0
    /// The types that are registered on this machine, regardless of what the server says about their keys.
    var registered: UInt32 = 0
    /// The registered types that are locked, temporarily or permanently.
    var locked: UInt32 = 0
    /// The registered types with which the account can log in now, as far as this machine knows.
    var usable: UInt32 = 0

    mutating func add(_ type: AuthenticatorType, _ state: FidoResult) {
      if state == .stateLocked { locked |= type.userVerification }
      if state == .stateAvailable { usable |= type.userVerification }
    }
  }

  /// The state of a type that needs a sensor.
  ///
  /// It is reported as not supported if there is no sensor, or if the type could be used for a login but something prevents the
  /// use of the sensor.
  private static func withSensor(
    _ state: (code: FidoResult, json: JSONObject), _ sensor: (isSupported: Bool, result: FidoResult), isBound: Bool
  ) -> (code: FidoResult, json: JSONObject) {
    var (code, json) = state
    if !sensor.isSupported, code == .stateNotRegistered || code == .stateAvailable { code = .stateNotSupported }
    let usable: [FidoResult] = [.biometryNotChanged, .biometryStateNotSupported]
    if code == .stateAvailable, !usable.contains(sensor.result) { code = .stateNotSupported }
    json.set("state", .integer(Int64(code.code)))
    json.set("stateName", .string(code.name))
    json.set("biometry", .integer(Int64(sensor.result.code)))
    json.set("biometryName", .string(sensor.result.name))
    json.set("keyProtection", .string(isBound ? "hardware" : "software"))
    return (code, json)
  }

  private func entry(
    _ type: AuthenticatorType, _ uid: UInt32, _ account: AccountFile?, isBound: Bool
  ) throws(Ending) -> (code: FidoResult, json: JSONObject) {
    let isInUse = if let account { try accounts.isEnrolled(account, type) } else { false }
    func standing(_ origin: AttemptOrigin) throws(Ending) -> LockStatus {
      let lock = policy.lockPolicy(type, uid: uid, origin)
      guard let account, isInUse else { return AttemptLedger().status(origin, at: now(), policy: lock) }
      return try accounts.lockStatus(account, type, origin, lock)
    }
    let local = try standing(.local)
    let keys = try account.map { (file) throws(Ending) in try accounts.keys(of: file) } ?? []
    let isForbidden = if let account, isInUse { try accounts.isForbidden(account) } else { false }
    let code = Self.state(isInUse: isInUse, local, keys.filter { $0.type == type }, isForbidden: isForbidden)
    var json: JSONObject = [
      "type": .string(type.rawValue), "aaid": .string(type.aaid), "state": .integer(Int64(code.code)),
      "stateName": .string(code.name),
    ]
    if let account, try accounts.deadTypes(account).contains(type) {
      let isRevoked = try accounts.keys(of: account).contains { $0.type == type && $0.isRevoked }
      json.set("atServer", .string(isRevoked ? "revoked" : "unknown"))
    } else if let account, try accounts.keys(of: account).contains(where: { $0.type == type && $0.isBehind }) {
      json.set("atServer", .string("ahead"))
    } else if isForbidden {
      json.set("atServer", .string("forbidden"))
    }
    Self.write(local, to: &json)
    json.set("remote", Self.object(try standing(.remote)))
    // The member is only added if such an attempt was counted: for most accounts, other users make no attempts.
    if let account, isInUse, (try? account.ledger(type))?.isClear(.otherUser) == false {
      json.set("otherUser", Self.object(try standing(.otherUser)))
    }
    // The member is only added if a chip could count. It states whether the chip counts wrong entries too, or only this
    // machine.
    if isBound, let enrolled = try? account?.authenticator(type) {
      json.set("countedBy", .string(enrolled.hasShare ? "tpm" : "machine"))
    }
    if let account, isInUse, let record = try? account.keyring(type) {
      json.set("keyring", .string(record == .declined ? "declined" : "kept"))
    }
    if let account, isInUse, lockOptionsWait(account, type) { json.set("lockOptionsWait", .bool(true)) }
    return (code, json)
  }

  /// The state of a type.
  ///
  /// If the server is known to refuse the key, the type counts as no longer registered.
  private static func state(
    isInUse: Bool, _ local: LockStatus, _ keys: [RegisteredKey], isForbidden: Bool
  ) -> FidoResult {
    guard isInUse else { return .stateNotRegistered }
    if local.isLocked { return .stateLocked }
    let isRefused = isForbidden || !keys.isEmpty && keys.allSatisfy(\.isRefused)
    return isRefused ? .stateNotRegistered : .stateAvailable
  }

  /// Whether the configured lock options have no effect yet, for any origin, because wrong entries were counted under stricter
  /// options (3015).
  private func lockOptionsWait(_ account: AccountFile, _ type: AuthenticatorType) -> Bool {
    guard let ledger = try? account.ledger(type) else { return false }
    return AttemptOrigin.allCases.contains { origin in
      ledger.refusesLooser(policy.lockPolicy(type, uid: account.identity.uid, origin), for: origin)
    }
  }

  private static func object(_ status: LockStatus) -> JSONValue {
    var object: JSONObject = [:]
    write(status, to: &object)
    return .object(object)
  }

  private static func write(_ status: LockStatus, to json: inout JSONObject) {
    json.set("permanent", .bool(status.isPermanent))
    json.set("remainingTries", .integer(Int64(status.remainingTries)))
    json.set("remainingLockSeconds", .integer(Int64(status.remainingLock.map { $0.secondsTold } ?? 0)))
  }
}

/// The part of *status* about an account's server: the account's state as the server last reported it, and whether this machine
/// can ask for it again.
///
/// It reports whether there is a machine secret, but not the secret.
struct ServerSideStatus {
  let server: ServerAccess
  let folder: StateFolder

  /// Since when the server that this machine has joined says that it does not know the machine, in seconds since 1970; nil if
  /// it knows it.
  var unknownSince: Int64? { (try? UnknownRecord.read(in: folder.path, owner: folder.owner))?.since }

  /// Whether this machine has joined the configured server, and so learns its keys by check-in.
  var hasJoined: Bool {
    guard let settings = try? server.settings() else { return false }
    return (try? server.joined(settings)) != nil
  }

  /// The verdict keys, by id, and the authorities that the server has announced to this machine; nil if there are none.
  var announced: JSONValue? {
    guard let record = server.announced else { return nil }
    func ids(ended isEnded: Bool) -> JSONValue? {
      let keys = record.keys.filter { ($0.endedAt != nil) == isEnded }
      let ids = keys.compactMap { TrustName.keyID(of: $0.bytes) }
      return ids.isEmpty ? nil : .array(ids.map(JSONValue.string))
    }
    var object: JSONObject = [:]
    object.set("verdictKeys", ids(ended: false))
    object.set("endedKeys", ids(ended: true))
    let authorities = record.authorities.filter { $0.endedAt == nil }.map(\.bytes)
    object.set("authorities", CertificateAuthorities(certificates: authorities).map { .string($0.pem) })
    return .object(object)
  }

  func write(_ account: AccountFile, to document: inout JSONObject) {
    document.set("serverState", Self.state(of: account))
    document.set("hasMachineSecret", hasSecret(account).map(JSONValue.bool))
  }

  /// Whether there is a machine secret for the configured server; nil if no server is configured.
  private func hasSecret(_ account: AccountFile) -> Bool? {
    do throws(Ending) {
      return try server.machine(server.settings(), of: account) != nil
    } catch {
      return nil
    }
  }

  /// The state that the server last reported; nil if the server was never asked about the account.
  private static func state(of account: AccountFile) -> JSONValue? {
    do throws(StateError) {
      guard let record = try StandingRecord.of(account) else { return nil }
      var state: JSONObject = ["asked": .integer(record.asked.wallSeconds)]
      switch record.standing {
      case .active: state.set("state", .string("active"))
      case .disabled: state.set("state", .string("disabled"))
      case .locked(let until):
        state.set("state", .string("locked"))
        state.set("until", .integer(until))
      }
      return .object(state)
    } catch {
      // If the record is damaged, the other fields of the document are still reported.
      return .object(["state": .string("unreadable")])
    }
  }
}

/// The part of *status* about the server's policy: which policy is in force and, for each setting that a policy can change, the
/// value and where it comes from.
struct PolicyStatus {
  let policy: CallPolicy

  /// The JSON; nil if root's configuration lets the server decide nothing.
  var json: JSONValue? {
    guard policy.keeper.isFollowing else { return nil }
    let followed = policy.keeper.own.policy.followed.map { JSONValue.string($0.rawValue) }
    var object: JSONObject = ["follow": .array(followed), "joined": .bool(policy.standing.hasJoined)]
    if let kept = policy.standing.policy {
      object.set("version", .integer(kept.version))
      object.set("issued", .integer(kept.issuedAt))
      object.set("expires", .integer(kept.expiresAt))
      // In base64url, the length of the text is known. With JSON escapes, the document could exceed its maximum length.
      object.set("toml", .string(Base64URL.encode(kept.text.utf8)))
    }
    object.set("note", policy.standing.note.map(JSONValue.string))
    let values = SettingOrigins(own: policy.keeper.own, now: policy.configuration).all.map { setting in
      JSONValue.object([
        "key": .string(setting.key), "value": .string(setting.value), "from": .string(setting.origin),
      ])
    }
    object.set("values", .array(values))
    return .object(object)
  }
}
