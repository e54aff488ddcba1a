/// The version of uaf-helper.
enum HelperVersion {
  /// As `--version` and *status* report it.
  static let current = "0.1.0"
}
