/// The program's version, as `--version` prints it.
enum FingerVersion {
  static let current = "0.1.0"
}
