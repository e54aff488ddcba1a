import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages

/// One registration: a key for each authenticator of a way, kept once the server has accepted them all.
@safe final class RegistrationRun {
  /// Whether values that are set are replaced, unseen.
  private let replacesValues: Bool

  private let tools: RegistrationTools
  private let client: ClientSettings
  private let account: AccountFile?
  private let identity: AccountIdentity
  private let word: RegistrationWord
  private let types: [AuthenticatorType]
  private let directory: StateDirectory
  private var network: Network

  init(
    _ tools: RegistrationTools, _ client: ClientSettings, _ settings: ServerSettings, _ account: AccountFile?,
    _ identity: AccountIdentity, _ word: RegistrationWord, among types: [AuthenticatorType],
    in directory: consuming StateDirectory, replacingValues: Bool = false
  ) throws(Ending) {
    replacesValues = replacingValues
    self.tools = tools
    self.client = client
    self.account = account
    self.identity = identity
    self.word = word
    self.types = types
    self.directory = directory
    network = try tools.server.network(settings)
  }

  /// Registers.
  ///
  /// - Throws: ``Ending``.
  func run(named: AuthenticatorType?) throws(Ending) -> Acceptance {
    let all = try account.map { (file) throws(Ending) in try tools.accounts.keys(of: file) } ?? []
    // A key that is to be replaced is no longer one of this account's, or the server would ask for another authenticator.
    let keys = all.filter { replacesValues ? !types.contains($0.type) : !$0.isDead }
    let lost = try OwnKeys.keyIDs(of: identity, held: all, without: keys, in: directory)
    var makers: [NewKeyMaker] = []
    if replacesValues {
      try requireJudgedCode()
      try judgeCode(keys, lost)
      // Whoever gives up before the new value is there has lost nothing.
      makers = try self.makers(types)
      try tools.prompter.requireFrontEnd()
    }
    var (flow, offer) = try offered(keys, lost)
    if makers.isEmpty {
      makers = try self.makers(try way(of: offer, named))
      try tools.prompter.requireFrontEnd()
    }
    let acceptance = try send(&flow, &makers, keys)
    if !acceptance.forgottenKeyIDs.isEmpty {
      let count = acceptance.forgottenKeyIDs.count
      tools.log.write(
        .keys, "\(FidoResult.alreadyRegistered): the server forgot \(count) key(s) that this machine had lost")
    }
    let made = makers.map(\.type)
    try keep(makers, replacing: all.filter { made.contains($0.type) && $0.appID == offer.appID })
    return acceptance
  }

  private func makers(_ types: [AuthenticatorType]) throws(Ending) -> [NewKeyMaker] {
    var makers: [NewKeyMaker] = []
    for type in types { makers.append(try NewKeyMaker(unlocked(type))) }
    return makers
  }

  /// Has the server judge the code before anybody chooses a value: it gives a request only for a good one.
  ///
  /// The request itself is not used: choosing a value may take longer than its challenge lives.
  private func judgeCode(_ keys: [UAFKey], _ lost: [KeyID]) throws(Ending) {
    do throws(Ending) { _ = try offered(keys, lost) } catch {
      let isJudged = error.result == .noSuitableAuthenticator && !error.isServers
      if !isJudged { throw error }
    }
  }

  /// Asks for a registration that takes the place of the lost keys (1008); never are keys of other machines named.
  private func offered(
    _ keys: [UAFKey], _ lost: [KeyID]
  ) throws(Ending) -> (RegistrationFlow, RegistrationOffer) {
    var flow = RegistrationFlow(
      settings: client, username: identity.serverUserName, authCode: word.code, proof: word.proof, lostKeyIDs: lost)
    do throws(Refusal) {
      try flow.start(over: &network)
      let others = AuthenticatorType.allCases.filter { !types.contains($0) }
      let offer = try flow.collect(
        over: &network, among: AuthenticatorDescription.all(of: types, keys: keys),
        besides: AuthenticatorDescription.all(of: others, keys: keys))
      return (flow, offer)
    } catch {
      throw word.code == nil ? Ending(error) : Ending(judgingCode: error)
    }
  }

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

  /// An authenticator that has a value verifies it, which is an attempt; one without gets one.
  private func unlocked(_ type: AuthenticatorType) throws(Ending) -> UnlockedAuthenticatorBox {
    if let account, !replacesValues, try tools.accounts.isEnrolled(account, type) {
      let attempts = Attempts(left: tools.policy.tries)
      guard let unlocked = try tools.check.verify(account, type, in: directory, attempts: attempts) else {
        throw tools.prompter.cancelled("no value was entered")
      }
      return unlocked
    }
    try requireJudgedCode()
    let value = try tools.newValue.ask(type)
    let slot = try tools.queue.takeSlot(in: directory)
    do throws(StateError) {
      return UnlockedAuthenticatorBox(
        try AccountFile.enrol(
          value, for: type, identity: identity, cost: tools.policy.derivationCost, in: directory, holding: slot))
    } catch { throw Ending(error) }
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

  /// Makes the keys and has them accepted, by a further authentication with them if the server demands one.
  private func send(
    _ flow: inout RegistrationFlow, _ makers: inout [NewKeyMaker], _ keys: [UAFKey]
  ) throws(Ending) -> Acceptance {
    let verdict: Verdict
    do throws(Refusal) {
      for index in makers.indices { _ = try flow.makeKey(with: &makers[index]) }
    } catch { throw Ending(error) }
    // From here on the server may have keys that this machine does not get to keep.
    do throws(StateError) {
      try MadeKeys.add(
        makers.compactMap { $0.made?.keyID }, of: identity.uid, serverUserName: identity.serverUserName, in: directory)
    } catch { throw Ending(error) }
    do throws(Refusal) { verdict = try flow.send(over: &network) } catch { throw Ending(error) }
    if case .accepted(let acceptance) = verdict { return try tools.server.believe(acceptance) }
    return try authenticateFurther(flow.furtherAuthentication(), &makers, keys)
  }

  private func authenticateFurther(
    _ further: AuthenticationFlow, _ makers: inout [NewKeyMaker], _ keys: [UAFKey]
  ) throws(Ending) -> Acceptance {
    var flow = further
    while true {
      let all = keys + makers.compactMap(\.made)
      let types = makers.map(\.type)
      let offer: AuthenticationOffer
      do throws(Refusal) {
        offer = try flow.collect(over: &network, among: AuthenticatorDescription.all(of: types, keys: all))
      } catch { throw Ending(error) }
      guard let way = AuthenticatorOpener.ways(offer.sets, among: types, named: nil).first else {
        throw Ending(
          .noSuitableAuthenticator, because: .typesNotAccepted,
          log: "the server asks for authenticators that are not open")
      }
      let answered = try flow.answer(offer, way, all, over: &network, for: tools.prompter) { (key) throws(Ending) in
        guard let index = makers.firstIndex(where: { $0.type == key.type }) else {
          throw Ending(.cannotUse, log: "the authenticator is not open")
        }
        if makers[index].made?.keyID == key.keyID { return try makers[index].signer() }
        guard let account = self.account else { throw Ending(.cannotUse, log: "the key is not there") }
        return try self.tools.keys.signer(key, account, makers[index].unlocked)
      }
      switch answered {
      case .failure(let refusal): throw Ending(refusal)
      case .success(.accepted(let acceptance)): return try tools.server.believe(acceptance)
      case .success(.furtherRequest): continue
      }
    }
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
