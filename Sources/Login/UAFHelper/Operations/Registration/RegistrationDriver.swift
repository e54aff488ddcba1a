import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// Carries out the actions of ``RegistrationMachine``: a key for each authenticator, stored once the server has accepted all.
@safe final class RegistrationDriver {
  private let tools: RegistrationTools
  private let client: ClientSettings
  private let account: AccountFile?
  private let word: RegistrationWord
  private let types: [AuthenticatorType]
  private let named: AuthenticatorType?
  private let replacesValues: Bool
  private let keys: RegistrationKeys
  private var machine: RegistrationMachine
  private var exchange: RegistrationExchange
  /// Whether the server confirmed that it forgot the replaced keys.
  private var hasForgottenReplaced = false
  /// The machine secret, once the server's success is verified.
  private var machineSecret: MachineSecret?
  /// Why an action failed.
  private var stop = Ending.outOfTurn(in: "registration")

  /// - Parameters:
  ///   - named: the authenticator that was asked for by name.
  ///   - replacingValues: whether existing values are replaced without asking for them.
  ///   - renewing: whether the types get new keys under the values that they have, and replace keys that may still be good.
  /// - Throws: ``Ending`` if there is no way to the server, or if the keys cannot be read.
  init(
    _ tools: RegistrationTools, _ client: ClientSettings, _ settings: ServerSettings, _ account: AccountFile?,
    _ identity: AccountIdentity, _ word: RegistrationWord, among types: [AuthenticatorType],
    named: AuthenticatorType?, in directory: consuming StateDirectory, replacingValues: Bool = false,
    renewing: Bool = false
  ) throws(Ending) {
    self.tools = tools
    self.client = client
    self.account = account
    self.word = word
    self.types = types
    self.named = named
    replacesValues = replacingValues
    machine = RegistrationMachine(
      authenticators: types.count, replacesValues: replacingValues, authorizations: word.signed?.keys.count ?? 0)
    let network = try tools.server.network(settings, for: account)
    keys = try RegistrationKeys(
      of: account, identity, tools, among: types, in: directory, replacingValues: replacingValues, renewing: renewing)
    exchange = RegistrationExchange(
      over: network, client, as: identity.serverUserName, with: word,
      joined: try tools.server.joinedSecret(settings), replacing: keys.lost)
  }

  /// Runs the registration.
  ///
  /// - Throws: ``Ending``.
  func run() throws(Ending) -> Acceptance {
    var event = RegistrationEvent.began
    while true {
      let action = machine.received(event)
      if case .finish(let outcome) = action {
        if outcome != .kept { keys.discard() }
        return try finish(outcome)
      }
      do throws(Ending) { event = try perform(action) } catch {
        stop = error
        event = .stopped
      }
    }
  }

  /// The state at the server of the replaced keys.
  ///
  /// - Parameter wasRefused: whether the server refused them before.
  func replacedKey(wasRefused: Bool) -> ReplacedKey {
    if hasForgottenReplaced { return .forgotten }
    return wasRefused ? .refusedBefore : .unsaid(keys.replacedNames)
  }

  private func finish(_ outcome: RegistrationAction.Outcome) throws(Ending) -> Acceptance {
    switch outcome {
    case .kept:
      guard let acceptance = exchange.acceptance else { throw .outOfTurn(in: "registration") }
      return acceptance
    case .refused: throw exchange.refusal ?? .outOfTurn(in: "registration")
    case .stopped: throw stop
    case .frontEndGone: throw .frontEndGone
    case .outOfTurn: throw .outOfTurn(in: "registration")
    }
  }

  private func perform(_ action: RegistrationAction) throws(Ending) -> RegistrationEvent {
    switch action {
    case .checkWord: try word.judge(for: account, client, tools)
    case .askRequest: exchange.ask(among: types, keys.known)
    case .chooseWay:
      keys.choose(
        try tools.opener.way(
          to: exchange.offer, among: types, named,
          hasTyped: try account.map { (file) throws(Ending) in try tools.accounts.hasTyped(file) } ?? false))
    case .openValue: try keys.openNext()
    case .setValue: try keys.setNext()
    case .checkFrontEnd: tools.prompter.isFrontEndGone ? .frontEndGone : .frontEndThere
    case .makeKeys: keys.make(for: &exchange)
    case .authorize(let index): try authorize(index)
    case .noteKeys: try keys.note()
    case .sendKeys: exchange.sendKeys()
    case .receiveFurther: exchange.receive(among: keys.types, keys.signing)
    case .findWay: try keys.findWay(for: exchange.furtherOffer)
    case .sign: exchange.sign(with: try keys.nextSigner(for: exchange.furtherOffer))
    case .sendAnswer: exchange.sendAnswer()
    case .believe: try believe()
    case .keep: try keys.keep(of: exchange.offer?.appID, knownBy: machineSecret, to: client)
    case .finish: throw .outOfTurn(in: "registration")
    }
  }

  private func authorize(_ index: Int) throws(Ending) -> RegistrationEvent {
    guard let signed = word.signed else { throw .outOfTurn(in: "registration") }
    return exchange.authorize(with: try signed.signer(index))
  }

