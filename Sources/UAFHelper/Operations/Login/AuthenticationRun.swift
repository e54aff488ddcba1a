import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// One authentication of an account, here and at the server.
///
/// The server's request travels while the person types; nothing secret leaves before the values were verified.
@safe final class AuthenticationRun {
  private let tools: AuthenticationTools
  private let held: AccountAuthenticators
  private let client: ClientSettings
  private let purpose: Purpose
  private var network: Network
  private var flow: AuthenticationFlow
  private var asked: BootTime
  /// What came of the request: one that can be answered, or the server's refusal.
  private var received: Result<AuthenticationOffer, Refusal>?
  /// How often the request was fetched anew because it had grown old.
  private var renewals = 0
  /// Whether the request was asked for and not received yet.
  private var isPending = true
  /// Whether the request came with the verdict on an earlier answer.
  private var isFurther = false
  /// Whether a TLS handshake with the server was completed in this call.
  private var isReached = false
  /// Whether a request of the server's was received in this call.
  private var isAsked = false
  /// Whether the server has refused anything in this call.
  private var isRefused = false
  /// How often the server had refused before it was asked.
  let refusalsBefore: UInt64?
  /// When the answer was sent that the server's verdict is on.
  private(set) var answered: BootTime?

  /// What the server's yes is for.
  enum Purpose {
    case login
    /// A token that proves the account for an operation.
    case proof(UAFMessages.Operation)
    /// A text that waits at the server, with its one-time code.
    case approval(code: String)
  }

  /// A request from the server is used for so long at most, whatever lifetime it names.
  private static let requestLifetimeNanoseconds: Int64 = 60_000_000_000

  /// Asks the server for a request, and does not wait for it.
  ///
  /// - Throws: ``Ending``.
  init(
    _ tools: AuthenticationTools, _ held: AccountAuthenticators, _ client: ClientSettings, _ settings: ServerSettings,
    for purpose: Purpose = .login
  ) throws(Ending) {
    self.tools = tools
    self.held = held
    self.client = client
    self.purpose = purpose
    network = try tools.server.network(settings, isForLogin: true)
    asked = tools.now()
    refusalsBefore = tools.offline.refusals(of: held.account)
    flow = try Self.start(client, held.account, for: purpose, confirming: tools.prompter.confirmed, over: &network)
  }

  /// Has the person prove to be who they say, and the server decide.
  ///
  /// - Throws: ``Ending``.
  func run() throws(Ending) -> Acceptance {
    do throws(Ending) {
      let acceptance = try decide()
      if let text = tools.prompter.confirmed, text.isServers { tools.log.write(.confirmed, text.text.shown) }
      return acceptance
    } catch {
      var ending = error
      // A server that answered earlier in this call is not away, whatever a later request met.
      ending.handshakeCompleted = ending.handshakeCompleted || isReached
      // Registering anew asks for no known value, and locks do not stop it: it proves nothing.
      ending.hasProved = !held.opened.isEmpty
      ending.isServersNo = ending.isServersNo || isRefused || isAsked && !Self.personsOwn.contains(ending.result)
      throw ending
    }
  }

  /// How often a login is sent again because others of the same person were faster: several may run at once, as pssh starts them.
  private static let races = 3

  /// Ends that say nothing of the server's answer.
  private static let personsOwn: Set<FidoResult> = [
    .wrongValue, .locked, .lockedForGood, .userCancel, .userFallback, .applicationCancel, .systemCancel,
    .notInteractive, .resetChosen, .noAnswer,
  ]

  private func decide() throws(Ending) -> Acceptance {
    var isFirstTry = true
    var racesLeft = Self.races
    if client.takesServersTexts { try readServersText() }
    switch purpose {
    case .login where tools.call.begin.isDivided: try waitForResume()
    case .approval:
      // The text comes with the request, and nobody is asked before it can be shown. The code is good for one request.
      try readText()
      (isFirstTry, racesLeft) = (false, 0)
    case .login, .proof: break
    }
    if let first = try tools.opener.firstType(of: held) { try tools.opener.openFirst(first, of: held) }
    while true {
      switch try attempt() {
      case .success(let acceptance):
        try tools.keys.noteAccepted(held.account, held.opened.map(\.type))
        return acceptance
      case .failure(let refusal):
        if let ending = try tools.keys.olderState(refusal, held.account) { throw ending }
        // Another login of this person was faster, as this server says, or the challenge was used or expired.
        let isRace = refusal.seenCounter != nil
        guard refusal.result == .requestNotExist, refusal.spokenByServer, isRace ? racesLeft > 0 : isFirstTry else {
          throw try tools.keys.noted(refusal, held.account, held.opened.map(\.type))
        }
        isFirstTry = false
        if isRace { racesLeft -= 1 }
        try restart()
      }
    }
  }

  /// Ready once the request is there, so that nothing is waited for after *resume*.
  ///
  /// A refusal is kept for later: what the server says of an account is for whoever has proved to be its person.
  private func waitForResume() throws(Ending) {
    _ = try collect()
    try tools.prompter.awaitResume(orLog: "cancelled before the prompt")
  }

  /// Takes a text that the server adds by itself; it has to be shown before the value is asked for.
  ///
  /// A refusal is kept for later, as with *ready*.
  private func readServersText() throws(Ending) {
    if case .approval = purpose { return }
    guard tools.prompter.confirmed == nil, case .success(let offer) = try collect(), let text = offer.transaction else {
      return
    }
    tools.prompter.confirm(ConfirmedText(text: text, isServers: true))
  }

