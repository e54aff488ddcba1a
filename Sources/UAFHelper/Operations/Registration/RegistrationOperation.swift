import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// A registration: makes keys for the account, and keeps them if the server accepts them.
///
/// With a code, what is registered here already gets a new value (``RegistrationPlan``).
///
/// A repair is one that renews the key of an authenticator under its value, whatever the key is worth at the server. Only a code,
/// or another authenticator, allows it: a signature by the key proves nothing where a copy of the key may be elsewhere.
struct RegistrationOperation: CallOperation {
  let tools: RegistrationTools
  let authentication: AuthenticationTools
  let codes: EnrolmentCodes

  func run() throws(Ending) -> Success {
    let settings = try tools.server.settings()
    let client = try tools.server.clientSettings(settings)
    let isRepair = tools.call.begin.operation == .repair
    let uid = try tools.call.caller.requireAccount()
    let directory = try tools.accounts.openState()
    let account = try tools.accounts.open(uid, in: directory)
    let named = isRepair ? try repairable(account) : try tools.policy.namedType()
    let plan = try plan(account, named)
    let identity: AccountIdentity
    let word: RegistrationWord
    if tools.call.begin.payload != nil {
      let (authority, payload) = try codes.authority()
      if let payload { try codes.requireTrusted(payload, settings) }
      identity = try self.identity(uid, account, for: payload?.username, settings)
      word = RegistrationWord(authority: authority)
    } else {
      identity = try self.identity(uid, account, for: nil, settings)
      let hasLostKeys = try hasLostKeys(of: account, identity, in: directory)
      word = try self.word(on: account, plan.types, named, hasLostKeys: hasLostKeys, client, settings)
    }
    var types = plan.types
    var replaced: AuthenticatorType?
    if case .replace(let candidates) = plan {
      _ = try word.judge(for: account, client, tools)
      let type = try one(of: candidates)
      (replaced, types) = (type, [type])
      try tools.prompter.show(.registeredBefore(type.kind, user: identity.serverUserName))
    }
    let driver = try RegistrationDriver(
      tools, client, settings, account, identity, word, among: types, named: replaced ?? named, in: directory,
      replacingValues: replaced != nil, renewing: isRepair)
    let acceptance = try driver.run()
    let (user, serverForgot) = (identity.serverUserName, driver.hasForgottenReplaced)
    let text: PromptText
    if let replaced {
      tools.log.write(.keys, "\(replaced.rawValue) has a new value and key, by an enrolment code")
      text = .valueReplaced(replaced.kind, user: user, serverForgot: serverForgot)
    } else if isRepair, let named {
      text = .repaired(named.kind, user: user, serverForgot: serverForgot)
    } else {
      text = .registered(user: user)
    }
    return Success(text: text, token: acceptance.token)
  }

  /// What allows a new key without a payload: a registered authenticator, or else what root's `enrolment` says.
  ///
  /// - Throws: ``Ending``: 1001 without a code; 1008 where the server knows keys that only a code replaces.
  private func word(
    on account: AccountFile?, _ types: [AuthenticatorType], _ named: AuthenticatorType?, hasLostKeys: Bool,
    _ client: ClientSettings, _ settings: ServerSettings
  ) throws(Ending) -> RegistrationWord {
    guard settings.enrolment != .payload else {
      guard let account, let word = try proof(account, but: named.map { [$0] } ?? [], client, settings),
        case .proof = word.authority
      else { throw hasLostKeys ? Self.keysLost : Self.noPayload }
      return word
    }
    // The value of a type that is registered anew is asked for by the registration itself.
    let known = try account.flatMap { (file) throws(Ending) in
      try proof(file, but: named.map { [$0] } ?? types, client, settings)
    }
    if let known, case .proof = known.authority { return known }
    let authority =
      settings.enrolment == .code ? try codes.authority(entered: askCode(), for: account, settings) : Authority.none
    return RegistrationWord(authority: authority, isVerifiedHere: known != nil)
  }

