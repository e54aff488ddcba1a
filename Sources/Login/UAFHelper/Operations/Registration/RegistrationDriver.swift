import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages
import UAFWire

/// Carries out the actions of ``RegistrationMachine``: it makes a key for each authenticator, and stores the keys once the
/// server has accepted all of them.
@safe final class RegistrationDriver {
  private let tools: RegistrationTools
  private let client: ClientSettings
  private let decided: RegistrationCase
  private let keys: RegistrationKeys
  private var machine: RegistrationMachine
  private var exchange: RegistrationExchange
  /// Whether the server confirmed that it removed the replaced keys.
  private var hasForgottenReplaced = false
  /// The machine secret of the server's success, once that is verified.
  private var machineSecret: MachineSecret?
  /// The ending if the last action failed.
  private var stop = Ending.outOfTurn(in: "registration")

  /// - Throws: ``Ending`` if no connection to the server can be prepared, or the keys cannot be read.
  init(
    _ tools: RegistrationTools, _ client: ClientSettings, _ settings: ServerSettings, _ decided: RegistrationCase,
    in directory: consuming StateDirectory
  ) throws(Ending) {
    self.tools = tools
    self.client = client
    self.decided = decided
    machine = RegistrationMachine(
      authenticators: decided.types.count, replacesValues: decided.replacesValues,
      authorizations: decided.permit.signed?.keys.count ?? 0)
    let network = try tools.server.network(settings, for: decided.account)
    keys = try RegistrationKeys(of: decided, tools, in: directory, tellsLost: client.webAuthn == nil)
    exchange = RegistrationExchange(
      over: network, client, for: decided.identity, with: decided.permit,
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

  /// What has become of the replaced keys at the server.
  ///
  /// - Parameter wasRefused: whether the server refused those keys before.
  func replacedKey(wasRefused: Bool) -> ReplacedKey {
    if hasForgottenReplaced { return .forgotten }
    if client.webAuthn != nil { return .stays }
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
    case .checkPermit: try checkPermit()
    case .askRequest: exchange.ask(among: decided.types, keys.known)
    case .chooseWay:
      keys.choose(
        try tools.opener.way(
          to: exchange.offer, among: decided.types, decided.named,
          hasTyped: try decided.account.map { (file) throws(Ending) in try tools.accounts.hasTyped(file) } ?? false))
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

  private func checkPermit() throws(Ending) -> RegistrationEvent {
    try decided.permit.requireNewValue(for: decided.account, client, tools)
    return .permitted
  }

  private func authorize(_ index: Int) throws(Ending) -> RegistrationEvent {
    guard let signed = decided.permit.signed else { throw .outOfTurn(in: "registration") }
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
    // The server has accepted the new key: the machine must store it even if the front end is gone.
    if keys.wereLost(among: believed.forgottenKeyIDs) { try? tools.prompter.show(.lostKeysForgotten) }
    return .believed
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
  let sensors: BiometricCheck
  let newValue: NewValueDialogue
  let queue: DerivationQueue
  let log: CallLog
}
