import Authenticator
import AuthenticatorTypes
import FidoResults
import UAFClient
import UAFConfiguration
import UAFMessages

/// Lets the person open the authenticators that a request needs, and choose if several combinations are possible.
@safe final class AuthenticatorOpener {
  private let policy: CallPolicy
  private let prompter: Prompter
  private let check: ValueCheck
  private let sensors: BiometricCheck

  init(_ policy: CallPolicy, _ prompter: Prompter, _ check: ValueCheck, _ sensors: BiometricCheck) {
    self.policy = policy
    self.prompter = prompter
    self.check = check
    self.sensors = sensors
  }

  /// The result of opening authenticators.
  enum Opened {
    /// The combination of authenticators that was chosen; all of them are open.
    case way([AuthenticatorType])
    /// The person chose to register anew.
    case registerAgain
  }

  /// The combinations that an offer allows, each as a list of types.
  ///
  /// The one that the server prefers comes first.
  ///
  /// - Parameter types: the types that can be used.
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
  ///   - named: the type that the call names; nil if it names none.
  ///   - hasTyped: whether the account has a passcode or a pattern.
  /// - Throws: ``Ending`` (2002) if no combination is possible, or if several are and the person cannot be asked to choose.
  func way(
    to offer: RegistrationOffer?, among types: [AuthenticatorType], _ named: AuthenticatorType?, hasTyped: Bool
  ) throws(Ending) -> [AuthenticatorType] {
    guard let offer else { throw .outOfTurn(in: "registration") }
    // A fingerprint or a face cannot be an account's only authenticator.
    let ways = Self.ways(offer.sets, among: types, named: named).filter {
      named != nil || hasTyped || $0.contains(where: \.isTyped)
    }
    guard let first = ways.first else {
      throw Ending(
        .noSuitableAuthenticator, because: named == nil ? .typesNotAccepted : policy.namedNotAccepted,
        log: "the server accepts no authenticator on this machine" + (named.map { ": not \($0.rawValue)" } ?? ""))
    }
    // If a type was named, it is registered alone, provided that the server accepts that.
    if named != nil { return ways.min { $0.count < $1.count } ?? first }
    guard ways.count > 1 else { return first }
    // A first registration uses the machine's usual type, which is the first that root has enabled. A person who wants a
    // different type must name it.
    if !hasTyped, let usual = types.first(where: \.isTyped), ways.contains([usual]) { return [usual] }
    guard policy.isInteractive else {
      throw Ending(.noSuitableAuthenticator, because: .severalToName, log: "several authenticators fit: name one")
    }
    guard case .way(let way) = try prompter.choose(among: ways) else {
      throw Ending(.noSuitableAuthenticator, because: .nothingChosen, log: "nothing in the list was chosen")
    }
    return way
  }

