import Authenticator
import UAFClient
import UAFMessages

/// The questions and answers of one login, over one way to the server.
struct LoginExchange {
  /// The request at hand.
  private(set) var offer: AuthenticationOffer?
  /// What came in place of a request or a yes.
  private(set) var refusal: Refusal?
  /// The server's yes.
  private(set) var acceptance: Acceptance?
  private var network: Network
  private var flow: AuthenticationFlow
  private var asked: BootTime

  /// A request from the server is used for so long at most, whatever lifetime it names.
  private static let requestLifetimeNanoseconds: Int64 = 60_000_000_000

  /// - Parameter question: the first one, which is not sent yet.
  init(over network: Network, first question: AuthenticationFlow, at now: BootTime) {
    self.network = network
    flow = question
    asked = now
  }

  /// Sends the first question, or another one in its place.
  mutating func ask(anew question: AuthenticationFlow? = nil, at now: BootTime) -> LoginEvent {
    if let question { flow = question }
    (asked, offer) = (now, nil)
    do throws(Refusal) { try flow.start(over: &network) } catch { return refused(error) }
    return .questionSent
  }

  /// Waits for the request.
  mutating func receive(among authenticators: [AuthenticatorDescription]) -> LoginEvent {
    do throws(Refusal) {
      let offer = try flow.collect(over: &network, among: authenticators)
      self.offer = offer
      return .request(challenge: offer.challenge, hasText: offer.transaction != nil)
    } catch { return refused(error) }
  }

  /// Reads an answer that is not used any more; that there was one counts.
  func drop() -> LoginEvent {
    do throws(TransportFailure) { _ = try network.finish() } catch {
      if case .noHandshake = error { return .dropped(isReached: false) }
    }
    return .dropped(isReached: true)
  }

  /// Whether the request was asked for too long ago.
  func isOld(at now: BootTime) -> Bool {
    let age = now.nanoseconds.subtractingReportingOverflow(asked.nanoseconds)
    return age.overflow || age.partialValue > Self.requestLifetimeNanoseconds
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
