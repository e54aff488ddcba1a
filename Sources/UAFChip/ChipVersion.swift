/// The version that `--version` prints.
enum ChipVersion {
  static let current = "0.1.0"
}