  private func believe() throws(Ending) -> RegistrationEvent {
    guard let acceptance = exchange.acceptance else { throw .outOfTurn(in: "registration") }
    let believed = try tools.server.believe(acceptance)
    tools.accounts.noteAllowed()
    machineSecret = believed.machineSecret
    hasForgottenReplaced = keys.areReplaced(by: believed.forgottenKeyIDs)
    let count = believed.forgottenKeyIDs.count
    if count > 0 {
      tools.log.write(
        .keys,
        "\(FidoResult.alreadyRegistered): the server deleted \(count == 1 ? "1 key" : "\(count) keys") that this "
          + "machine had lost"
      )
    }
    // The server has accepted the new key: a missing front end must not prevent the machine from storing it.
    if keys.wereLost(among: believed.forgottenKeyIDs) { try? tools.prompter.show(.lostKeysForgotten) }
    return .believed
  }
}

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
      identity = try self.identity(uid, account, for: payload?.username, settings, in: directory)
      word = RegistrationWord(authority: authority)
    } else {
      identity = try self.identity(uid, account, for: nil, settings, in: directory)
      let hasLostKeys = try hasLostKeys(of: account, identity, in: directory)
      word = try self.word(on: account, plan.types, named, hasLostKeys: hasLostKeys, client, settings)
    }
    var types = plan.types
    var replaced: AuthenticatorType?
    if case .replace(let candidates) = plan {
      _ = try word.judge(for: account, client, tools)
      let type = try one(of: candidates)
      (replaced, types) = (type, [type])
      try tools.prompter.show(.registeredBefore(type.kind, user: tools.call.shownName))
    }
    // Decided by the server's earlier status of the key: a dead key need not be revoked, and revoking by the account's name would
    // revoke the new key.
    let dead = try account.map { (file) throws(Ending) in try tools.accounts.deadTypes(file) } ?? []
    let driver = try RegistrationDriver(
      tools, client, settings, account, identity, word, among: types, named: replaced ?? named, in: directory,
      replacingValues: replaced != nil, renewing: isRepair)
    let acceptance = try driver.run()
    let user = tools.call.shownName
    let oldKey = driver.replacedKey(wasRefused: types.allSatisfy(dead.contains))
    let text: PromptText
    if let replaced {
      tools.log.write(.keys, "\(replaced.rawValue) has a new value and key, set with an enrolment code")
      text = .valueReplaced(replaced.kind, user: user, oldKey: oldKey)
    } else if isRepair, let named {
      text = .repaired(named.kind, user: user, oldKey: oldKey)
    } else {
      text = .registered(user: user)
    }
    return Success(text: text, token: acceptance.token)
  }

  /// What allows a new key without a payload: a registered authenticator, or else what root's `enrolment` allows.
  ///
  /// - Throws: ``Ending``: 1001 without a code; 1008 if the server knows keys that only a code can replace.
  private func word(
    on account: AccountFile?, _ types: [AuthenticatorType], _ named: AuthenticatorType?, hasLostKeys: Bool,
    _ client: ClientSettings, _ settings: ServerSettings
  ) throws(Ending) -> RegistrationWord {
    guard settings.enrolment != .payload else {
      guard let account, let word = try proof(account, but: named.map { [$0] } ?? [], client, settings),
        case .proof = word.authority
      else { throw try hasLostKeys ? Self.keysLost : noPayload(account, client) }
      return word
    }
    // The value of a type that is registered anew is not asked for here: the registration itself asks for it.
    let known = try account.flatMap { (file) throws(Ending) in
      try proof(file, but: named.map { [$0] } ?? types, client, settings)
    }
    if let known, case .proof = known.authority { return known }
    let authority =
      settings.enrolment == .code ? try codes.authority(entered: askCode(), for: account, settings) : Authority.none
    return RegistrationWord(authority: authority, isVerifiedHere: known != nil)
  }

  /// The plan of what to register; a repair renews the key of one authenticator.
  private func plan(_ account: AccountFile?, _ named: AuthenticatorType?) throws(Ending) -> RegistrationPlan {
    if tools.call.begin.operation == .repair, let named { return .add(among: [named]) }
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
  ) throws(Ending) -> RegistrationWord? {
    // A value whose keys the server refuses proves nothing to the server, so nobody is asked for it.
    let refused = try tools.accounts.refusedTypes(account)
    let types = try tools.accounts.enrolledTypes(account).filter { !excluded.contains($0) && !refused.contains($0) }
    guard !types.isEmpty else { return nil }
    let held = AccountAuthenticators(account, types, refused: [], named: nil, in: try tools.accounts.openState())
    let driver = try LoginDriver(authentication, held, client, settings, for: .proof(.furtherKeys))
    guard let token = try driver.run().token else { return RegistrationWord(authority: .none, isVerifiedHere: true) }
    return .proof(token, by: driver.signedKeys)
  }

  /// Asks for an enrolment code.
  ///
  /// - Throws: ``Ending``: cancelled, or 1001 for an empty code.
  private func askCode() throws(Ending) -> String {
    guard let code = try tools.prompter.askCode() else {
      throw Ending(.invalidParameter, because: .codeNotEntered, log: "no code was entered")
    }
    return code
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
    let isRefused = client.dialect == .fido && tools.server.isWordUnsigned && !tools.call.caller.isRoot
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

/// The tools that a registration uses.
struct RegistrationTools {
  let call: Call
  let policy: CallPolicy
  let prompter: Prompter
  let accounts: AccountAccess
  let server: ServerAccess
  let keys: KeyRecords
  let opener: AuthenticatorOpener
  let check: ValueCheck
  let finger: FingerprintCheck
  let newValue: NewValueDialogue
  let queue: DerivationQueue
  let log: CallLog
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
    let authority = try codes.authority(entered: text, for: held.account, settings)
    let driver = try RegistrationDriver(
      tools, client, settings, held.account, held.account.identity, RegistrationWord(authority: authority),
      among: [type], named: type,
      in: try tools.accounts.openState(), replacingValues: true)
    _ = try driver.run()
    tools.log.write(.keys, "\(type.rawValue) was registered again with an enrolment code")
    return Ending(.resetChosen, text: .registeredAgain(type.kind), log: "registered again; this is not a login")
  }
}