  /// What is registered: a repair renews the key of one authenticator.
  private func plan(_ account: AccountFile?, _ named: AuthenticatorType?) throws(Ending) -> RegistrationPlan {
    if tools.call.begin.operation == .repair, let named { return .add(among: [named]) }
    var standing = RegistrationPlan.Standing(enabled: tools.policy.enabledTypes)
    standing.needsCode = try tools.server.settings().enrolment == .payload
    if let account {
      standing.enrolled = try tools.accounts.enrolledTypes(account)
      standing.dead = try tools.accounts.deadTypes(account)
    }
    let plan = RegistrationPlan(for: standing, hasCode: tools.call.begin.payload != nil, named: named)
    if case .refuse(let cause) = plan {
      throw Ending(.noSuitableAuthenticator, because: cause, log: "every authenticator is registered already")
    }
    return plan
  }

  /// The authenticator that gets a new key: the named one; else the only one with a key that is dead or behind; else the only
  /// one; else the person's choice.
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

  /// The only one of these, or the person's choice.
  private func one(of types: [AuthenticatorType]) throws(Ending) -> AuthenticatorType {
    if types.count == 1, let type = types.first { return type }
    guard tools.policy.isInteractive, let type = try tools.prompter.chooseType(among: types) else {
      throw Ending(
        .noSuitableAuthenticator, because: .severalToName, log: "several authenticators are registered: name one")
    }
    return type
  }

  /// A fresh verification with a registered authenticator, in place of a code.
  ///
  /// - Returns: what it allows; nil where there was none. A server of another make has no proofs.
  private func proof(
    _ account: AccountFile, but excluded: [AuthenticatorType], _ client: ClientSettings, _ settings: ServerSettings
  ) throws(Ending) -> RegistrationWord? {
    let types = try tools.accounts.enrolledTypes(account).filter { !excluded.contains($0) }
    guard !types.isEmpty else { return nil }
    let held = AccountAuthenticators(account, types, named: nil, in: try tools.accounts.openState())
    let driver = try LoginDriver(authentication, held, client, settings, for: .proof(.furtherKeys))
    guard let token = try driver.run().token else { return RegistrationWord(authority: .none, isVerifiedHere: true) }
    return .proof(token, by: driver.signedKeys)
  }

  /// Asks for an enrolment code.
  ///
  /// - Throws: ``Ending``: cancelled, or 1001 for an empty one.
  private func askCode() throws(Ending) -> String {
    guard let code = try tools.prompter.askCode() else {
      throw Ending(.invalidParameter, because: .codeNotEntered, log: "no code was entered")
    }
    return code
  }

  /// Whether keys were made here for an account that has none any more: the server may know it by them.
  private func hasLostKeys(
    of account: AccountFile?, _ identity: AccountIdentity, in directory: borrowing StateDirectory
  ) throws(Ending) -> Bool {
    let held = try account.map { (file) throws(Ending) in try tools.accounts.keys(of: file) } ?? []
    return held.isEmpty ? try !OwnKeys.keyIDs(of: identity, held: [], without: [], in: directory).isEmpty : false
  }

  private static var keysLost: Ending {
    Ending(.alreadyRegistered, because: .keysLost, log: "no code, and the server knows a key that is lost here")
  }

  private static var noPayload: Ending {
    Ending(.invalidParameter, because: .codeMissing, log: "no code")
  }

  /// The account that the keys are for.
  ///
  /// The server's name must be what root's mapping makes of the account's.
  ///
  /// - Parameter username: the name in the payload; nil without one.
  private func identity(
    _ uid: UInt32, _ account: AccountFile?, for username: String?, _ settings: ServerSettings
  ) throws(Ending) -> AccountIdentity {
    let name = account?.identity.name ?? tools.call.caller.name ?? tools.call.caller.ownName
    guard let name else { throw tools.call.caller.nameless }
    let serverName = try tools.server.userName(of: name, settings)
    guard username.map({ $0 == serverName }) ?? true else {
      throw Ending(
        .invalidParameter, because: .codeOfOtherAccount, log: "code of another account than \(serverName)")
    }
    return AccountIdentity(uid: uid, name: name, serverUserName: serverName)
  }
}
