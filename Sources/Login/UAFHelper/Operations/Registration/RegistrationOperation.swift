import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// A registration, which makes keys for the account and stores them if the server accepts them.
///
/// With a code, an authenticator that is already registered here gets a new value (``RegistrationPlan``).
///
/// A repair is a registration that renews the key of an authenticator under its value, whatever the server thinks of the old
/// key. Only a code or a different authenticator allows it: a signature by the key proves nothing if there may be a copy of the
/// key.
struct RegistrationOperation: CallOperation {
  let tools: RegistrationTools
  let authentication: AuthenticationTools
  let codes: EnrolmentCodes

  func run() throws(Ending) -> Success {
    let settings = try tools.server.settings()
    let client = try tools.server.clientSettings(settings)
    let uid = try tools.call.caller.requireAccount()
    let directory = try tools.accounts.openState()
    let account = try tools.accounts.open(uid, in: directory)
    let decided =
      tools.call.begin.operation == .repair
      ? try decideRepair(uid, account, client, settings, in: directory)
      : try decideRegistration(uid, account, client, settings, in: directory)
    // Decided by the server's earlier status of the key: a dead key need not be revoked, and revoking by the account's name would
    // revoke the new key.
    let dead = try account.map { (file) throws(Ending) in try tools.accounts.deadTypes(file) } ?? []
    let driver = try RegistrationDriver(tools, client, settings, decided, in: directory)
    let acceptance = try driver.run()
    let oldKey = driver.replacedKey(wasRefused: decided.types.allSatisfy(dead.contains))
    if case .replaces(let type) = decided.effect {
      tools.log.write(.keys, "\(type.rawValue) has a new value and key, set with an enrolment code")
    }
    return Success(text: text(of: decided.effect, oldKey), token: acceptance.token)
  }

  private func text(of effect: RegistrationCase.Effect, _ oldKey: ReplacedKey) -> PromptText {
    let user = tools.call.shownName
    return switch effect {
    case .adds: .registered(user: user)
    case .replaces(let type): .valueReplaced(type.kind, user: user, oldKey: oldKey)
    case .repairs(let type): .repaired(type.kind, user: user, oldKey: oldKey)
    }
  }

  // MARK: Deciding

  private func decideRepair(
    _ uid: UInt32, _ account: AccountFile?, _ client: ClientSettings, _ settings: ServerSettings,
    in directory: borrowing StateDirectory
  ) throws(Ending) -> RegistrationCase {
    let type = try repairable(account)
    let (identity, permit) = try permission(uid, account, [type], type, client, settings, in: directory)
    return RegistrationCase(
      account: account, identity: identity, permit: permit, types: [type], named: type, effect: .repairs(type))
  }

  private func decideRegistration(
    _ uid: UInt32, _ account: AccountFile?, _ client: ClientSettings, _ settings: ServerSettings,
    in directory: borrowing StateDirectory
  ) throws(Ending) -> RegistrationCase {
    let named = try tools.policy.namedType()
    let plan = try plan(account, named)
    let (identity, permit) = try permission(uid, account, plan.types, named, client, settings, in: directory)
    guard case .replace(let candidates) = plan else {
      return RegistrationCase(
        account: account, identity: identity, permit: permit, types: plan.types, named: named, effect: .adds)
    }
    // The person is asked nothing, and told nothing about the account, if the value may not be replaced anyway.
    try permit.requireNewValue(for: account, client, tools)
    let type = try one(of: candidates)
    try tools.prompter.show(.registeredBefore(type.kind, user: tools.call.shownName))
    return RegistrationCase(
      account: account, identity: identity, permit: permit, types: [type], named: type, effect: .replaces(type))
  }

