/// The release that all programs of an installation must have, and the text of `uafctl --version`.
package enum ToolVersion {
  /// The release.
  package static let number = "0.1.0"
  /// Program and release.
  package static let text = "uafctl (pam-uaf) \(number)"
}
