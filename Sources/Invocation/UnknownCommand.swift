/// A word of a command line that is none of the commands it stands among.
public struct UnknownCommand: Error, Equatable, Sendable {
  /// The word.
  public let word: String
  /// The program, and the commands before the word.
  public let parents: [String]
  /// The command that was probably meant, with all that stands before it; nil where none is near.
  public let suggestion: String?
  /// The command line that lists those there are.
  public var list: String { ([parents[0], "help"] + parents.dropFirst()).joined(separator: " ") }
}

extension UnknownCommand: CustomStringConvertible {
  /// What failed.
  public var description: String { "no such command: \((parents.dropFirst() + [word]).joined(separator: " "))" }
  /// What to do about it.
  public var hint: String { suggestion.map { "did you mean '\($0)'?" } ?? "'\(list)' lists the commands" }
}
