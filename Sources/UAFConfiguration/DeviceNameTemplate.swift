import FidoResults

/// The name of this machine at the server: `device_name`.
public struct DeviceNameTemplate: Equatable, Sendable {
  private let text: String

  /// The longest name, in code points.
  public static let maximumLength = 64

  static let words = "a text of 1 to \(maximumLength) characters on one line, in which {hostname} may stand"

  /// Makes a template of a text; nil if it has characters that control a terminal.
  ///
  /// Any other brace is refused, because it looks like a placeholder that does not exist.
  public init?(_ text: String) {
    let parts = text.split(separator: Self.placeholder, omittingEmptySubsequences: false)
    guard !text.isEmpty, Text.cleaned(text, limit: Self.maximumLength) == text,
      !parts.contains(where: { $0.contains("{") || $0.contains("}") })
    else { return nil }
    self.text = text
  }

  /// The name of a machine, cut at ``maximumLength``; nil where nothing is left.
  public func name(hostName: String) -> String? {
    let name = text.split(separator: Self.placeholder, omittingEmptySubsequences: false).joined(separator: hostName)
    let cleaned = Text.cleaned(name, limit: Self.maximumLength)
    return cleaned.isEmpty ? nil : cleaned
  }

  private static let placeholder = "{hostname}"
}
