import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages

/// Does what ``RegistrationMachine`` says: a key for each authenticator of a way, kept once the server has accepted them all.
@safe final class RegistrationDriver {
  private let tools: RegistrationTools
  private let client: ClientSettings
  private let account: AccountFile?
  private let identity: AccountIdentity
  private let word: RegistrationWord
  private let types: [AuthenticatorType]
  private let named: AuthenticatorType?
  private let directory: StateDirectory
  /// Whether values that are set are replaced, unseen.
  private let replacesValues: Bool
  private var machine: RegistrationMachine
  private var exchange: RegistrationExchange
  /// The account's keys, and those of them that stay.
  private let all: [UAFKey]
  private let keys: [UAFKey]
  /// The authenticators that are to be opened, and those that are to sign.
  private var way: [AuthenticatorType] = []
  private var makers: [NewKeyMaker] = []
  /// Why an action could not be done.
  private var stop = outOfTurn

  private static var outOfTurn: Ending {
    Ending(.cannotUse, log: "something came that the registration did not ask for")
  }

  /// - Parameter named: the authenticator that was asked for by name.
  /// - Throws: ``Ending`` where there is no way to the server, or the keys cannot be read.
  init(
    _ tools: RegistrationTools, _ client: ClientSettings, _ settings: ServerSettings, _ account: AccountFile?,
    _ identity: AccountIdentity, _ word: RegistrationWord, among types: [AuthenticatorType],
    named: AuthenticatorType?, in directory: consuming StateDirectory, replacingValues: Bool = false
  ) throws(Ending) {
    self.tools = tools
    self.client = client
    self.account = account
    self.identity = identity
    self.word = word
    self.types = types
    self.named = named
    replacesValues = replacingValues
    machine = RegistrationMachine(authenticators: types.count, replacesValues: replacingValues)
    let network = try tools.server.network(settings)
    all = try account.map { (file) throws(Ending) in try tools.accounts.keys(of: file) } ?? []
    // A key that is to be replaced is no longer one of this account's, or the server would ask for another authenticator.
    keys = all.filter { replacingValues ? !types.contains($0.type) : !$0.isDead }
    let lost = try OwnKeys.keyIDs(of: identity, held: all, without: keys, in: directory)
    self.directory = directory
    exchange = RegistrationExchange(
      over: network, client, as: identity.serverUserName, with: word, replacing: lost)
    if replacingValues { way = types }
  }

  /// Registers.
  ///
  /// - Throws: ``Ending``.
  func run() throws(Ending) -> Acceptance {
    var event = RegistrationEvent.began
    while true {
      let action = machine.received(event)
      if case .finish(let outcome) = action { return try finish(outcome) }
      do throws(Ending) { event = try perform(action) } catch {
        stop = error
        event = .stopped
      }
    }
  }

  private func finish(_ outcome: RegistrationAction.Outcome) throws(Ending) -> Acceptance {
    switch outcome {
    case .kept:
      guard let acceptance = exchange.acceptance else { throw Self.outOfTurn }
      return acceptance
    case .refused: throw exchange.refusal ?? Self.outOfTurn
    case .stopped: throw stop
    case .frontEndGone: throw .frontEndGone
    case .outOfTurn: throw Self.outOfTurn
    }
  }

  // MARK: Actions

  private func perform(_ action: RegistrationAction) throws(Ending) -> RegistrationEvent {
    switch action {
    case .checkWord: try checkWord()
    case .askRequest: exchange.ask(among: types, keys)
    case .chooseWay: try chooseWay()
    case .openValue: try openValue()
    case .setValue: try setValue()
    case .checkFrontEnd: tools.prompter.isFrontEndGone ? .frontEndGone : .frontEndThere
    case .makeKeys: exchange.makeKeys(with: &makers)
    case .noteKeys: try noteKeys()
    case .sendKeys: exchange.sendKeys()
    case .receiveFurther: exchange.receive(among: makers.map(\.type), signingKeys)
    case .findWay: try findWay()
    case .sign: try sign()
    case .sendAnswer: exchange.sendAnswer()
    case .believe: try believe()
    case .keep: try keep()
    case .finish: throw Self.outOfTurn
    }
  }

  private var signingKeys: [UAFKey] { keys + makers.compactMap(\.made) }

  private func checkWord() throws(Ending) -> RegistrationEvent {
    try requireJudgedCode()
    return .wordAllowed
  }

  private func chooseWay() throws(Ending) -> RegistrationEvent {
    guard let offer = exchange.offer else { throw Self.outOfTurn }
    way = try way(of: offer, named)
    return .wayChosen(authenticators: way.count)
  }

  /// An authenticator that has a value verifies it, which is an attempt.
  private func openValue() throws(Ending) -> RegistrationEvent {
    guard let type = way.first else { throw Self.outOfTurn }
    guard let account, !replacesValues, try tools.accounts.isEnrolled(account, type) else { return .valueMissing }
    let attempts = Attempts(left: tools.policy.tries)
    guard let unlocked = try tools.check.verify(account, type, in: directory, attempts: attempts) else {
      throw tools.prompter.cancelled("no value was entered")
    }
    makers.append(try NewKeyMaker(unlocked))
    way.removeFirst()
    return .verified
  }

  private func setValue() throws(Ending) -> RegistrationEvent {
    guard let type = way.first else { throw Self.outOfTurn }
    let value = try tools.newValue.ask(type)
    let slot = try tools.queue.takeSlot(in: directory)
    let unlocked: UnlockedAuthenticatorBox
    do throws(StateError) {
      unlocked = UnlockedAuthenticatorBox(
        try AccountFile.enrol(
          value, for: type, identity: identity, cost: tools.policy.derivationCost, in: directory, holding: slot))
    } catch { throw Ending(error) }
    makers.append(try NewKeyMaker(unlocked))
    way.removeFirst()
    return .valueSet
  }

