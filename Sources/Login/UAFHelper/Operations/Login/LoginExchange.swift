import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFMessages

/// The questions and answers of one login, over one ``Network``.
struct LoginExchange {
  /// The current request.
  private(set) var offer: AuthenticationOffer?
  /// What came instead of a request or a success.
  private(set) var refusal: Refusal?
  /// The server's success.
  private(set) var acceptance: Acceptance?
  private var network: Network
  private var flow: any LoginFlow
  private var asked: BootTime
  private var hasBegun = false
  /// Why the first question could not be sent.
  private var obstacle: Refusal?
  private let client: ClientSettings
  private let account: AccountFile
  private let purpose: LoginPurpose

  /// The longest time for which a request is used, whatever lifetime it names.
  private static let requestLifetimeNanoseconds: Int64 = 60_000_000_000

  /// - Parameter text: what the person confirms with the first question, which is not sent yet.
  init(
    over network: Network, _ client: ClientSettings, as account: AccountFile, for purpose: LoginPurpose,
    confirming text: TextToConfirm?, at now: BootTime
  ) {
    self.network = network
    self.client = client
    self.account = account
    self.purpose = purpose
    flow = purpose.question(client, account, confirming: text)
    asked = now
  }

  /// Sends the first question unless it was sent.
  ///
  /// A failure is reported when the request should be received, and that is not before the person has verified a value.
  mutating func begin(at now: BootTime) {
    if hasBegun { return }
    (hasBegun, asked) = (true, now)
    do throws(Refusal) { try flow.start(over: &network) } catch { obstacle = error }
  }

  /// Reads the answer to the first question early; it does not wait if the answer has come.
  mutating func receiveAhead() { flow.receive(over: &network) }

  /// The arrival that makes the answer to the first question be read while the person types.
  func arrival(_ work: @escaping () -> Void) -> Arrival? { network.arrival(work) }

  /// Sends the first question now.
  mutating func ask(at now: BootTime) -> LoginEvent {
    begin(at: now)
    if let obstacle = obstacle.take() { return refused(obstacle) }
    return .questionSent
  }

  /// Sends another question, which replaces the first.
  ///
  /// A new text of the server is refused: the person did not see it before entering the value.
  mutating func askAgain(confirming text: TextToConfirm?, at now: BootTime) -> LoginEvent {
    var client = client
    client.takesServersTexts = false
    flow = purpose.question(client, account, confirming: text)
    (asked, offer) = (now, nil)
    do throws(Refusal) { try flow.start(over: &network) } catch { return refused(error) }
    return .questionSent
  }

  /// Waits for the request.
  mutating func receive(among authenticators: [AuthenticatorDescription], at now: BootTime) -> LoginEvent {
    begin(at: now)
    if let obstacle = obstacle.take() { return refused(obstacle) }
    do throws(Refusal) {
      let offer = try flow.collect(over: &network, among: authenticators)
      self.offer = offer
      return .request(challenge: offer.challenge, hasText: offer.transaction != nil)
    } catch { return refused(error) }
  }

  /// Reads an answer that is no longer used; the event says whether there was one.
  mutating func drop() -> LoginEvent {
    guard hasBegun, obstacle.take() == nil else { return .dropped(isReached: false) }
    return .dropped(isReached: flow.drop(over: &network))
  }

  /// Whether too much time has passed since the request was asked for.
  func isOld(at now: BootTime) -> Bool {
    let age = now.nanoseconds.subtractingReportingOverflow(asked.nanoseconds)
    return age.overflow || age.partialValue > Self.requestLifetimeNanoseconds
  }

  /// The text that the server added to the request, in the form in which the person confirms it.
  var text: TextToConfirm? {
    offer?.transaction.map { TextToConfirm(text: $0, isServers: !purpose.isApproval) }
  }

  /// Signs the request.
  mutating func sign(with signer: consuming KeySigner) -> LoginEvent {
    do throws(Refusal) { try flow.sign(with: &signer) } catch { return refused(error) }
    return .signed
  }

  /// Sends what was signed, and waits for the verdict.
  mutating func send() -> LoginEvent {
    do throws(Refusal) {
      switch try flow.send(over: &network) {
      case .accepted(let acceptance):
        self.acceptance = acceptance
        return .accepted(challenge: acceptance.challenge)
      case .furtherRequest: return .furtherRequest
      }
    } catch { return refused(error) }
  }

  private mutating func refused(_ refusal: Refusal) -> LoginEvent {
    self.refusal = refusal
    return .refused(LoginRefusal(refusal))
  }
}

/// The purpose of the server's success.
enum LoginPurpose {
  case login
  /// A token that proves the account for an operation.
  case proof(ProofSubject)
  /// A text that waits at the server, with its one-time code.
  case approval(code: String)

  /// Whether the person approves a text that waits at the server.
  var isApproval: Bool { if case .approval = self { true } else { false } }

  /// Whether somebody logs in.
  var isLogin: Bool { if case .login = self { true } else { false } }

  /// The question to the server, not sent yet.
  func question(
    _ client: ClientSettings, _ account: AccountFile, confirming text: TextToConfirm?
  ) -> any LoginFlow {
    let name = account.identity.serverUserName
    var subject: ProofSubject?
    switch self {
    case .approval(let code): return AuthenticationFlow(settings: client, username: name, approving: code)
    case .proof(let proved): subject = proved
    case .login: break
    }
    return client.authentication(
      as: name, transaction: text?.text, isServers: text?.isServers ?? false, proof: subject)
  }
}

extension LoginRefusal {
  /// The refusal of a flow.
  init(_ refusal: Refusal) {
    if refusal.isServersNo {
      self = .no
    } else if refusal.handshakeCompleted {
      self = .brokenOff
    } else {
      self = refusal.result == .noAnswer ? .silence : .local
    }
  }
}
