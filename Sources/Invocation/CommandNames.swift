import ArgumentParser

/// The names of a program's commands.
public struct CommandNames {
  private let root: any ParsableCommand.Type
  /// Options of the program itself, which take a value and stand before a command.
  private let valued: [String]

  /// The commands of `root`, whose own options in `valued` take a value.
  public init(_ root: any ParsableCommand.Type, valued: [String] = []) {
    self.root = root
    self.valued = valued
  }

  /// What `help` is asked to explain and cannot, in the arguments of the program.
  ///
  /// The parser would explain the part that it knows.
  public func unknownTopic(in arguments: [String]) -> UnknownCommand? {
    var rest = arguments[...]
    while let option = rest.first, option.hasPrefix("-") { rest = rest.dropFirst(valued.contains(option) ? 2 : 1) }
    guard rest.popFirst() == "help" else { return nil }
    var parents = [root]
    for word in rest where !word.hasPrefix("-") && (word != "help" || parents.count > 1) {
      guard let next = Self.child(word, of: parents[parents.count - 1]) else { return unknown(word, below: parents) }
      parents.append(next)
    }
    return nil
  }

  /// The word that the parser took for an argument too many, where it stands in the place of a command.
  ///
  /// - Parameters:
  ///   - message: what the parser says of its error.
  ///   - path: the program and the commands that it had read by then.
  public func unknownCommand(by message: String, after path: [String]) -> UnknownCommand? {
    guard let start = Self.beginnings.lazy.compactMap({ message.firstRange(of: $0) }).first else { return nil }
    let word = String(message[start.upperBound...].prefix { $0 != "'" })
    var parents = [root]
    for name in path.dropFirst() {
      guard let next = Self.child(name, of: parents[parents.count - 1]) else { return nil }
      parents.append(next)
    }
    guard !parents[parents.count - 1].configuration.subcommands.isEmpty else { return nil }
    return unknown(word, below: parents)
  }

  // What the parser says of one such argument, and of several.
  private static let beginnings = ["Unexpected argument '", " unexpected arguments: '"]

  private func unknown(_ word: String, below parents: [any ParsableCommand.Type]) -> UnknownCommand {
    let path = parents.map(Self.name)
    let names = parents[parents.count - 1].configuration.subcommands.map(Self.name)
    let near = NearName.of(word, among: names).map { path + [$0] } ?? place(of: word)
    return UnknownCommand(word: word, parents: path, suggestion: near?.joined(separator: " "))
  }

  /// Where a command of exactly this name stands below another one.
  private func place(of word: String) -> [String]? {
    for command in root.configuration.subcommands where Self.child(word, of: command) != nil {
      return [Self.name(root), Self.name(command), word]
    }
    return nil
  }

  private static func child(_ name: String, of command: any ParsableCommand.Type) -> (any ParsableCommand.Type)? {
    command.configuration.subcommands.first { Self.name($0) == name }
  }

  private static func name(_ command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }
}
