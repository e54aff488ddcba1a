import Authenticator
import FidoResults
import UAFClient
import UAFMessages

/// What the server's verdict on one login means here, and what is kept of it.
struct LoginVerdict {
  private let held: AccountAuthenticators
  private let client: ClientSettings
  private let tools: AuthenticationTools
  private let isApproval: Bool
  /// How often the server had refused before it was asked.
  private let refusalsBefore: UInt64?
  /// The ending where an older copy of this machine's state was restored.
  private var olderState: Ending?
  /// A login by the server's last success.
  private var offline: Success?

  init(on held: AccountAuthenticators, _ client: ClientSettings, _ tools: AuthenticationTools, isApproval: Bool) {
    self.held = held
    self.client = client
    self.tools = tools
    self.isApproval = isApproval
    refusalsBefore = tools.offline.refusals(of: held.account)
  }

  /// Checks the server's success as root demands.
  ///
  /// - Throws: ``Ending``.
  func believe(_ acceptance: Acceptance?) throws(Ending) -> LoginEvent {
    guard let acceptance else { throw .outOfTurn(in: "login") }
    let believed = try tools.server.believe(acceptance)
    try tools.keys.noteAccepted(held.account, held.opened.map(\.type))
    tools.keys.note(believed.machineSecret, of: try tools.server.place(client.authentication), held.account)
    return .believed
  }

  /// Says whether a refusal allows another attempt.
  ///
  /// - Throws: ``Ending``.
  mutating func judge(_ refusal: Refusal?) throws(Ending) -> LoginEvent {
    guard let refusal else { throw .outOfTurn(in: "login") }
    olderState = try tools.keys.olderState(refusal, held.account)
    guard olderState == nil else { return .judged(.stateIsOlder) }
    guard refusal.result == .requestNotExist, refusal.spokenByServer else { return .judged(.final) }
    return .judged(refusal.seenCounter == nil ? .expired : .overtaken)
  }

  /// Says whether the server's last success still holds.
  ///
  /// - Throws: ``Ending`` where it does not.
  mutating func judgeLastYes(without refusal: Refusal?) throws(Ending) -> LoginEvent {
    offline = try tools.offline.withoutServer(try refused(refusal), held, try tools.server.terms(client.authentication))
    return .lastYesHolds
  }

  // MARK: The end

  /// The success of a login that the server has accepted.
  ///
  /// - Parameter asked: a time before the answer was sent that the server accepted.
  /// - Throws: ``Ending``.
  func accepted(_ acceptance: Acceptance?, asked: BootTime?) throws(Ending) -> Success {
    guard let acceptance else { throw .outOfTurn(in: "login") }
    if let text = tools.prompter.confirmed, text.isServers { tools.log.write(.confirmed, text.text.shown) }
    if tools.offline.isAllowed {
      tools.offline.noteYes(
        asked: asked, since: refusalsBefore, held, try tools.server.terms(client.authentication))
    }
    return Success(token: acceptance.token, machineNews: acceptance.machineNews)
  }

  /// The result of a login by the server's last success.
  ///
  /// - Throws: ``Ending``.
  func acceptedOffline() throws(Ending) -> Success {
    guard let offline else { throw .outOfTurn(in: "login") }
    return offline
  }

  /// The ending for the server's refusal; what it says about the keys is stored first.
  ///
  /// - Throws: ``Ending``.
  func refused(_ refusal: Refusal?) throws(Ending) -> Ending {
    guard let refusal else { throw .outOfTurn(in: "login") }
    let ending = try tools.keys.noted(refusal, held.account, held.opened.map(\.type))
    // If nobody was asked yet, the server refused the code of the approval.
    let isCodes = isApproval && held.opened.isEmpty && refusal.serverStatus == UAFStatusCode.unauthorized.rawValue
    return isCodes ? ending.saying(.cause(.approvalRefused)) : ending
  }

  /// The ending where an older copy of this machine's state was restored.
  var ofOlderState: Ending { olderState ?? .outOfTurn(in: "login") }
}
