import Authenticator
import FidoResults
import UAFClient
import UAFMessages

/// The authenticators of one login: has the person open them, and makes them ready to sign the request.
struct LoginSigners {
  /// A time before the answer was sent that the verdict refers to.
  private(set) var answered: BootTime?
  /// The keys that have signed the request.
  private(set) var signed: [UAFKey] = []
  private let held: AccountAuthenticators
  private let tools: AuthenticationTools
  /// Those that are still to sign the request.
  private var way: [AuthenticatorType] = []

  init(_ held: AccountAuthenticators, _ tools: AuthenticationTools) {
    self.held = held
    self.tools = tools
  }

  /// What the server's policy is compared with.
  ///
  /// - Throws: ``Ending`` where the keys cannot be read.
  func described() throws(Ending) -> [AuthenticatorDescription] {
    AuthenticatorDescription.all(of: held.types, keys: try keys())
  }

  /// Opens the authenticator that is asked for without a choice, if there is one.
  ///
  /// - Throws: ``Ending``.
  func openFirst() throws(Ending) -> LoginEvent {
    guard let first = try tools.opener.firstType(of: held) else { return .leftToChoose }
    try tools.opener.openFirst(first, of: held)
    return .verified
  }

  /// Opens any authenticator.
  ///
  /// - Throws: ``Ending``.
  func openAny() throws(Ending) -> LoginEvent {
    if case .way = try tools.opener.openAny(of: held) { .verified } else { .registerAnewChosen }
  }

  /// Opens what the request needs and is not open yet.
  ///
  /// - Throws: ``Ending``.
  mutating func openWay(of offer: AuthenticationOffer?) throws(Ending) -> LoginEvent {
    guard let offer else { throw .outOfTurn(in: "login") }
    do throws(Ending) {
      guard case .way(let way) = try tools.opener.open(offer, held) else { return .registerAnewChosen }
      (self.way, answered, signed) = (way, tools.now(), [])
      return .wayOpen(signatures: way.count)
    } catch { throw error.forgetting(AuthenticatorType.all(named: offer.leftOut)) }
  }

  /// The next one's key, ready for one signature.
  ///
  /// - Throws: ``Ending``.
  mutating func next(for offer: AuthenticationOffer?) throws(Ending) -> KeySigner {
    guard let offer, let type = way.first else { throw .outOfTurn(in: "login") }
    way.removeFirst()
    guard let key = offer.key(of: type, among: try keys()) else {
      throw Ending(.noSuitableAuthenticator, because: .keysNotHere, log: "the server asks for keys that are not here")
    }
    guard let unlocked = held[type] else { throw Ending(.cannotUse, log: "the authenticator is not open") }
    signed.append(key)
    return try tools.keys.signer(key, held.account, unlocked)
  }

  private func keys() throws(Ending) -> [UAFKey] { try tools.accounts.keys(of: held.account) }
}
