// Purpose of this target: how uafctl and uaf-server parse a command line, and how they end. They share the exit statuses, the
// words for a command that does not exist, and the check that a result was written. Nothing here knows what a command does.

import ArgumentParser
import Glibc
import HostSystem
import Synchronization

/// The names of a program's commands.
public struct CommandNames {
  private let root: any ParsableCommand.Type
  /// Options of the program itself, which take a value and come before a command.
  private let valued: [String]

  /// The commands of `root`, whose own options in `valued` take a value.
  public init(_ root: any ParsableCommand.Type, valued: [String] = []) {
    self.root = root
    self.valued = valued
  }

  /// The topic in the program's arguments that `help` should explain but cannot.
  ///
  /// For such a topic, the parser would explain only the part that it knows.
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

  /// The word that the parser treated as an extra argument, if it is in the position of a command.
  ///
  /// - Parameters:
  ///   - mistake: the parser's error.
  ///   - path: the program and the commands that it had read before the error.
  public func unknownCommand(by mistake: CommandLineMistake, after path: [String]) -> UnknownCommand? {
    guard case .unexpectedArguments(let words) = mistake, let word = words.first else { return nil }
    var parents = [root]
    for name in path.dropFirst() {
      guard let next = Self.child(name, of: parents[parents.count - 1]) else { return nil }
      parents.append(next)
    }
    guard !parents[parents.count - 1].configuration.subcommands.isEmpty else { return nil }
    return unknown(word, below: parents)
  }

  private func unknown(_ word: String, below parents: [any ParsableCommand.Type]) -> UnknownCommand {
    let path = parents.map(Self.name)
    let names = parents[parents.count - 1].configuration.subcommands.map(Self.name)
    let near = NearName.of(word, among: names).map { path + [$0] } ?? place(of: word)
    return UnknownCommand(word: word, parents: path, suggestion: near?.joined(separator: " "))
  }

  /// The path of a command with exactly this name below a different command.
  private func place(of word: String) -> [String]? {
    for command in root.configuration.subcommands where Self.child(word, of: command) != nil {
      return [Self.name(root), Self.name(command), word]
    }
    return nil
  }

  private static func child(_ name: String, of command: any ParsableCommand.Type) -> (any ParsableCommand.Type)? {
    command.configuration.subcommands.first { Self.name($0) == name }
  }

  static func name(_ command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }
}

/// Finds the name that a word probably means if it is not one of the names.
enum NearName {
  // With more mistakes than this it is a different word.
  private static let mostMistakes = 2

  /// The name that begins with `word`, or else the name with the fewest differences from it; nil if none is near.
  static func of(_ word: String, among names: [String]) -> String? {
    let begun = names.filter { word.count >= 2 && $0.hasPrefix(word) }
    if begun.count == 1 { return begun.first }
    let allowed = min(mostMistakes, word.count / 2)
    let near = names.map { (name: $0, mistakes: mistakes(from: Array(word), to: Array($0))) }
    return near.filter { $0.mistakes <= allowed }.min { $0.mistakes < $1.mistakes }?.name
  }

  /// How many letters are missing, too many, wrong, or swapped with their neighbour.
  private static func mistakes(from word: [Character], to name: [Character]) -> Int {
    // The last three rows of the usual table of edit distances: an entry is the distance between a prefix of the word and a
    // prefix of the name.
    var before: [Int] = []
    var above = Array(0...name.count)
    for (row, letter) in word.enumerated() {
      var current = [row + 1]
      for (column, other) in name.enumerated() {
        var least = min(above[column + 1] + 1, current[column] + 1, above[column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == name[column - 1], word[row - 1] == other {
          least = min(least, before[column - 1] + 1)
        }
        current.append(least)
      }
      (before, above) = (above, current)
    }
    return above[name.count]
  }
}

/// A word of a command line that is not one of the commands in its position.
public struct UnknownCommand: Error, Equatable, Sendable {
  /// The word.
  public let word: String
  /// The program, and the commands before the word.
  public let parents: [String]
  /// The command that was probably meant, with everything before it; nil if none is near.
  public let suggestion: String?
  /// The command line that lists the existing commands.
  public var list: String { ([parents[0], "help"] + parents.dropFirst()).joined(separator: " ") }
}

extension UnknownCommand: CustomStringConvertible {
  /// What failed.
  public var description: String { "no such command: \((parents.dropFirst() + [word]).joined(separator: " "))" }
  /// What to do about it.
  public var hint: String { suggestion.map { "did you mean '\($0)'?" } ?? "'\(list)' lists the commands" }
}

/// The parts of the parser's message about a command line that it cannot read.
public struct ParserMessage {
  /// What is wrong.
  public let mistake: CommandLineMistake
  /// The parser's text about it.
  public let problem: String
  /// How the command is used, a line or more.
  public let usage: String
  /// The program and the commands that were read before the mistake.
  public let path: [String]

  /// - Parameter error: the error that parsing with `root` threw.
  public init(_ error: any Error, by root: (some ParsableCommand).Type) {
    mistake = CommandLineMistake(error)
    problem = root.message(for: error)
    let commands = CommandLineMistake.commands(of: error) ?? [root]
    usage = root.usageString(for: commands.last ?? root)
    path = commands.map(CommandNames.name)
  }
}

/// The exit statuses of uafctl and of uaf-server.
public enum ExitStatus: CInt, CaseIterable, Sendable {
  /// The command succeeded.
  case success = 0
  /// The core or the server refused, there is no such account, or a check failed.
  case refused = 1
  /// The command line, a file or a folder it names, or the configuration is wrong.
  case usage = 2
  /// The other side is not reachable: the core, or for the server its address or its store.
  case unreachable = 3
  /// The person who was asked said no.
  case denied = 4
  /// The output could not be written: the work is done, but the output is not complete.
  case unwritten = 5
  /// The command would have done more at once than its limit allows, and did nothing.
  case overLimit = 6
  /// The server's database is not one that it can use as its store: EX_CONFIG of sysexits.h.
  case unusableStore = 78
}

/// The destination of results, which knows whether all of them were written.
public final class ResultWriter: Sendable {
  private let descriptor: CInt
  private let firstFailure = Mutex<CInt?>(nil)

  /// Writes to `descriptor`, which still belongs to the caller.
  public init(_ descriptor: CInt) { self.descriptor = descriptor }

  /// The system's error number of the write that failed; nil if none failed.
  public var failure: CInt? { firstFailure.withLock { $0 } }

  /// Writes a line; after one that could not be written, writes nothing more, so that the output has no gaps.
  public func write(line: String) {
    firstFailure.withLock { failure in
      guard failure == nil, !DescriptorWriter.write(Array((line + "\n").utf8), to: descriptor) else { return }
      failure = errno
    }
  }
}
