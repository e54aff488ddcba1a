import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFMessages

/// Opens the authenticators that a request asks for: the person enters what is needed, and chooses if several fit.
@safe final class AuthenticatorOpener {
  private let policy: CallPolicy
  private let prompter: Prompter
  private let check: ValueCheck

  init(_ policy: CallPolicy, _ prompter: Prompter, _ check: ValueCheck) {
    self.policy = policy
    self.prompter = prompter
    self.check = check
  }

  /// The result.
  enum Opened {
    /// The combination of authenticators that was chosen; all of them are open.
    case way([AuthenticatorType])
    /// The person chose to register anew.
    case registerAgain
  }

  /// The combinations that an offer allows, each a list of types; the server's preferred one comes first.
  ///
  /// - Parameter types: the types that can take part.
  static func ways(
    _ sets: [[AcceptableAuthenticator]], among types: [AuthenticatorType], named: AuthenticatorType?
  ) -> [[AuthenticatorType]] {
    var ways: [[AuthenticatorType]] = []
    for set in sets {
      let way = set.compactMap { member in types.first { $0.aaid == member.aaid.text } }
      guard way.count == set.count, named.map({ way.contains($0) }) ?? true, !ways.contains(way) else { continue }
      ways.append(way)
    }
    return ways
  }

  /// The authenticators for a registration: the only combination that the server allows, or the person's choice.
  ///
  /// - Parameters:
  ///   - types: the types that can take part.
  ///   - named: the type that was asked for by name.
  ///   - hasTyped: whether the account has a value that is typed.
  /// - Throws: ``Ending`` (2002) if none fits, or if several fit and nobody can choose.
  func way(
    to offer: RegistrationOffer?, among types: [AuthenticatorType], _ named: AuthenticatorType?, hasTyped: Bool
  ) throws(Ending) -> [AuthenticatorType] {
    guard let offer else { throw .outOfTurn(in: "registration") }
    // A fingerprint alone is never the first authenticator of an account.
    let ways = Self.ways(offer.sets, among: types, named: named).filter {
      named != nil || hasTyped || $0.contains(where: \.isTyped)
    }
    guard let first = ways.first else {
      throw Ending(
        .noSuitableAuthenticator, because: named == nil ? .typesNotAccepted : policy.namedNotAccepted,
        log: "the server accepts no authenticator on this machine" + (named.map { ": not \($0.rawValue)" } ?? ""))
    }
    // If a type was named, only that type, if it is enough.
    if named != nil { return ways.min { $0.count < $1.count } ?? first }
    guard ways.count > 1 else { return first }
    // A first registration sets the usual type of this machine, which is root's first type. A person who wants a different type
    // names it.
    if !hasTyped, let usual = types.first(where: \.isTyped), ways.contains([usual]) { return [usual] }
    guard policy.isInteractive else {
      throw Ending(.noSuitableAuthenticator, because: .severalToName, log: "several authenticators fit: name one")
    }
    guard case .way(let way) = try prompter.choose(among: ways) else {
      throw Ending(.noSuitableAuthenticator, because: .nothingChosen, log: "nothing in the list was chosen")
    }
    return way
  }

  /// The type that is asked for immediately, before the server's request has arrived.
  ///
  /// - Returns: nil if the person must choose.
  /// - Throws: ``Ending`` (2002) if nobody can choose.
  func firstType(of held: AccountAuthenticators) throws(Ending) -> AuthenticatorType? {
    if let named = held.named { return named }
    let usable = held.usable
    let typed = usable.filter(\.isTyped)
    // A fingerprint is not a choice: the sensor waits during the prompt for the other value.
    if typed.count == 1, typed != usable, !policy.offersNewRegistration || !policy.isInteractive { return typed[0] }
    if policy.hidesState || !policy.isInteractive, usable.count > 1 {
      let last: AuthenticatorType?
      do throws(StateError) { last = try held.account.lastUsed() } catch {
        guard policy.hidesState else { throw Ending(error) }
        last = nil
      }
      if let last, usable.contains(last) { return last }
      guard !policy.hidesState else { return usable.first }
      throw Ending(
        .noSuitableAuthenticator, because: .severalFit,
        log: "several authenticators and one prompt: name one (argument authenticator, or the service's)")
    }
    return usable.count == 1 && !policy.offersNewRegistration ? usable.first : nil
  }

