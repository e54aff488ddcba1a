import Authenticator
import FidoResults

/// Makes the machine's state and its device key; only root may.
struct InitialiseOperation: CallOperation {
  let folder: StateFolder

  /// Makes the folder, before the sandbox hides its parent.
  ///
  /// - Throws: ``Ending`` with a text for root.
  static func makeFolder(_ folder: StateFolder) throws(Ending) {
    try telling { () throws(StateError) in try StateDirectory.make(folder.path) }
  }

  func run() throws(Ending) -> Success {
    let made = try Self.telling { () throws(StateError) in
      try StateDirectory.initialise(folder.path, owner: folder.owner)
    }
    return Success(
      detail: made ? "initialised \(folder.path)" : "\(folder.path) was initialised before; its key is kept")
  }

  private static func telling<Value>(_ body: () throws(StateError) -> Value) throws(Ending) -> Value {
    do throws(StateError) { return try body() } catch {
      throw Ending(.cannotUse, detail: "\(error)", log: "\(error)")
    }
  }
}
