import Authenticator
import FidoResults
import SecretMemory

/// Opens the device key with the recovery key, and seals it with the chip that is there now; only root may.
///
/// Where root's configuration uses no chip, the key goes into a file. Accounts whose shares this chip does not have go on by the
/// copies that the same words open. The key comes first and what the words open goes last: if this is killed, the same command
/// ends it.
struct RecoverOperation: CallOperation {
  let folder: StateFolder
  let source: DeviceKeySource
  let accounts: AccountAccess
  let prompter: Prompter

  func run() throws(Ending) -> Success {
    let move = try folder.beginMove()
    let kept: [UInt8]?
    do throws(StateError) { kept = try move.recovery() } catch { throw Ending(moving: error) }
    guard let kept else { throw Ending(.invalidParameter, because: .recoveryNone, log: "no recovery key was made") }
    let words = try prompter.askRecoveryKey()
    let key = try opened(kept, words)
    let shares = try copies(words)
    return source.isToSeal ? try seal(key, move, words, shares) : try keepInFile(key, move, shares)
  }

  private func opened(_ kept: [UInt8], _ words: borrowing Secret) throws(Ending) -> Secret {
    let key: Secret?
    do throws(StateError) { key = try RecoveryKey.open(kept, with: words) } catch { throw Ending(moving: error) }
    guard let key else { throw .wrongRecoveryKey }
    return key
  }

  private func copies(_ words: borrowing Secret) throws(Ending) -> ShareRecovery {
    let shares: ShareRecovery?
    do throws(StateError) { shares = try ShareRecovery(words) } catch { throw Ending(moving: error) }
    guard let shares else { throw .wrongRecoveryKey }
    return shares
  }

  private func seal(
    _ key: consuming Secret, _ move: borrowing KeyMove, _ words: borrowing Secret, _ shares: borrowing ShareRecovery
  ) throws(Ending) -> Success {
    let sealed = try source.seal(key)
    do throws(StateError) {
      // Written anew: one of an earlier version gets a public key for copies.
      try move.keepSealed(sealed, recovery: try RecoveryKey.seal(key, under: words))
    } catch { throw Ending(moving: error) }
    let told = Self.told(try release(shares, key))
    return Success(
      detail: "recovered: the device key is sealed by this machine's chip; the recovery key stays valid" + told)
  }

  private func keepInFile(
    _ key: consuming Secret, _ move: borrowing KeyMove, _ shares: borrowing ShareRecovery
  ) throws(Ending) -> Success {
    do throws(StateError) { try move.putInFile(key) } catch { throw Ending(moving: error) }
    let told = Self.told(try release(shares, key))
    do throws(StateError) { try move.removeSealed() } catch { throw Ending(moving: error) }
    return Success(detail: "recovered: the device key lies in a file, since [tpm] use = \"off\"" + told)
  }

  private func release(
    _ shares: borrowing ShareRecovery, _ key: consuming Secret
  ) throws(Ending) -> RecoveredShares {
    let directory = try folder.open(with: key)
    do throws(StateError) { return try shares.release(in: directory) } catch {
      let ending = accounts.ending(for: error)
      guard error != .share else { throw ending }
      throw Ending(moving: error)
    }
  }

  /// What root is told of accounts whose wrong values a chip has counted.
  private static func told(_ found: RecoveredShares) -> String {
    var told = ""
    if !found.kept.isEmpty {
      told += "; \(count(found.kept)) as before: this chip has counted for them, and still does"
    }
    if !found.released.isEmpty {
      told +=
        "; \(count(found.released)) with the same values: this machine alone counts wrong ones until they are changed"
    }
    if !found.lost.isEmpty {
      let numbers = found.lost.map(String.init).joined(separator: ", ")
      told +=
        "; neither this chip nor the recovery key has the shares of these accounts, so reset them and register them "
        + "anew: \(numbers)"
    }
    return told
  }

  private static func count(_ accounts: [UInt32]) -> String {
    accounts.count == 1 ? "1 account goes on" : "\(accounts.count) accounts go on"
  }
}
