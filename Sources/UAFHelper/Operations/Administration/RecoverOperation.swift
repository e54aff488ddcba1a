import Authenticator
import FidoResults
import SecretMemory

/// Opens the device key with the recovery key, and seals it with the chip that is there now; only root may.
///
/// Where root's configuration uses no chip, the key goes into a file.
struct RecoverOperation: CallOperation {
  let folder: StateFolder
  let source: DeviceKeySource
  let prompter: Prompter

  func run() throws(Ending) -> Success {
    let move = try folder.beginMove()
    let kept: [UInt8]?
    do throws(StateError) { kept = try move.recovery() } catch { throw Ending(moving: error) }
    guard let kept else { throw Ending(.invalidParameter, because: .recoveryNone, log: "no recovery key was made") }
    let key = try open(kept)
    let sealed = source.isToSeal ? try source.seal(key) : nil
    do throws(StateError) {
      if let sealed { try move.keepSealed(sealed, recovery: nil) } else { try move.keepInFile(key) }
    } catch { throw Ending(moving: error) }
    let told =
      sealed == nil
      ? "recovered: the device key lies in a file, since [tpm] use = \"off\""
      : "recovered: the device key is sealed by this machine's chip; the recovery key stays valid"
    return Success(detail: told + (try lostAccounts(key)))
  }

  /// What root is told of accounts whose keys need a share: those that another chip has are lost.
  private func lostAccounts(_ key: consuming Secret) throws(Ending) -> String {
    let counted: [UInt32]
    do throws(StateError) {
      counted = try AccountShares.accounts(
        in: try StateDirectory(folder.path, owner: folder.owner, unsealed: key))
    } catch { throw Ending(moving: error) }
    guard !counted.isEmpty else { return "" }
    let named = counted.map(String.init).joined(separator: ", ")
    return
      "; a chip counts wrong values of these accounts: if it was another chip or was cleared, reset them and register them "
      + "anew: \(named)"
  }

  private func open(_ kept: [UInt8]) throws(Ending) -> Secret {
    let words = try prompter.askRecoveryKey()
    let key: Secret?
    do throws(StateError) { key = try RecoveryKey.open(kept, with: words) } catch { throw Ending(moving: error) }
    guard let key else { throw .wrongRecoveryKey }
    return key
  }
}
