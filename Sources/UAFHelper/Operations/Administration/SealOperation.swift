import Authenticator
import FidoResults
import SecretMemory

/// Moves the device key from its file into the chip; only root may.
struct SealOperation: CallOperation {
  let folder: StateFolder
  let sealing: KeySealing

  func run() throws(Ending) -> Success {
    guard sealing.source.isToSeal else {
      throw Ending(.invalidParameter, because: .chipNotUsed, log: "[tpm] use = \"off\": no chip is used")
    }
    let move = try folder.beginMove()
    let key: Secret
    do throws(StateError) { key = try move.keyInFile() } catch { throw Ending(moving: error) }
    let sealed = try sealing.seal(key)
    do throws(StateError) {
      try move.keepSealed(sealed.bytes, recovery: sealed.recovery)
      return Success(detail: KeySealing.told("sealed", hasRecovery: try move.recovery() != nil))
    } catch { throw Ending(moving: error) }
  }
}