  /// Whose keys are made, and what allows them: the call's code, or what is accepted instead.
  private func permission(
    _ uid: UInt32, _ account: AccountFile?, _ types: [AuthenticatorType], _ named: AuthenticatorType?,
    _ client: ClientSettings, _ settings: ServerSettings, in directory: borrowing StateDirectory
  ) throws(Ending) -> (AccountIdentity, RegistrationPermit) {
    if tools.call.begin.payload != nil {
      let (entitlement, payload) = try codes.entitlement(settings)
      if let payload { try codes.requireTrusted(payload, settings) }
      let identity = try identity(uid, account, for: payload?.username, settings, in: directory)
      return (identity, RegistrationPermit(entitlement: entitlement))
    }
    let identity = try identity(uid, account, for: nil, settings, in: directory)
    // A server of WebAuthn cannot be told which keys are lost.
    let hasLostKeys = client.webAuthn == nil ? try hasLostKeys(of: account, identity, in: directory) : false
    let permit = try permit(
      for: account, named: identity.serverUserName, types, named, hasLostKeys: hasLostKeys, client, settings)
    return (identity, permit)
  }

  /// What allows a new key without a payload: a registered authenticator, or else what root's `enrolment` allows.
  ///
  /// - Throws: ``Ending``: 1001 without a code; 1008 if the server knows keys that only a code can replace.
  private func permit(
    for account: AccountFile?, named username: String, _ types: [AuthenticatorType], _ named: AuthenticatorType?,
    hasLostKeys: Bool, _ client: ClientSettings, _ settings: ServerSettings
  ) throws(Ending) -> RegistrationPermit {
    guard settings.enrolment != .payload else {
      guard let account, let permit = try proof(account, but: named.map { [$0] } ?? [], client, settings),
        case .proof = permit.entitlement
      else { throw try hasLostKeys ? Self.keysLost : noPayload(account, client) }
      return permit
    }
    // The value of a type that is registered anew is not asked for here: the registration itself asks for it.
    let known = try account.flatMap { (file) throws(Ending) in
      try proof(file, but: named.map { [$0] } ?? types, client, settings)
    }
    if let known, case .proof = known.entitlement { return known }
    let entitlement = try entered(for: account, named: username, settings)
    return RegistrationPermit(entitlement: entitlement, isVerifiedHere: known != nil)
  }

  /// The plan of what to register.
  private func plan(_ account: AccountFile?, _ named: AuthenticatorType?) throws(Ending) -> RegistrationPlan {
    var standing = RegistrationPlan.Standing(enabled: tools.policy.enabledTypes)
    standing.needsCode = try tools.server.settings().enrolment == .payload
    if let account {
      standing.enrolled = try tools.accounts.enrolledTypes(account)
      standing.dead = try tools.accounts.deadTypes(account)
      standing.refused = try tools.accounts.refusedTypes(account)
    }
    let plan = RegistrationPlan(for: standing, hasCode: tools.call.begin.payload != nil, named: named)
    if case .refuse(let cause) = plan {
      throw Ending(.noSuitableAuthenticator, because: cause, log: "every authenticator is registered already")
    }
    return plan
  }

  /// The authenticator that gets a new key: the named one, or else the only one with a key that is dead or behind, or else the
  /// only one, or else the person's choice.
  private func repairable(_ account: AccountFile?) throws(Ending) -> AuthenticatorType {
    let named = try tools.policy.namedType()
    let enrolled = try account.map { (file) throws(Ending) in try tools.accounts.enrolledTypes(file) } ?? []
    guard let account, !enrolled.isEmpty, named.map(enrolled.contains) ?? true else {
      throw Ending(
        .notRegistered, text: enrolled.isEmpty ? nil : .cause(.namedNotRegistered),
        log: "no key of this account on this machine")
    }
    if let named { return named }
    let broken = try tools.accounts.typesToRepair(account)
    return try one(of: broken.isEmpty ? enrolled : broken)
  }

  /// The only one of these types, or the person's choice.
  private func one(of types: [AuthenticatorType]) throws(Ending) -> AuthenticatorType {
    if types.count == 1, let type = types.first { return type }
    guard tools.policy.isInteractive, let type = try tools.prompter.chooseType(among: types) else {
      throw Ending(
        .noSuitableAuthenticator, because: .severalToName, log: "several authenticators are registered: name one")
    }
    return type
  }

