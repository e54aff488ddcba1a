import Authenticator
import FidoResults
import UAFClient
import UAFCrypto
import UAFMessages

/// The registered keys of an account: makes them ready to sign, and stores what the server says about them.
@safe final class KeyRecords {
  private let call: Call
  private let accounts: AccountAccess
  private let log: CallLog

  init(for call: Call, _ accounts: AccountAccess, _ log: CallLog) {
    self.call = call
    self.accounts = accounts
    self.log = log
  }

  /// Makes a key ready for one signature.
  ///
  /// Its next counter is on the disk before it signs.
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

  /// Clears the server's earlier status of keys that it has just accepted.
  ///
  /// A login does not fail if that cannot be written.
  ///
  /// - Throws: ``Ending`` where the keys cannot be read.
  func noteAccepted(_ account: AccountFile, _ types: [AuthenticatorType]) throws(Ending) {
    let refused = try accounts.keys(of: account).filter { $0.serverStatus != 0 }.map(\.type)
    try note(0, of: types.filter(refused.contains), account)
  }

  /// The ending where the server has seen a counter that this state folder has not reached: an older copy was restored.
  ///
  /// No second try helps. The counter is not raised, because the attempts and locks since that copy are lost as well. The key is
  /// marked, so that status and doctor can name it. Nil where another login of this person was faster: its counter is in this
  /// state folder.
  ///
  /// - Throws: ``Ending`` where the keys cannot be read.
  func olderState(_ refusal: Refusal, _ account: AccountFile) throws(Ending) -> Ending? {
    guard let seen = refusal.seenCounter,
      let key = try accounts.keys(of: account).first(where: { $0.keyID == seen.keyID.bytes }),
      key.signCounter < seen.signCounter
    else { return nil }
    try note(UAFKey.behindStatus, of: [key.type], account)
    return Ending(refusal).saying(
      .stateIsOlder,
      log:
        "the server has seen signature \(seen.signCounter) of the key, and this state folder counts \(key.signCounter): "
        + "an older copy was put back, or another machine has the key; 'uafctl repair --code FILE'")
  }

  /// Stores what a refusal says about the keys, and makes the ending from it.
  ///
  /// - Throws: ``Ending`` where the keys cannot be read.
  func noted(
    _ refusal: Refusal, _ account: AccountFile, _ types: [AuthenticatorType]
  ) throws(Ending) -> Ending {
    let ending = Ending(refusal)
    if refusal.spokenByServer, let status = refusal.serverStatus {
      try note(status, of: types, account)
    } else if !types.isEmpty {
      // A server that has none of this machine's keys names other keys of the model in its request.
      try note(UAFStatusCode.unknownKeyID.rawValue, of: ending.server.forgottenTypes, account)
    }
    // With several signatures the server does not say which key it means.
    let isOne = refusal.serverStatus == UAFStatusCode.unknownKeyID.rawValue && types.count == 1
    return isOne ? ending.forgetting(types) : ending
  }

  /// Stores by what the server knows this machine from now on.
  ///
  /// What was accepted stays accepted if that cannot be written: the server gives it again.
  ///
  /// - Parameter place: where the server is.
  func note(_ secret: MachineSecret?, of place: [UInt8], _ account: AccountFile) {
    guard let secret else { return }
    let record = MachineRecord(machineID: secret.machineID, secret: secret.secret, place: place)
    do throws(StateError) { try record.store(in: account) } catch {
      log.write(.state, "what this machine is known by at the server could not be kept: \(error)", .warning)
    }
  }

  /// Stores the server's status of the keys of some types.
  ///
  /// A login does not fail if that cannot be written.
  private func note(_ status: UInt32, of types: [AuthenticatorType], _ account: AccountFile) throws(Ending) {
    for key in try accounts.keys(of: account) where types.contains(key.type) {
      do throws(StateError) { try account.mark(key.keyID, serverStatus: status) } catch {
        log.write(.state, "the server's status \(status) could not be noted: \(error)", .warning)
      }
    }
  }
}
