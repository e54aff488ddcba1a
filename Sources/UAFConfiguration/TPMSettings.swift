/// `[tpm]`: whether a chip holds the device key, and where the chip is.
public struct TPMSettings: Equatable, Sendable {
  /// Where a new device key goes, and which ones are used.
  public enum Use: String, CaseIterable, Sendable {
    /// New keys lie in a file.
    case off
    /// A chip seals a new key, if there is one.
    case ifAvailable = "if_available"
    /// No login uses a key that lies in a file.
    case require
  }

  /// Where a new device key goes, and which ones are used.
  ///
  /// A key that a chip has sealed is opened by the chip whatever this says.
  public internal(set) var use = Use.off
  /// The path of the chip's device or socket; empty for ``defaultPlace``.
  public internal(set) var tcti = ""
  /// Whether a value may be set only where the chip counts wrong ones; otherwise this machine alone counts them if it cannot.
  public internal(set) var requiresPINIndex = false

  /// The kernel's device, which several programs can use at once.
  public static let defaultPlace = "/dev/tpmrm0"

  /// The path of the chip's device or socket.
  public var place: String { tcti.isEmpty ? Self.defaultPlace : tcti }

  static let placeWords = "the absolute path of a TPM's device or socket, at most 107 bytes long, or empty"

  static var settings: [Setting<TPMSettings>] {
    [
      .choice("use", \.use),
      .text("tcti", \.tcti, allowed: placeWords) { text in
        guard text.isEmpty || (AllowedText.absolutePath(text) != nil && text.utf8.count <= 107) else { return nil }
        return text
      },
      .boolean("require_pin_index", \.requiresPINIndex),
    ]
  }
}