  /// A fresh verification with a registered authenticator, instead of a code.
  ///
  /// - Returns: what the verification allows; nil if there was none. Another vendor's server has no proofs.
  private func proof(
    _ account: AccountFile, but excluded: [AuthenticatorType], _ client: ClientSettings, _ settings: ServerSettings
  ) throws(Ending) -> RegistrationPermit? {
    // A value whose keys the server refuses proves nothing to the server, so nobody is asked for it.
    let refused = try tools.accounts.refusedTypes(account)
    let types = try tools.accounts.enrolledTypes(account).filter { !excluded.contains($0) && !refused.contains($0) }
    guard !types.isEmpty else { return nil }
    let held = AccountAuthenticators(account, types, refused: [], named: nil, in: try tools.accounts.openState())
    let driver = try LoginDriver(authentication, held, client, settings, for: .proof(.furtherKeys))
    guard let token = try driver.run().token else {
      return RegistrationPermit(entitlement: .none, isVerifiedHere: true)
    }
    return .proof(token, by: driver.signedKeys)
  }

  /// Asks for what the server's `enrolment` wants from the person.
  ///
  /// - Throws: ``Ending``: cancelled, or 1001 for an empty line and for a text that cannot be a code of the server.
  private func entered(
    for account: AccountFile?, named username: String, _ settings: ServerSettings
  ) throws(Ending) -> Entitlement {
    switch settings.enrolment {
    case .code, .token:
      guard let code = try tools.prompter.askCode() else {
        throw Ending(.invalidParameter, because: .codeNotEntered, log: "no code was entered")
      }
      return try codes.entitlement(entered: code, for: account, settings)
    case .password:
      guard let password = try tools.prompter.askServerPassword(of: username) else {
        throw Ending(
          .invalidParameter, because: .serverPasswordNotEntered, log: "no password was entered for the server")
      }
      return .plainCode(password)
    case .payload, .open: return .none
    }
  }

  /// Whether keys were made here for an account that no longer has any: the server may still know them.
  private func hasLostKeys(
    of account: AccountFile?, _ identity: AccountIdentity, in directory: borrowing StateDirectory
  ) throws(Ending) -> Bool {
    let held = try account.map { (file) throws(Ending) in try tools.accounts.keys(of: file) } ?? []
    return held.isEmpty ? try !OwnKeys.keyIDs(of: identity, held: [], without: [], in: directory).isEmpty : false
  }

  private static var keysLost: Ending {
    Ending(
      .alreadyRegistered, because: .keysLost,
      log: "there is no code, and the server knows a key that this machine has lost")
  }

  /// The ending if there is no code and nothing else proves the person; this does not ask for a code that would be refused.
  private func noPayload(_ account: AccountFile?, _ client: ClientSettings) throws(Ending) -> Ending {
    if tools.call.begin.operation == .repair {
      return Ending(.invalidParameter, because: .repairCodeMissing, log: "no code")
    }
    let isRefused = client.judgesCodes && tools.server.isVerdictUnsigned && !tools.call.caller.isRoot
    let isInUse = try account.map { (file) throws(Ending) in try tools.accounts.isInUse(file) } ?? false
    return Ending(.invalidParameter, because: isRefused && isInUse ? .codesNotSigned : .codeMissing, log: "no code")
  }

