import AuthenticatorTypes
import Authenticator
import FidoResults
import SecretMemory
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// Imitates a login for an account that does not exist: it shows the same prompts, sends the same requests, and takes the same
/// time.
@safe final class HiddenAccount {
  private let call: Call
  private let policy: CallPolicy
  private let prompter: Prompter
  private let accounts: AccountAccess
  private let server: ServerAccess
  private let dummy: DummyCheck
  /// The transport to the server.
  ///
  /// It stays open until the end of the call, as in a real login.
  private var network: Network?
  private var flow: (any LoginFlow)?
  /// Why there is no request from the server.
  ///
  /// The person learns no more about it than in a login with a key.
  private var refusal: Refusal?
  private var hasSent = false

  init(
    for call: Call, _ policy: CallPolicy, _ prompter: Prompter, _ accounts: AccountAccess, _ server: ServerAccess,
    _ dummy: DummyCheck
  ) {
    self.call = call
    self.policy = policy
    self.prompter = prompter
    self.accounts = accounts
    self.server = server
    self.dummy = dummy
  }

  /// Sends the server the same request as a login does, and at the same time.
  ///
  /// - Throws: ``Ending``.
  func start(_ client: ClientSettings, _ settings: ServerSettings) throws(Ending) {
    network = try server.network(settings, for: nil, isForLogin: true)
    let name = call.caller.typedName.flatMap { try? server.userName(of: $0, settings) } ?? "unknown"
    flow = client.authentication(as: name, transaction: prompter.confirmed?.text)
    if call.begin.isDivided || client.takesServersTexts && prompter.confirmed == nil { return send() }
    // A failure to send is not reported here: a login would report it only after a correct secret.
    prompter.onceAsked { [weak self] in self?.send() }
    // The list of facets depends on the server's request, not on a key. So it is fetched even though there is no key.
    prompter.onceArrived(network?.arrival { [weak self] in self?.receiveAhead() })
  }

  private func send() {
    guard var network else { return }
    do throws(Refusal) {
      try flow?.start(over: &network)
      hasSent = true
    } catch { refusal = error }
  }

  private func receiveAhead() {
    guard var network else { return }
    flow?.receive(over: &network)
  }

  /// Prompts for secrets, and ends as if they were wrong.
  ///
  /// - Returns: the ending of a wrong secret.
  /// - Throws: ``Ending``.
  func pretend() throws(Ending) -> Ending {
    let wrong = PromptText.wrong(policy.hiddenKind, triesLeft: nil)
    let directory = try accounts.openState()
    var question = Question(types: policy.hiddenTypes, user: call.shownName)
    if awaitsServersText { prompter.confirm(takeRequest().map { TextToConfirm(text: $0) }) }
    if call.begin.isDivided {
      if !awaitsServersText { _ = takeRequest() }
      if !mayPause { throw .noRequest(refusal) }
      try prompter.awaitResume(orLog: "cancelled before the prompt")
    }
    for _ in 0..<policy.tries {
      // The stand-in is made before the prompt, because a login opens the account's file at that time.
      let standIn = try dummy.standIn(in: directory)
      guard let value = try prompter.askValue(question) else { break }
      try dummy.work(value, against: standIn, in: directory)
      question.error = wrong.text(in: policy.language)
    }
    return Ending(.wrongValue, text: wrong, log: "account unknown or not registered")
  }

  /// Whether root's configuration lets the server add a text, and the caller sent none.
  private lazy var awaitsServersText =
    (try? server.settings().acceptedTransactions == .any) == true && prompter.confirmed == nil

  /// Waits for the request and its list of facets, as a login does if its prompt comes later.
  ///
  /// - Returns: the text that the server adds, if root allows that.
  private func takeRequest() -> TransactionText? {
    guard hasSent, var network = network.take() else { return nil }
    defer { self.network = network }
    do throws(Refusal) { return try flow?.answer(over: &network) } catch {
      refusal = error
      return nil
    }
  }

  /// Whether a divided login would continue at this point if the name had a key; see ``LoginMachine``.
  private var mayPause: Bool {
    guard let refusal else { return true }
    guard hasSent else { return false }
    return switch LoginRefusal(refusal) {
    case .silence: policy.offlineLimit != nil
    case .no, .brokenOff: true
    case .local: false
    }
  }
}
