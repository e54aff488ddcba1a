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
  private let session: Session
  private let held: AccountAuthenticators
  private let client: ClientSettings
  /// The operation that the server's token is to prove the account for; nil for a mere login.
  private let purpose: UAFMessages.Operation?
  private var network: Network
  private var flow: AuthenticationFlow
  private var asked: BootTime
  private var offer: AuthenticationOffer?
  /// Whether the request was asked for and not received yet.
  private var isPending = true
  /// Whether the request came with the verdict on an earlier answer.
  private var isFurther = false

  /// A request from the server is used for so long at most, whatever lifetime it names.
  private static let requestLifetimeNanoseconds: Int64 = 60_000_000_000

  /// Asks the server for a request, and does not wait for it.
  ///
  /// - Throws: ``Ending``.
  init(
    _ session: Session, _ held: AccountAuthenticators, _ client: ClientSettings, _ server: ServerSettings,
    proving purpose: UAFMessages.Operation? = nil
  ) throws(Ending) {
    self.session = session
    self.held = held
    self.client = client
    self.purpose = purpose
    network = try session.network(server)
    asked = session.surroundings.now()
    flow = try session.startAuthentication(client, held.account, proving: purpose, over: &network)
  }

  /// Has the person prove to be who they say, and the server decide.
  ///
  /// - Throws: ``Ending``.
  func run() throws(Ending) -> Acceptance {
    if purpose == nil, session.begin.isDivided { try waitForResume() }
    if session.approvalCode != nil {
      // Nobody is asked before the text is there to be shown.
      if case .failure(let refusal) = try collect() { throw try session.noted(refusal, held.account, []) }
    } else if let first = try session.firstType(of: held) {
      _ = try session.open([first], held)
    }
    var isFirstTry = true
    while true {
      switch try attempt() {
      case .success(let acceptance): return acceptance
      case .failure(let refusal):
        guard isFirstTry, refusal.result == .requestNotExist, refusal.spokenByServer else {
          throw try session.noted(refusal, held.account, held.opened.map(\.type))
        }
        // The challenge was used or expired, or another login of this person was faster: once more, with a fresh one.
        isFirstTry = false
        try restart()
      }
    }
  }

  /// Ready once the request is there, so that nothing is waited for after *resume*.
  private func waitForResume() throws(Ending) {
    if case .failure(let refusal) = try collect() { throw try session.noted(refusal, held.account, []) }
    guard try session.frontEnd.awaitResume() else { throw session.cancelled("cancelled before the prompt") }
  }

  private func collect() throws(Ending) -> Result<AuthenticationOffer, Refusal> {
    if let offer { return .success(offer) }
    let descriptions = session.descriptions(held.types, keys: try session.keys(of: held.account))
    isPending = false
    do throws(Refusal) {
      offer = try flow.collect(over: &network, among: descriptions)
    } catch { return .failure(error) }
    guard let offer else { throw Ending(.requestNotExist, log: "no request was received") }
    try session.takeText(of: offer)
    return .success(offer)
  }

  /// Answers the request, and each further one that the server answers with.
  private func attempt() throws(Ending) -> Result<Acceptance, Refusal> {
    while true {
      // What was fetched while the person typed may have grown old.
      if isOld { try restart() }
      let offer: AuthenticationOffer
      switch try collect() {
      case .success(let collected): offer = collected
      case .failure(let refusal): return .failure(refusal)
      }
      let way = try session.open(offer, held)
      if isOld { continue }
      self.offer = nil
      let keys = try session.keys(of: held.account)
      let answered = try session.answer(&flow, offer, way, keys, over: &network) { (key) throws(Ending) in
        guard let unlocked = self.held[key.type] else { throw Ending(.cannotUse, log: "the authenticator is not open") }
        return try self.session.signer(key, self.held.account, unlocked)
      }
      switch answered {
      case .failure(let refusal): return .failure(refusal)
      case .success(.accepted(let acceptance)): return .success(try session.believe(acceptance))
      // The flow ends by itself what a server would go on with for ever.
      case .success(.furtherRequest): isFurther = true
      }
    }
  }

  /// Whether the request was asked for too long ago; a further one came just now.
  private var isOld: Bool {
    guard !isFurther else { return false }
    let age = session.surroundings.now().nanoseconds.subtractingReportingOverflow(asked.nanoseconds)
    return age.overflow || age.partialValue > Self.requestLifetimeNanoseconds
  }

  /// Drops the request and asks for another.
  private func restart() throws(Ending) {
    // What was asked for is read and dropped, or it would be taken for the answer to what is asked next.
    if isPending { _ = try? network.finish() }
    isPending = true
    offer = nil
    isFurther = false
    asked = session.surroundings.now()
    flow = try session.startAuthentication(client, held.account, proving: purpose, over: &network)
  }
}