  /// The account that the keys are for.
  ///
  /// The server's name must be what root's mapping makes of the account's name.
  ///
  /// - Parameter username: the name in the payload; nil without one.
  private func identity(
    _ uid: UInt32, _ account: AccountFile?, for username: String?, _ settings: ServerSettings,
    in directory: borrowing StateDirectory
  ) throws(Ending) -> AccountIdentity {
    let name = account?.identity.name ?? tools.call.caller.name ?? tools.call.caller.ownName
    guard let name else { throw tools.call.caller.nameless }
    let serverName = try tools.server.userName(of: name, settings)
    guard username.map({ $0 == serverName }) ?? true else {
      throw Ending(
        .invalidParameter, text: .codeOfOtherAccount(than: serverName),
        log: "the code is for a different account, not \(serverName)")
    }
    if account == nil { try tools.accounts.requireOwn(serverName, of: uid, in: directory) }
    return AccountIdentity(uid: uid, name: name, serverUserName: serverName)
  }
}

/// What one registration does and what allows it, as decided before the server is asked for its request.
struct RegistrationCase {
  /// What becomes of the authenticators that the account has.
  enum Effect: Equatable {
    /// They stay, except for keys that are dead.
    case adds
    /// This one gets a new value and a new key; nobody is asked for the value that it has.
    case replaces(AuthenticatorType)
    /// This one gets a new key under the value that it has; the key that it has may still be good.
    case repairs(AuthenticatorType)
  }

  /// The account's file; nil before its first registration.
  let account: AccountFile?
  let identity: AccountIdentity
  let permit: RegistrationPermit
  /// The types that may take part.
  let types: [AuthenticatorType]
  /// The type that must take part; nil if the server and the person decide.
  let named: AuthenticatorType?
  let effect: Effect

  /// Whether existing values are replaced without asking for them.
  var replacesValues: Bool { if case .replaces = effect { true } else { false } }

  /// Whether the types get new keys whatever the server thinks of the keys that they have.
  var renewsKeys: Bool { effect != .adds }
}

/// What allows a registration: an enrolment code, a proof by another authenticator, or nothing but the server's decision.
struct RegistrationPermit {
  /// What allows the new keys at the server.
  let entitlement: Entitlement
  /// The keys that signed the proof and authorise the new ones; nil without a proof.
  var signed: SignedKeys?
  /// Whether a registered authenticator has just verified the person, here and at the server.
  var isVerifiedHere = false

  /// The permit from the token of a fresh verification, and from the keys that signed it.
  static func proof(_ token: String, by signed: SignedKeys) -> RegistrationPermit {
    RegistrationPermit(entitlement: .proof(token), signed: signed, isVerifiedHere: true)
  }

  /// Whether the server checks an enrolment code.
  var isCode: Bool {
    switch entitlement {
    case .code, .plainCode: true
    case .none, .proof: false
    }
  }

  /// Refuses a permit that may not set a new value here.
  ///
  /// For an account in use, a code is accepted only if the server checks it and signs its verdict. In the plain dialect
  /// and in WebAuthn a server may ignore the code, and a program that controls uaf-fetch may forge an unsigned answer: any text
  /// would then set a new value. An account without any value is treated as one that never registered. If root asks with
  /// uafctl, root's request is enough; a login through a host with root privileges is not a request by root.
  ///
  /// - Throws: ``Ending`` if it may not.
  func requireNewValue(
    for account: AccountFile?, _ client: ClientSettings, _ tools: RegistrationTools
  ) throws(Ending) {
    let isRootsRequest = tools.call.caller.isRoot && !tools.call.isLogin
    guard !isVerifiedHere, let account, !isRootsRequest else { return }
    guard isCode else {
      guard try tools.accounts.isInUse(account) else { return }
      throw Ending(
        .invalidParameter, because: .otherTypeInUse,
        log: "the account is in use, and nothing proves that it is this person's")
    }
    guard client.judgesCodes else {
      throw Ending(.invalidParameter, because: .codesNotJudged, log: "the server cannot check an enrolment code")
    }
    guard tools.server.isVerdictUnsigned, try tools.accounts.isInUse(account) else { return }
    throw Ending(
      .invalidParameter, because: .codesNotSigned,
      log: "there is a code for an account in use, but server.require_signed_verdict is not set")
  }
}