  /// Opens one authenticator, before the server has said what it wants.
  ///
  /// - Throws: ``Ending``, as ``ValueCheck/askAndVerify(_:_:in:attempts:canGoBack:keepsValue:canTouch:)``.
  func openFirst(_ type: AuthenticatorType, of held: AccountAuthenticators) throws(Ending) {
    _ = try open([type], held, canGoBack: false)
  }

  /// Opens every authenticator of one combination that the request accepts.
  ///
  /// If several combinations fit, the person chooses.
  ///
  /// - Throws: ``Ending``: 2002 if none fits, or if several fit and there is only one prompt; cancelled; wrong; ...
  func open(_ offer: AuthenticationOffer, _ held: AccountAuthenticators) throws(Ending) -> Opened {
    let ways = Self.ways(offer.sets, among: held.types, named: held.named)
    if let way = ways.first(where: held.cover), !held.opened.isEmpty { return .way(way) }
    var further = ways.filter { way in held.opened.allSatisfy { way.contains($0.type) } }
    // The server may not accept the authenticator that was verified: the finger, or the value that was asked for while the sensor
    // waited.
    if further.isEmpty, held.named == nil, held.types.contains(where: { !$0.isTyped }) { further = ways }
    guard !further.isEmpty else {
      throw Ending(
        .noSuitableAuthenticator, because: held.named == nil ? .typesNotAccepted : policy.namedNotAccepted,
        log: "the server asks for authenticators that are not on this machine"
          + (held.named.map { ": not \($0.rawValue)" } ?? ""))
    }
    // A request also names keys that the server refuses: it checks a key only when the key has signed.
    let promising = further.filter { $0.allSatisfy(held.usable.contains) }
    if !promising.isEmpty { further = promising }
    guard policy.isInteractive else {
      throw Ending(
        .noSuitableAuthenticator, because: .severalTogether,
        log: "the server asks for more than one prompt can provide")
    }
    return try open(oneOf: further, accepting: ways, held)
  }

  /// Opens one authenticator of the person's choice, when there is no request yet.
  ///
  /// - Throws: ``Ending``.
  func openAny(of held: AccountAuthenticators) throws(Ending) -> Opened {
    let types = held.usable
    let typed = types.filter(\.isTyped)
    let all = types.map { [$0] }
    return try open(oneOf: held.named == nil && typed.count == 1 ? [typed] : all, accepting: all, held)
  }

  /// Opens what the person chooses, with a list if there is a choice.
  ///
  /// - Parameter all: the combinations of which one is enough; a finger may open a different one from the one that was chosen.
  private func open(
    oneOf ways: [[AuthenticatorType]], accepting all: [[AuthenticatorType]], _ held: AccountAuthenticators
  ) throws(Ending) -> Opened {
    let offersMore = held.opened.isEmpty && policy.offersNewRegistration
    let list = ways.count > 1 || offersMore
    while true {
      let choice = list ? try prompter.choose(among: ways, orRegisterAgain: offersMore) : ways.first.map(Choice.way)
      guard case .way(let way) = choice else { return .registerAgain }
      guard try open(way, held, canGoBack: list) else { continue }
      if let opened = held.cover(way) ? way : all.first(where: held.cover) { return .way(opened) }
    }
  }

  /// Opens the authenticators of one combination that are not open yet.
  ///
  /// - Returns: false if the person went back to the list.
  private func open(
    _ way: [AuthenticatorType], _ held: AccountAuthenticators, canGoBack: Bool
  ) throws(Ending) -> Bool {
    for type in way where held[type] == nil {
      let unlocked = try check.askAndVerify(
        held.account, type, in: held.directory, attempts: held.attempts(type, tries: policy.tries),
        canGoBack: canGoBack,
        canTouch: way.count == 1 && held.opened.isEmpty && held.named == nil && held.refused.allSatisfy(\.isTyped))
      guard let unlocked else { return false }
      held.add(unlocked)
    }
    return true
  }
}
