import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages

/// Carries out the actions of ``RegistrationMachine``: a key for each authenticator, kept once the server accepted all.
@safe final class RegistrationDriver {
  private let tools: RegistrationTools
  private let client: ClientSettings
  private let account: AccountFile?
  private let word: RegistrationWord
  private let types: [AuthenticatorType]
  private let named: AuthenticatorType?
  private let replacesValues: Bool
  private let keys: RegistrationKeys
  private var machine: RegistrationMachine
  private var exchange: RegistrationExchange
  /// Whether the server has said that it forgot the keys that are replaced.
  private(set) var hasForgottenReplaced = false
  /// By what the server knows this machine, once its success is believed.
  private var machineSecret: MachineSecret?
  /// Why an action could not be done.
  private var stop = Ending.outOfTurn(in: "registration")

  /// - Parameters:
  ///   - named: the authenticator that was asked for by name.
  ///   - replacingValues: whether values that are set are replaced without asking for them.
  ///   - renewing: whether the types get new keys under the values that they have, in place of keys that may be good.
  /// - Throws: ``Ending`` where there is no way to the server, or the keys cannot be read.
  init(
    _ tools: RegistrationTools, _ client: ClientSettings, _ settings: ServerSettings, _ account: AccountFile?,
    _ identity: AccountIdentity, _ word: RegistrationWord, among types: [AuthenticatorType],
    named: AuthenticatorType?, in directory: consuming StateDirectory, replacingValues: Bool = false,
    renewing: Bool = false
  ) throws(Ending) {
    self.tools = tools
    self.client = client
    self.account = account
    self.word = word
    self.types = types
    self.named = named
    replacesValues = replacingValues
    machine = RegistrationMachine(
      authenticators: types.count, replacesValues: replacingValues, authorizations: word.signed?.keys.count ?? 0)
    let network = try tools.server.network(settings, for: account)
    keys = try RegistrationKeys(
      of: account, identity, tools, among: types, in: directory, replacingValues: replacingValues, renewing: renewing)
    exchange = RegistrationExchange(
      over: network, client, as: identity.serverUserName, with: word,
      joined: try tools.server.joinedSecret(settings), replacing: keys.lost)
  }

  /// Registers.
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
    case .checkWord: try word.judge(for: account, client, tools)
    case .askRequest: exchange.ask(among: types, keys.known)
    case .chooseWay:
      keys.choose(
        try tools.opener.way(
          to: exchange.offer, among: types, named,
          hasTyped: try account.map { (file) throws(Ending) in try tools.accounts.hasTyped(file) } ?? false))
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

  private func authorize(_ index: Int) throws(Ending) -> RegistrationEvent {
    guard let signed = word.signed else { throw .outOfTurn(in: "registration") }
    return exchange.authorize(with: try signed.signer(index))
  }

  private func believe() throws(Ending) -> RegistrationEvent {
    guard let acceptance = exchange.acceptance else { throw .outOfTurn(in: "registration") }
    let believed = try tools.server.believe(acceptance)
    machineSecret = believed.machineSecret
    hasForgottenReplaced = keys.areReplaced(by: believed.forgottenKeyIDs)
    let count = believed.forgottenKeyIDs.count
    if count > 0 {
      tools.log.write(
        .keys, "\(FidoResult.alreadyRegistered): the server forgot \(count) key(s) that this machine had lost")
    }
    // The server has accepted the new key: a front end that is gone must not keep the machine from storing it.
    if keys.wereLost(among: believed.forgottenKeyIDs) { try? tools.prompter.show(.lostKeysForgotten) }
    return .believed
  }
}
