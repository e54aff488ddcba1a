/// A line of one of the files that make up a configuration.
struct ConfigurationLine: Equatable {
  /// The file, for errors.
  let path: String
  /// The line, from 1.
  let number: Int
}