  /// Takes the text that waits to be confirmed.
  private func readText() throws(Ending) {
    switch try collect() {
    case .success(let offer): tools.prompter.confirm(offer.transaction.map { ConfirmedText(text: $0) })
    case .failure(let refusal):
      var ending = try tools.keys.noted(refusal, held.account, [])
      if refusal.serverStatus == UAFStatusCode.unauthorized.rawValue {
        ending.text = .cause(.approvalRefused)
      }
      throw ending
    }
  }

  private func collect() throws(Ending) -> Result<AuthenticationOffer, Refusal> {
    if let received { return received }
    let descriptions = AuthenticatorDescription.all(of: held.types, keys: try tools.accounts.keys(of: held.account))
    isPending = false
    let collected: Result<AuthenticationOffer, Refusal>
    do throws(Refusal) {
      collected = .success(try flow.collect(over: &network, among: descriptions))
      (isReached, isAsked) = (true, true)
    } catch {
      collected = .failure(heard(error))
    }
    received = collected
    return collected
  }

  /// Remembers what a refusal says of the server.
  private func heard(_ refusal: Refusal) -> Refusal {
    isReached = isReached || refusal.handshakeCompleted
    isRefused = isRefused || refusal.isServersNo
    return refusal
  }

  /// Answers the request, and each further one that the server answers with.
  private func attempt() throws(Ending) -> Result<Acceptance, Refusal> {
    while true {
      // What was fetched while the person typed may have grown old.
      if isOld {
        // Once: a server that takes longer than that for each answer is answered all the same.
        try restart()
        renewals += 1
      }
      let offer: AuthenticationOffer
      switch try collect() {
      case .success(let collected): offer = collected
      case .failure(let refusal):
        try tools.prompter.requireFrontEnd()
        // No stack may go on because the server is silent before the person has proved anything here.
        if held.opened.isEmpty { _ = try way(tools.opener.openAny(of: held)) }
        return .failure(refusal)
      }
      let way: [AuthenticatorType]
      do throws(Ending) { way = try self.way(tools.opener.open(offer, held)) } catch {
        var ending = error
        ending.forgottenTypes = AuthenticatorType.all(named: offer.leftOut)
        throw ending
      }
      if isOld { continue }
      received = nil
      let keys = try tools.accounts.keys(of: held.account)
      answered = tools.now()
      let verdict = try flow.answer(offer, way, keys, over: &network, for: tools.prompter) {
        (key) throws(Ending) in
        guard let unlocked = self.held[key.type] else { throw Ending(.cannotUse, log: "the authenticator is not open") }
        return try self.tools.keys.signer(key, self.held.account, unlocked)
      }
      switch verdict {
      case .failure(let refusal): return .failure(heard(try tools.prompter.stillWanted(refusal)))
      case .success(.accepted(let acceptance)): return .success(try tools.server.believe(acceptance))
      // The flow ends by itself what a server would go on with for ever.
      case .success(.furtherRequest): isFurther = true
      }
    }
  }

  /// The way that was opened.
  ///
  /// - Throws: ``Ending``: what registering anew ends with.
  private func way(_ opened: AuthenticatorOpener.Opened) throws(Ending) -> [AuthenticatorType] {
    guard case .way(let way) = opened else { throw try tools.registerAgain(held) }
    return way
  }

  /// Asks the server for a request; it travels while the person types.
  private static func start(
    _ client: ClientSettings, _ account: AccountFile, for purpose: Purpose, confirming text: ConfirmedText?,
    over network: inout Network
  ) throws(Ending) -> AuthenticationFlow {
    let name = account.identity.serverUserName
    let (shown, isServers) = (text?.text, text?.isServers ?? false)
    var flow =
      switch purpose {
      case .login: AuthenticationFlow(settings: client, username: name, transaction: shown, isServers: isServers)
      case .proof(let operation):
        AuthenticationFlow(
          settings: client, username: name, transaction: shown, isServers: isServers, proofFor: operation)
      case .approval(let code): AuthenticationFlow(settings: client, username: name, approving: code)
      }
    do throws(Refusal) { try flow.start(over: &network) } catch { throw Ending(error) }
    return flow
  }

  /// Whether the request was asked for too long ago; a further one came just now, and there is no other with the text of
  /// an approval.
  private var isOld: Bool {
    if case .approval = purpose { return false }
    guard !isFurther, renewals == 0 else { return false }
    let age = tools.now().nanoseconds.subtractingReportingOverflow(asked.nanoseconds)
    return age.overflow || age.partialValue > Self.requestLifetimeNanoseconds
  }

  /// Drops the request and asks for another.
  private func restart() throws(Ending) {
    // What was asked for is read and dropped, or it would be taken for the answer to what is asked next.
    if isPending { drop() }
    isPending = true
    received = nil
    isFurther = false
    asked = tools.now()
    // A text that was not shown before the value was entered is taken no more.
    var client = client
    client.takesServersTexts = false
    flow = try Self.start(client, held.account, for: purpose, confirming: tools.prompter.confirmed, over: &network)
  }

  /// Reads an answer that is not used any more; that there was one counts.
  private func drop() {
    do throws(TransportFailure) {
      _ = try network.finish()
      isReached = true
    } catch {
      if case .noHandshake = error { return }
      isReached = true
    }
  }
}
