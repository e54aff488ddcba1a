/// The version of this program.
enum ServerVersion {
  static let current = "0.1.0"
}
