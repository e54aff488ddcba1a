import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration

/// Moves the device key from the chip into a file; only root may.
struct UnsealOperation: CallOperation {
  let folder: StateFolder
  let source: DeviceKeySource

  func run() throws(Ending) -> Success {
    guard source.use != .require else {
      throw Ending(.invalidParameter, because: .chipDemanded, log: "[tpm] use = \"require\": the key stays in the chip")
    }
    let move = try folder.beginMove()
    let opened = try source.key()
    do throws(StateError) {
      // Both forms are there where an earlier move was killed: this one ends it.
      guard try move.isSealed() else { throw StateError.keyElsewhere(path: folder.path) }
      if let opened { try move.keepInFile(opened) } else { try move.keepInFile(try move.keyInFile()) }
    } catch { throw Ending(moving: error) }
    return Success(detail: "unsealed: the device key lies in a file, and a recovery key is of no use any more")
  }
}
