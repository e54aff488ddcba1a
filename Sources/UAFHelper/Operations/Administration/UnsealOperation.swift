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
    try requireNoShares()
    let move = try folder.beginMove()
    let opened = try source.key()
    do throws(StateError) {
      // Both forms are there where an earlier move was killed: this one ends it.
      guard try move.isSealed() else { throw StateError.keyElsewhere(path: folder.path) }
      if let opened { try move.keepInFile(opened) } else { try move.keepInFile(try move.keyInFile()) }
    } catch { throw Ending(moving: error) }
    return Success(detail: "unsealed: the device key lies in a file, and a recovery key is of no use any more")
  }

  /// Refuses where keys of accounts need the chip: what comes after *unseal* is often a chip that is cleared or replaced.
  private func requireNoShares() throws(Ending) {
    let directory = try folder.open()
    let counted: [UInt32]
    do throws(StateError) { counted = try AccountShares.accounts(in: directory) } catch { throw Ending(moving: error) }
    guard counted.isEmpty else {
      let named = counted.map(String.init).joined(separator: ", ")
      throw Ending(
        .invalidParameter, because: .indicesInUse, log: "the chip counts wrong values of these accounts: \(named)")
    }
  }
}
