/// Which version this program is.
enum ServerVersion {
  static let number = "0.1.0"
}