/// What a registration does, as decided by what the account has here, whether a code was given, and which type was named.
///
/// A value without files and questions. A code proves the person. So a code for a type that is already registered replaces its
/// value, and nobody is asked for the value that was forgotten. Without a code, nothing replaces a value: a new key is then
/// sealed under the existing value.
enum RegistrationPlan: Equatable {
  /// New keys for some of these types, under a new value, or under the existing value after it was entered.
  case add(among: [AuthenticatorType])
  /// A new value and a new key for one of these, which replace the present ones.
  case replace(oneOf: [AuthenticatorType])
  /// Nothing can be registered.
  case refuse(EndCause)

  /// The types that take part.
  var types: [AuthenticatorType] {
    switch self {
    case .add(let types), .replace(let types): types
    case .refuse: []
    }
  }

  /// What the account has on this machine.
  struct Standing: Equatable {
    /// The types that root has enabled.
    var enabled: [AuthenticatorType]
    /// The enabled types with a value.
    var enrolled: [AuthenticatorType] = []
    /// The types whose keys the server has revoked or does not know, according to its last answers.
    var dead: [AuthenticatorType] = []
    /// The types whose keys the server refuses, because they are dead or their counters are behind.
    var refused: [AuthenticatorType] = []
    /// Whether the server requires a code for each account.
    var needsCode = true
  }

  init(for standing: Standing, hasCode: Bool, named: AuthenticatorType?) {
    if let named {
      self = hasCode && standing.enrolled.contains(named) ? .replace(oneOf: [named]) : .add(among: standing.enabled)
      return
    }
    let typed = standing.enrolled.filter(\.isTyped)
    if hasCode, !typed.isEmpty {
      let refused = typed.filter(standing.refused.contains)
      self = .replace(oneOf: refused.isEmpty ? typed : refused)
      return
    }
    guard standing.dead.isEmpty else {
      self = .add(among: standing.dead)
      return
    }
    let open = standing.enabled.filter { !standing.enrolled.contains($0) }
    if !open.isEmpty {
      self = .add(among: open)
    } else if standing.enabled.count == 1, !standing.needsCode || hasCode {
      self = .add(among: standing.enabled)
    } else {
      // If the value were asked for here, a person who forgot it would only use up tries.
      self = .refuse(.nothingLeftToRegister)
    }
  }
}

/// Registers anew from the prompt, for a person who has forgotten the value but has a new enrolment code.
struct RegisterAgain {
  let tools: RegistrationTools
  let codes: EnrolmentCodes

  /// Asks for the code and the new value, and registers.
  ///
  /// The old value and its attempts stay until the server has accepted the new key.
  ///
  /// - Returns: the ending, always 980: a registration is not a login.
  /// - Throws: ``Ending``: cancelled, or the registration failed.
  func run(_ held: AccountAuthenticators) throws(Ending) -> Ending {
    try tools.prompter.show(.registerAgainChosen)
    let types = held.refused.isEmpty ? held.types : held.refused
    let chosen = types.count == 1 ? types.first : try tools.prompter.chooseType(among: types)
    guard let type = chosen else {
      return Ending(.resetChosen, log: "registering again was chosen, but no authenticator")
    }
    guard let text = try tools.prompter.askCode() else {
      return Ending(.resetChosen, log: "registering again was chosen, but no code was entered")
    }
    let settings = try tools.server.settings()
    let client = try tools.server.clientSettings(settings)
    let entitlement = try codes.entitlement(entered: text, for: held.account, settings)
    let decided = RegistrationCase(
      account: held.account, identity: held.account.identity, permit: RegistrationPermit(entitlement: entitlement),
      types: [type], named: type, effect: .replaces(type))
    let driver = try RegistrationDriver(tools, client, settings, decided, in: try tools.accounts.openState())
    _ = try driver.run()
    tools.log.write(.keys, "\(type.rawValue) was registered again with an enrolment code")
    return Ending(.resetChosen, text: .registeredAgain(type.kind), log: "registered again; this is not a login")
  }
}
