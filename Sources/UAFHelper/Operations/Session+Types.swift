import Authenticator
import FidoResults
import UAFClient
import UAFConfiguration
import UAFCrypto
import UAFMessages
import UAFWire

extension Session {
  /// The types root has enabled and this version can verify, in the configuration's order.
  var enabledTypes: [AuthenticatorType] {
    configuration.authenticators.compactMap(\.type)
  }

  /// The type that this call names: the caller, root's module argument, or the service's settings.
  ///
  /// - Returns: nil if none does.
  /// - Throws: ``Ending``: 1012 for a type nobody knows, 2002 for one that root has not enabled or nobody has built.
  func namedType() throws(Ending) -> AuthenticatorType? {
    let named = begin.authenticator.map { String(decoding: $0, as: UTF8.self) }
    guard let wanted = named ?? arguments.authenticator ?? settings.authenticator else {
      guard !enabledTypes.isEmpty else {
        throw Ending(
          .noSuitableAuthenticator, because: .noneEnabled, log: "no authenticator that is built is enabled")
      }
      return nil
    }
    guard let type = AuthenticatorType(nameOrAAID: wanted) else {
      guard ConfiguredAuthenticator(rawValue: wanted) != nil else {
        var ending = Ending(.invalidAuthenticatorType, log: "no such authenticator type")
        ending.isRootsFault = named == nil
        if ending.isRootsFault { ending.text = .configurationError }
        throw ending
      }
      let log = "\(wanted) is not built"
      guard notBuilt == .noSuitableAuthenticator else { throw Ending(notBuilt, log: log) }
      throw Ending(notBuilt, because: named == nil ? .noneEnabled : .namedNotEnabled, log: log)
    }
    guard enabledTypes.contains(type) else {
      throw Ending(
        .noSuitableAuthenticator, because: named == nil ? .noneEnabled : .namedNotEnabled,
        log: "\(type.rawValue) is not in the configuration's authenticators")
    }
    return type
  }

  /// What a type that the system manages answers to each operation.
  private var notBuilt: FidoResult {
    switch begin.operation {
    case .change: .changeInvalid
    case .reset: .resetInvalidType
    default: .noSuitableAuthenticator
    }
  }

  /// Whose word it is that the server does not go along with: the caller's, or root's.
  var namedNotAccepted: EndCause { begin.authenticator == nil ? .configuredNotAccepted : .namedNotAccepted }

  /// Whether one call may ask more than one question.
  ///
  /// A program that answers every prompt with the one string it was given would enter it as a number of a list. Peers
  /// without root are asked once too; but for uafctl, whose name selects nothing else.
  var isInteractive: Bool { caller.isTool || caller.isRoot && settings.prompt.interactive == true }

  /// The enabled types that have a value.
  func enrolledTypes(_ account: AccountFile) throws(Ending) -> [AuthenticatorType] {
    var types: [AuthenticatorType] = []
    for type in enabledTypes where try isEnrolled(account, type) { types.append(type) }
    return types
  }

  /// Whether the account has a value of any type, enabled or not.
  func isInUse(_ account: AccountFile) throws(Ending) -> Bool {
    for type in AuthenticatorType.allCases where try isEnrolled(account, type) { return true }
    return false
  }

  /// Whether the account has a value of this type.
  func isEnrolled(_ account: AccountFile, _ type: AuthenticatorType) throws(Ending) -> Bool {
    do throws(StateError) { return try account.authenticator(type) != nil } catch { throw Ending(error) }
  }

  /// The enabled types whose every key is dead at the server, as far as is known here.
  func deadTypes(_ account: AccountFile) throws(Ending) -> [AuthenticatorType] {
    let keys = try keys(of: account)
    return enabledTypes.filter { type in
      let own = keys.filter { $0.type == type }
      return !own.isEmpty && own.allSatisfy(\.isDead)
    }
  }

  func keys(of account: AccountFile) throws(Ending) -> [UAFKey] {
    do throws(StateError) { return try account.keys() } catch { throw Ending(error) }
  }

  /// The type that is asked for without a question, and before the server has said what it wants.
  ///
  /// - Returns: nil where the person has to choose.
  /// - Throws: ``Ending`` (2002) where nobody can.
  func firstType(of held: AccountAuthenticators) throws(Ending) -> AuthenticatorType? {
    if let named = held.named { return named }
    if hidesState || !isInteractive, held.types.count > 1 {
      let last: AuthenticatorType?
      do throws(StateError) { last = try held.account.lastUsed() } catch {
        guard hidesState else { throw Ending(error) }
        last = nil
      }
      if let last, held.types.contains(last) { return last }
      guard !hidesState else { return held.types.first }
      throw Ending(
        .noSuitableAuthenticator, because: .severalFit,
        log: "several authenticators and one prompt: name one (argument authenticator, or the service's)")
    }
    return held.types.count == 1 && !offersNewRegistration ? held.types.first : nil
  }

  /// Whether the list of authenticators has registering anew as its last entry.
  var offersNewRegistration: Bool {
    // A server that judges no codes would let anybody choose a new value.
    settings.prompt.offersReset && begin.operation == .authenticate && isInteractive && !hidesState
      && configuration.server?.dialect != .plain
  }
}
