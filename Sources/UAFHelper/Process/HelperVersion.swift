/// The version of uaf-helper.
enum HelperVersion {
  /// As it is printed, and told by *status*.
  static let current = "0.1.0"
}
