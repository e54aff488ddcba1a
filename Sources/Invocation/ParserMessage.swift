import ArgumentParser

/// What the parser says of a command line it cannot read, taken apart.
public struct ParserMessage {
  /// What is wrong.
  public let problem: String
  /// How the command is used, a line or more.
  public let usage: String
  /// The program and the commands that were read before the mistake.
  public let path: [String]

  /// - Parameter error: what parsing by `root` threw.
  public init(_ error: any Error, by root: (some ParsableCommand).Type) {
    problem = root.message(for: error)
    let full = root.fullMessage(for: error)
    usage = full.firstRange(of: "\nUsage: ").map { String(full[full.index(after: $0.lowerBound)...]) } ?? ""
    let more = full.split(separator: "\n").last.map(String.init) ?? ""
    let words = more.firstRange(of: "See '").map { more[$0.upperBound...].prefix { $0 != "'" } } ?? ""
    path = words.split(separator: " ").map(String.init).filter { !$0.hasPrefix("-") }
  }
}