  /// The type for which the first prompt asks, before the server's request has arrived.
  ///
  /// - Returns: nil if the person must choose.
  /// - Throws: ``Ending`` (2002) if the person would have to choose but cannot be asked.
  func firstType(of held: AccountAuthenticators) throws(Ending) -> AuthenticatorType? {
    if let named = held.named { return named }
    let usable = held.usable.filter(policy.configuration.countsAlone)
    let typed = usable.filter(\.isTyped)
    // A fingerprint is not a choice in the list: the sensor waits while the prompt asks for the typed secret.
    if typed.count == 1, typed != usable, !policy.offersNewRegistration || !policy.isInteractive { return typed[0] }
    if policy.hidesState || !policy.canChoose, usable.count > 1 {
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

  /// Opens one authenticator, before the server's request is known.
  ///
  /// - Throws: ``Ending``, as ``ValueCheck/askAndVerify(_:_:in:attempts:canGoBack:keepsValue:canTouch:)``.
  func openFirst(_ type: AuthenticatorType, of held: AccountAuthenticators) throws(Ending) {
    do throws(Ending) { _ = try open([type], held, canGoBack: false) } catch {
      try fallBack(after: error, held)
      guard !held.opened.contains(where: \.type.isTyped) else { return }
      _ = try open([try usualTyped(held)], held, canGoBack: false)
    }
  }

  /// Opens every authenticator of one combination that the request accepts.
  ///
  /// If several combinations are possible, the person chooses.
  ///
  /// - Throws: ``Ending``: 2002 if none is possible, or if several are and there is only one prompt; or if the person
  ///   cancelled, an entry was wrong, and so on.
  func open(_ offer: AuthenticationOffer, _ held: AccountAuthenticators) throws(Ending) -> Opened {
    do throws(Ending) { return try openOffered(offer, held) } catch {
      try fallBack(after: error, held)
      return try openOffered(offer, held)
    }
  }

  private func openOffered(_ offer: AuthenticationOffer, _ held: AccountAuthenticators) throws(Ending) -> Opened {
    let ways = sorted(Self.ways(offer.sets, among: held.types, named: held.named), isNamed: held.named != nil)
    if let way = ways.first(where: held.cover), !held.opened.isEmpty { return .way(way) }
    var further = ways.filter { way in
      held.opened.allSatisfy { way.contains($0.type) || $0.type.isTyped && needsTyped(way) }
    }
    // It is possible that the server does not accept the authenticator that was verified, because either the finger or the
    // secret was enough for the first prompt. Then all combinations stay possible.
    let hasChoice = held.types.contains { !$0.isTyped && policy.configuration.countsAlone($0) }
    if further.isEmpty, held.named == nil, hasChoice { further = ways }
    guard !further.isEmpty else {
      throw Ending(
        .noSuitableAuthenticator, because: held.named == nil ? .typesNotAccepted : policy.namedNotAccepted,
        log: "the server asks for authenticators that are not on this machine"
          + (held.named.map { ": not \($0.rawValue)" } ?? ""))
    }
    // A request may name keys that the server will refuse, because the server checks a key only after it has signed. So
    // combinations without such keys are preferred.
    let promising = further.filter { $0.allSatisfy(held.usable.contains) }
    if !promising.isEmpty { further = promising }
    if !policy.canChoose {
      // Of what is still needed, only a face after a typed secret needs no further prompt.
      guard let way = further.first(where: { needsNoPrompt($0, held) }) else {
        throw Ending(
          .noSuitableAuthenticator, because: .severalTogether,
          log: "the server asks for more than one prompt can provide")
      }
      further = [way]
    }
    return try open(oneOf: further, accepting: ways, held)
  }

  /// Opens one authenticator of the person's choice, before there is a request.
  ///
  /// - Throws: ``Ending``.
  func openAny(of held: AccountAuthenticators) throws(Ending) -> Opened {
    let types = held.usable.filter(policy.configuration.countsAlone)
    let typed = types.filter(\.isTyped)
    guard !types.isEmpty else { throw Self.withoutTyped }
    let all = types.map { [$0] }
    return try open(oneOf: held.named == nil && typed.count == 1 ? [typed] : all, accepting: all, held)
  }

  /// Opens the combination that the person chooses; if there are several, a list is shown.
  ///
  /// - Parameter all: the combinations that are accepted. If a finger is used, a different combination from the chosen one may
  ///   be opened.
  private func open(
    oneOf ways: [[AuthenticatorType]], accepting all: [[AuthenticatorType]], _ held: AccountAuthenticators
  ) throws(Ending) -> Opened {
    let offersMore = held.opened.isEmpty && policy.offersNewRegistration
    let list = ways.count > 1 || offersMore
    // A greeter that shows lists has a button to go back.
    let canGoBack = list && !policy.showsLists
    while true {
      let choice = list ? try prompter.choose(among: ways, orRegisterAgain: offersMore) : ways.first.map(Choice.way)
      let way: [AuthenticatorType]
      switch choice {
      case .way(let chosen): way = chosen
      case .nothing: way = usual(of: ways, held)
      case .registerAgain, nil: return .registerAgain
      }
      guard try open(way, held, canGoBack: canGoBack) else { continue }
      if let opened = held.cover(way) ? way : all.first(where: held.cover) { return .way(opened) }
    }
  }

  /// The combination that is asked for if the person chose none: the authenticator that was used last, or else the first.
  private func usual(of ways: [[AuthenticatorType]], _ held: AccountAuthenticators) -> [AuthenticatorType] {
    let last = (try? held.account.lastUsed()).flatMap { last in ways.first { $0 == [last] } }
    return last ?? ways.first ?? []
  }

  /// Opens the authenticators of one combination that are not open yet.
  ///
  /// - Returns: false if the person went back to the list.
  private func open(
    _ way: [AuthenticatorType], _ held: AccountAuthenticators, canGoBack: Bool
  ) throws(Ending) -> Bool {
    try openTyped(beside: way, held)
    for type in way where held[type] == nil {
      let unlocked = try check.askAndVerify(
        held.account, type, in: held.directory, attempts: held.attempts(type, tries: policy.tries),
        canGoBack: canGoBack,
        canTouch: way.count == 1 && held.opened.isEmpty && held.named == nil && held.refused.allSatisfy(\.isTyped)
          && !held.hasFallenBack)
      guard let unlocked else { return false }
      held.add(unlocked)
    }
    return true
  }

  // MARK: A sensor that does not count alone

  /// Whether a combination has an authenticator that lets nobody in without a typed secret.
  private func needsTyped(_ way: [AuthenticatorType]) -> Bool {
    !way.allSatisfy(policy.configuration.countsAlone)
  }

  /// Whether what is still needed for a combination needs no prompt: a typed secret was entered, and only cameras are left.
  private func needsNoPrompt(_ way: [AuthenticatorType], _ held: AccountAuthenticators) -> Bool {
    held.opened.contains(where: \.type.isTyped)
      && way.allSatisfy { held[$0] != nil || !policy.configuration.countsAlone($0) }
  }

  /// The combinations in the order in which their authenticators are asked for: typed secrets before a sensor that does not
  /// count alone.
  ///
  /// Unless the call names such a sensor, a combination without a typed secret is used only if there is no other: the person
  /// would have to enter the secret anyway.
  private func sorted(_ ways: [[AuthenticatorType]], isNamed: Bool) -> [[AuthenticatorType]] {
    let sorted = ways.map { way in
      needsTyped(way) ? way.filter(\.isTyped) + way.filter { !$0.isTyped } : way
    }
    let usual = sorted.filter { !needsTyped($0) || $0.contains(where: \.isTyped) }
    return isNamed || usual.isEmpty ? sorted : usual
  }

  /// Opens a typed authenticator for a combination that needs one and has none of its own.
  ///
  /// What is known to prevent the use of the sensor is said before the secret is asked for.
  private func openTyped(beside way: [AuthenticatorType], _ held: AccountAuthenticators) throws(Ending) {
    guard needsTyped(way), !held.opened.contains(where: \.type.isTyped) else { return }
    for type in way where !policy.configuration.countsAlone(type) {
      if let obstacle = try sensors.obstacle(to: type, held.account, in: held.directory) { throw obstacle.ending }
    }
    guard !way.contains(where: \.isTyped) else { return }
    _ = try open([try usualTyped(held)], held, canGoBack: false)
  }

  /// The typed authenticator that is asked for if the person has no choice: the one that was used last, or else the first.
  private func usualTyped(_ held: AccountAuthenticators) throws(Ending) -> AuthenticatorType {
    let typed = held.types.filter(\.isTyped)
    let accepted = typed.filter { !held.refused.contains($0) }
    let candidates = accepted.isEmpty ? typed : accepted
    let last = try? held.account.lastUsed()
    if let last, candidates.contains(last) { return last }
    guard let first = candidates.first else { throw Self.withoutTyped }
    return first
  }

  private static var withoutTyped: Ending {
    Ending(.biometryWithoutPasscode, log: "a face lets nobody in without a passcode or a pattern")
  }

  // MARK: A typed secret instead of a sensor

  /// Lets the call go on with a typed secret, after the sensor that it names could not be used, if root allows that.
  ///
  /// - Throws: `ending` if root does not allow it, or it ends the call for another reason.
  private func fallBack(after ending: Ending, _ held: AccountAuthenticators) throws(Ending) {
    guard policy.allowsValueAsFallback, let named = held.named, !named.isTyped, ending.types == [named],
      held.types.contains(where: \.isTyped)
    else { throw ending }
    // A program that answers every prompt with its only string has given it to the sensor's prompt.
    let isEntered = held.opened.contains(where: \.type.isTyped)
    guard policy.isInteractive || isEntered || !sensors.hasPrompted else { throw ending }
    try sensors.tellFallback(SensorObstacle(named, ending))
    held.fallBack()
  }
}
