/// What `--version` says.
enum ToolVersion {
  /// The release.
  static let number = "0.1.0"
  /// Program and release.
  static let text = "uafctl (pam-uaf) \(number)"
}
