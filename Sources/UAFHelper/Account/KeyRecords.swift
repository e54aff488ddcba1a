import Authenticator
import FidoResults
import UAFClient
import UAFCrypto
import UAFMessages

/// The registered keys of an account: makes them ready to sign, and keeps what the server says of them.
@safe final class KeyRecords {
  private let call: Call
  private let accounts: AccountAccess
  private let log: CallLog

  init(for call: Call, _ accounts: AccountAccess, _ log: CallLog) {
    self.call = call
    self.accounts = accounts
    self.log = log
  }

  /// The key with its next counter, on disk before anything is signed with it.
  ///
  /// - Throws: ``Ending``.
  func signer(
    _ key: UAFKey, _ account: AccountFile, _ unlocked: UnlockedAuthenticatorBox
  ) throws(Ending) -> KeySigner {
    do {
      let counter = try account.nextSignCounter(key.keyID)
      return try KeySigner(key, counter: counter, nonce: RandomBytes.make(16), unlocked: unlocked)
    } catch let error as StateError { throw Ending(error) } catch { throw Ending(.cannotUse, log: "\(error)") }
  }

  /// Takes back what was noted of keys that the server has just accepted; a login does not fail for it.
  ///
  /// - Throws: ``Ending`` where the keys cannot be read.
  func noteAccepted(_ account: AccountFile, _ types: [AuthenticatorType]) throws(Ending) {
    let refused = try accounts.keys(of: account).filter { $0.serverStatus != 0 }.map(\.type)
    try note(0, of: types.filter(refused.contains), account)
  }

  /// The ending where the server has seen a signature that this state folder never made: an older copy was put back.
  ///
  /// No second try helps. The counter is not caught up with, because what was counted and locked in between is lost here too.
  /// Nil where another login of this person was merely faster: its counter stands here as well.
  ///
  /// - Throws: ``Ending`` where the keys cannot be read.
  func olderState(_ refusal: Refusal, _ account: AccountFile) throws(Ending) -> Ending? {
    guard let seen = refusal.seenCounter,
      let key = try accounts.keys(of: account).first(where: { $0.keyID == seen.keyID.bytes }),
      key.signCounter < seen.signCounter
    else { return nil }
    var ending = try noted(refusal, account, [key.type])
    ending.text = .stateIsOlder(user: call.shownName)
    ending.log =
      "the server has seen signature \(seen.signCounter) of the key, and this state folder counts \(key.signCounter): an older "
      + "copy was put back; 'uafctl reset', then register again"
    return ending
  }

  /// The ending for a refusal, after what the server said of the key was noted.
  ///
  /// - Throws: ``Ending`` where the keys cannot be read.
  func noted(
    _ refusal: Refusal, _ account: AccountFile, _ types: [AuthenticatorType]
  ) throws(Ending) -> Ending {
    var ending = Ending(refusal)
    if refusal.spokenByServer, let status = refusal.serverStatus {
      try note(status, of: types, account)
    } else if !types.isEmpty {
      // A request that names other keys of a model is how a server asks that has none of this machine's.
      try note(UAFStatusCode.unknownKeyID.rawValue, of: ending.forgottenTypes, account)
    }
    // With several signatures it is not told whose key it was.
    if refusal.serverStatus == UAFStatusCode.unknownKeyID.rawValue, types.count == 1 { ending.forgottenTypes = types }
    return ending
  }

  /// Notes the server's status of the keys of some types; a login does not fail for it.
  private func note(_ status: UInt32, of types: [AuthenticatorType], _ account: AccountFile) throws(Ending) {
    for key in try accounts.keys(of: account) where types.contains(key.type) {
      do throws(StateError) { try account.mark(key.keyID, serverStatus: status) } catch {
        log.write(.state, "the server's status \(status) could not be noted: \(error)", .warning)
      }
    }
  }
}
