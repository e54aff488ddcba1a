import Authenticator
import AuthenticatorTypes
import FidoResults
import SecretMemory
import UAFClient
import UAFMessages

/// The authenticators of one account in one call: which may be used, and which are already open.
@safe final class AccountAuthenticators {
  let account: AccountFile
  let directory: StateDirectory
  /// The enabled types for which the account has an authenticator, in the configuration's order.
  private(set) var types: [AuthenticatorType]
  /// The type that the call names; nil if it names none.
  private(set) var named: AuthenticatorType?
  /// Whether the call goes on with typed secrets, because the sensor that it names could not be used.
  private(set) var hasFallenBack = false
  /// The types whose keys the server is known to refuse.
  let refused: [AuthenticatorType]
  private(set) var opened: [UnlockedAuthenticatorBox] = []
  /// The authenticators whose keys sign; empty while that is not known.
  private var signing: [AuthenticatorType] = []
  private var attempts: [AuthenticatorType: Attempts] = [:]

  init(
    _ account: AccountFile, _ types: [AuthenticatorType], refused: [AuthenticatorType], named: AuthenticatorType?,
    in directory: consuming StateDirectory
  ) {
    self.account = account
    self.directory = directory
    self.types = types
    self.refused = types.filter(refused.contains)
    self.named = named
  }

  /// The types that may be used in a prompt: those that the server is not known to refuse.
  ///
  /// If the call names a type, or the server refuses every type, these are all types: the person then learns the reason from
  /// the server.
  var usable: [AuthenticatorType] {
    let usable = types.filter { !refused.contains($0) }
    return named != nil || usable.isEmpty ? types : usable
  }

  subscript(type: AuthenticatorType) -> UnlockedAuthenticatorBox? { opened.first { $0.type == type } }

  /// Whether every authenticator of this combination is open.
  func cover(_ way: [AuthenticatorType]) -> Bool { way.allSatisfy { self[$0] != nil } }

  /// The entries in this call for a type; before the first entry, `tries` are allowed.
  func attempts(_ type: AuthenticatorType, tries: Int) -> Attempts {
    let row = attempts[type] ?? Attempts(left: tries)
    attempts[type] = row
    return row
  }

  /// The types that an answer of the server is about: those that sign, or else those that are open.
  ///
  /// A secret that was only entered beside a face signs nothing.
  var answering: [AuthenticatorType] { signing.isEmpty ? opened.map(\.type) : signing }

  /// Determines which authenticators sign.
  func sign(with way: [AuthenticatorType]) { signing = way }

  /// From now on, the call uses typed secrets only, and names no type.
  func fallBack() {
    (named, hasFallenBack) = (nil, true)
    types.removeAll { !$0.isTyped }
  }

  /// Adds an authenticator that was opened.
  func add(_ unlocked: UnlockedAuthenticatorBox) { opened.append(unlocked) }

  /// The open types whose secret the current rules would refuse.
  var staleTypes: [AuthenticatorType] { opened.filter(\.valueIsStale).map(\.type) }
}

/// The entries in one call for one authenticator.
@safe final class Attempts {
  /// How many entries are left.
  private(set) var left: Int
  private var last: Secret?

  init(left: Int) {
    self.left = left
    last = nil
  }

  /// Counts one entry.
  func use() { left -= 1 }

  /// Whether this is the secret that was just counted as wrong.
  func isRepetition(_ value: borrowing Secret) -> Bool {
    switch last {
    case .some(let last): last.isEqual(to: value)
    case nil: false
    }
  }

  /// Remembers a wrong secret until the call ends.
  func note(_ value: borrowing Secret) {
    last = value.withBytes { try? Secret(copying: $0) }
  }
}

/// An open authenticator that several flows of one call may use, one after the other.
@safe final class UnlockedAuthenticatorBox {
  let authenticator: UnlockedAuthenticator
  /// Whether the current rules would refuse the secret that opened it.
  let valueIsStale: Bool
  /// The secret; nil unless a later step must compare it with a new one.
  private var value: Secret?

  init(_ authenticator: consuming UnlockedAuthenticator, valueIsStale: Bool = false, value: consuming Secret? = nil) {
    self.authenticator = authenticator
    self.valueIsStale = valueIsStale
    self.value = value
  }

  var type: AuthenticatorType { authenticator.type }

  /// Whether `other` is the secret that opened it; false if that secret was not kept.
  func wasOpened(with other: borrowing Secret) -> Bool {
    switch value {
    case .some(let value): value.isEqual(to: other)
    case nil: false
    }
  }
}

/// The KeyIDs of the keys that this machine may ask a server to delete: those that were made in this state folder.
///
/// Without this list, a server that does not distinguish machines would delete the keys of other machines too.
enum OwnKeys {
  /// The KeyIDs that were made here for an account, except those of `kept`.
  ///
  /// - Throws: ``Ending`` if the list cannot be read.
  static func keyIDs(
    of identity: AccountIdentity, held: [RegisteredKey], without kept: [RegisteredKey],
    in directory: borrowing StateDirectory
  ) throws(Ending) -> [KeyID] {
    let made: [[UInt8]]
    do throws(StateError) {
      made = try MadeKeys.keyIDs(of: identity.uid, serverUserName: identity.serverUserName, in: directory)
    } catch { throw Ending(error) }
    // Keys that an earlier version registered are not in the list, but in the account's file (`held`).
    var keyIDs: [[UInt8]] = []
    for keyID in made + held.map(\.keyID)
    where !keyIDs.contains(keyID) && !kept.contains(where: { $0.keyID == keyID }) {
      keyIDs.append(keyID)
    }
    return keyIDs.compactMap { try? KeyID(bytes: $0) }
  }

  /// The KeyIDs that were made here for the authenticators of a type; if `type` is nil, for all types.
  ///
  /// - Parameter held: the account's keys.
  /// - Throws: ``Ending`` if the list cannot be read.
  static func keyIDs(
    of identity: AccountIdentity, held: [RegisteredKey], ofType type: AuthenticatorType?,
    in directory: borrowing StateDirectory
  ) throws(Ending) -> [KeyID] {
    let kept = type.map { type in held.filter { $0.type != type } } ?? []
    return try keyIDs(of: identity, held: held, without: kept, in: directory)
  }
}
