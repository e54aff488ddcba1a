/// The program's version, as `--version` prints it and the User-Agent header names it.
enum Version {
  static let current = "0.1.0"
}
