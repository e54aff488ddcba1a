import FidoResults
import SecretMemory

/// A device key that a chip has opened, for as long as a call lasts.
final class OpenedKey {
  private let secret: Secret

  init(_ secret: consuming Secret) { self.secret = secret }

  /// The same key in memory of its own.
  ///
  /// - Throws: ``Ending`` if there is no memory.
  func copy() throws(Ending) -> Secret {
    let copy = secret.withBytes { span in try? Secret(copying: span) }
    guard let copy else { throw Ending(.cannotUse, log: "no memory for the device key") }
    return copy
  }
}
