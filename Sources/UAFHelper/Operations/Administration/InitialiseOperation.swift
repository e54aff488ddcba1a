import Authenticator
import FidoResults
import SecretMemory
import UAFConfiguration

/// Makes the machine's state and its device key; only root may.
struct InitialiseOperation: CallOperation {
  let folder: StateFolder
  let sealing: KeySealing

  /// Makes the folder, before the sandbox hides its parent.
  ///
  /// - Throws: ``Ending`` with a text for root.
  static func makeFolder(_ folder: StateFolder) throws(Ending) {
    try telling { () throws(StateError) in try StateDirectory.make(folder.path) }
  }

  func run() throws(Ending) -> Success {
    guard sealing.source.isToSeal else { return Self.success(folder, try make(sealing: nil)) }
    var ended: Result<SealedDeviceKey, Ending>?
    do throws(Ending) {
      let isMade = try make { key in
        let sealed = Result { () throws(Ending) in try sealing.seal(key) }
        ended = sealed
        return try? sealed.get()
      }
      guard isMade, case .success(let sealed) = ended else { return Self.success(folder, isMade) }
      return Success(detail: KeySealing.told("initialised \(folder.path)", hasRecovery: sealed.recovery != nil))
    } catch {
      guard case .failure(let why) = ended else { throw error }
      guard sealing.source.use == .ifAvailable, why.isWithoutChip else { throw why }
      return Self.success(folder, try make(sealing: nil))
    }
  }

  private func make(sealing seal: ((borrowing Secret) -> SealedDeviceKey?)?) throws(Ending) -> Bool {
    try Self.telling { () throws(StateError) in
      try StateDirectory.initialise(folder.path, owner: folder.owner, sealing: seal)
    }
  }

  private static func success(_ folder: StateFolder, _ isMade: Bool) -> Success {
    // Without a text the front end knows that nothing was made.
    Success(detail: isMade ? "initialised \(folder.path)" : nil)
  }

  private static func telling<Value>(_ body: () throws(StateError) -> Value) throws(Ending) -> Value {
    do throws(StateError) { return try body() } catch {
      throw Ending(.cannotUse, detail: "\(error)", log: "\(error)")
    }
  }
}