  /// From here on the server may have keys that this machine does not get to keep.
  private func noteKeys() throws(Ending) -> RegistrationEvent {
    do throws(StateError) {
      try MadeKeys.add(
        makers.compactMap { $0.made?.keyID }, of: identity.uid, serverUserName: identity.serverUserName, in: directory)
    } catch { throw Ending(error) }
    return .keysNoted
  }

  private func findWay() throws(Ending) -> RegistrationEvent {
    guard let offer = exchange.furtherOffer else { throw Self.outOfTurn }
    let ways = AuthenticatorOpener.ways(offer.sets, among: makers.map(\.type), named: nil)
    guard let first = ways.first else {
      throw Ending(
        .noSuitableAuthenticator, because: .typesNotAccepted,
        log: "the server asks for authenticators that are not open")
    }
    way = first
    return .wayChosen(authenticators: way.count)
  }

  private func sign() throws(Ending) -> RegistrationEvent {
    guard let type = way.first, let index = makers.firstIndex(where: { $0.type == type }) else {
      throw Ending(.cannotUse, log: "the authenticator is not open")
    }
    way.removeFirst()
    guard let key = exchange.furtherOffer?.key(of: type, among: signingKeys) else {
      throw Ending(.noSuitableAuthenticator, because: .keysNotHere, log: "the server asks for keys that are not here")
    }
    if makers[index].made?.keyID == key.keyID { return exchange.sign(with: try makers[index].signer()) }
    guard let account else { throw Ending(.cannotUse, log: "the key is not there") }
    return exchange.sign(with: try tools.keys.signer(key, account, makers[index].unlocked))
  }

  private func believe() throws(Ending) -> RegistrationEvent {
    guard let acceptance = exchange.acceptance else { throw Self.outOfTurn }
    let believed = try tools.server.believe(acceptance)
    if !believed.forgottenKeyIDs.isEmpty {
      let count = believed.forgottenKeyIDs.count
      tools.log.write(
        .keys, "\(FidoResult.alreadyRegistered): the server forgot \(count) key(s) that this machine had lost")
    }
    return .believed
  }

  private func keep() throws(Ending) -> RegistrationEvent {
    let made = makers.map(\.type)
    try keep(makers, replacing: all.filter { made.contains($0.type) && $0.appID == exchange.offer?.appID })
    return .kept
  }

  // MARK: What it takes

  /// What to register: the one way there is, or the person's choice.
  private func way(of offer: RegistrationOffer, _ named: AuthenticatorType?) throws(Ending) -> [AuthenticatorType] {
    let ways = AuthenticatorOpener.ways(offer.sets, among: types, named: named)
    guard let first = ways.first else {
      throw Ending(
        .noSuitableAuthenticator, because: named == nil ? .typesNotAccepted : tools.policy.namedNotAccepted,
        log: "the server takes no authenticator that is here" + (named.map { ": not \($0.rawValue)" } ?? ""))
    }
    // Where one was named, it alone if that will do.
    if named != nil { return ways.min { $0.count < $1.count } ?? first }
    guard ways.count > 1 else { return first }
    guard tools.policy.isInteractive else {
      throw Ending(.noSuitableAuthenticator, because: .severalToName, log: "several authenticators fit: name one")
    }
    guard case .way(let way) = try tools.prompter.choose(among: ways) else {
      throw Ending(.noSuitableAuthenticator, because: .nothingChosen, log: "nothing of the list was chosen")
    }
    return way
  }

  /// A code opens an account that is in use only if the server judges it, and signs what it says of it.
  ///
  /// In the plain dialect a server may ignore the code, and an unsigned answer may be forged by whoever controls uaf-fetch:
  /// any text would then set a new value. An account without any value is treated as before its first registration.
  private func requireJudgedCode() throws(Ending) {
    guard !word.isVerifiedHere, let account, !tools.call.caller.isRoot || replacesValues else { return }
    guard word.code != nil else {
      guard try tools.accounts.isInUse(account) else { return }
      throw Ending(
        .invalidParameter, because: .otherTypeInUse,
        log: "the account is in use, and nothing proves that it is this person's")
    }
    guard client.dialect == .fido else {
      throw Ending(.invalidParameter, because: .codesNotJudged, log: "the server cannot judge an enrolment code")
    }
    guard tools.server.isWordUnsigned, try tools.accounts.isInUse(account) else { return }
    throw Ending(
      .invalidParameter, because: .codesNotSigned,
      log: "a code for an account in use, and server.require_signed_verdict is not set")
  }

  private func keep(_ makers: [NewKeyMaker], replacing old: [UAFKey]) throws(Ending) {
    let registrations = makers.compactMap { maker in
      maker.made.map { maker.unlocked.authenticator.registration(of: $0) }
    }
    guard registrations.count == makers.count else { throw Ending(.cannotUse, log: "no key was made") }
    do throws(StateError) {
      guard let account else {
        try AccountFile.create(in: directory, identity: identity, storing: registrations)
        return
      }
      try tools.accounts.tellingRemovedLocks(of: account) { () throws(StateError) in
        try account.store(registrations, replacing: old.map(\.keyID), replacesValues: replacesValues)
      }
    } catch {
      var ending = Ending(error)
      ending.log = "the server accepted the key, but it could not be kept: \(error)"
      throw ending
    }
  }
}
