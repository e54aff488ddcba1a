/// Where a text is not TOML, and why.
struct TOMLError: Error, Equatable {
  /// The line, from 1.
  let line: Int
  /// What is wrong there.
  let problem: String
}
