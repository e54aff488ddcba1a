/// The program's version, as `--version` prints it.
enum NameVersion {
  static let current = "0.1.0"
}
