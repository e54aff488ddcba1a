import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFMessages

/// The requests to and answers of the server in one login, over one ``Network``.
struct LoginExchange {
  /// The server's current UAF request.
  private(set) var offer: AuthenticationOffer?
  /// What the server sent instead of a request or a success, or why nothing arrived.
  private(set) var refusal: Refusal?
  /// The server's success.
  private(set) var acceptance: Acceptance?
  private var network: Network
  private var flow: any LoginFlow
  private var asked: BootTime
  private var hasBegun = false
  /// Why the first HTTP request could not be sent.
  private var obstacle: Refusal?
  private let client: ClientSettings
  private let account: AccountFile
  private let purpose: LoginPurpose

  /// The maximum age at which a UAF request is used, whatever lifetime it states.
  private static let requestLifetimeNanoseconds: Int64 = 60_000_000_000

  /// - Parameter text: the text that the person confirms. It will be sent to the server with the first HTTP request; nothing is
  ///   sent yet.
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

  /// Sends the first HTTP request, unless it has been sent already.
  ///
  /// If this fails, the failure is reported later, when the UAF request is to be received: that is after the person has entered
  /// a secret.
  mutating func begin(at now: BootTime) {
    if hasBegun { return }
    (hasBegun, asked) = (true, now)
    do throws(Refusal) { try flow.start(over: &network) } catch { obstacle = error }
  }

  /// Reads the server's first answer early.
  ///
  /// If it has arrived, this does not wait.
  mutating func receiveAhead() { flow.receive(over: &network) }

  /// The ``Arrival`` with which the server's first answer is read while the person types.
  func arrival(_ work: @escaping () -> Void) -> Arrival? { network.arrival(work) }

  /// Asks the server for a UAF request now.
  mutating func ask(at now: BootTime) -> LoginEvent {
    begin(at: now)
    if let obstacle = obstacle.take() { return refused(obstacle) }
    return .questionSent
  }

  /// Asks the server for another UAF request, which replaces the first.
  ///
  /// If the server adds a text now, that is refused: the person did not see it before entering the secret.
  mutating func askAgain(confirming text: TextToConfirm?, at now: BootTime) -> LoginEvent {
    var client = client
    client.takesServersTexts = false
    flow = purpose.question(client, account, confirming: text)
    (asked, offer) = (now, nil)
    do throws(Refusal) { try flow.start(over: &network) } catch { return refused(error) }
    return .questionSent
  }

  /// Waits for the UAF request.
  mutating func receive(among authenticators: [AuthenticatorDescription], at now: BootTime) -> LoginEvent {
    begin(at: now)
    if let obstacle = obstacle.take() { return refused(obstacle) }
    do throws(Refusal) {
      let offer = try flow.collect(over: &network, among: authenticators)
      self.offer = offer
      return .request(challenge: offer.challenge, hasText: offer.transaction != nil)
    } catch { return refused(error) }
  }

  /// Reads an answer that is no longer needed.
  ///
  /// The event tells whether the server was reached.
  mutating func drop() -> LoginEvent {
    guard hasBegun, obstacle.take() == nil else { return .dropped(isReached: false) }
    return .dropped(isReached: flow.drop(over: &network))
  }

  /// Whether too much time has passed since the server was asked for the UAF request.
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

  /// Sends the signed response, and waits for the verdict.
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

/// The purpose of an authentication.
enum LoginPurpose {
  case login
  /// To get a token that proves the account for an operation.
  case proof(ProofSubject)
  /// To approve a text that waits at the server, with its one-time code.
  case approval(code: String)

  /// Whether the person approves a text that waits at the server.
  var isApproval: Bool { if case .approval = self { true } else { false } }

  /// Whether this is a login.
  var isLogin: Bool { if case .login = self { true } else { false } }

  /// The flow with the server, of which nothing has been sent yet.
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
  /// The part of a flow's refusal that decides about the next step.
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
