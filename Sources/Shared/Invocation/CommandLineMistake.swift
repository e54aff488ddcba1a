import ArgumentParser

/// What is wrong with a command line.
///
/// The parser's errors are not public, and its sentences are English. So an error is read through Swift's mirrors: the name of
/// its case, and the words of the command line in it. An error that a later parser builds differently is ``other``.
public enum CommandLineMistake: Equatable, Sendable {
  case unknownOption(String)
  /// An option that takes a value has none.
  case missingValue(option: String)
  /// An option that takes no value was given this one.
  case unexpectedValue(String, option: String)
  case unexpectedArguments([String])
  /// A required argument or option is missing; an option has its dashes.
  case missingArgument(String)
  /// An argument, or the named option, does not accept this value.
  case badValue(String, option: String?)
  /// Two options contradict each other.
  case conflictingOptions
  /// A command lacks one of its subcommands.
  case missingCommand
  /// A command itself refuses its arguments, with this text.
  case refused(String)
  /// A mistake that only the parser can describe.
  case other

  /// What the error is, and the command that was read before it.
  ///
  /// - Parameter error: what parsing threw.
  init(_ error: any Error) {
    if let own = error as? ValidationError {
      self = .refused(own.message)
      return
    }
    let parts = Parts(of: error)
    self = CommandLineMistake(parsing: parts["parserError"] ?? error, of: Self.commands(of: error)?.last)
  }

  private init(parsing error: Any, of command: (any ParsableCommand.Type)?) {
    let parts = Parts(of: error)
    let option = parts.first(of: "Name").flatMap(Self.option)
    let words = parts.strings
    self =
      switch (parts.caseName, option) {
      case ("unknownOption", let option?): .unknownOption(option)
      case ("invalidOption", _) where words.count == 1: .unknownOption(words[0])
      case ("nonAlphanumericShortOption", _) where parts.character != nil: .unknownOption("-\(parts.character ?? "-")")
      case ("missingValueForOption", let option?): .missingValue(option: option)
      case ("missingValueOrUnknownCompositeOption", _):
        parts.last(of: "Name").flatMap(Self.option).map(CommandLineMistake.unknownOption) ?? .other
      case ("unexpectedValueForOption", let option?) where words.count == 1:
        .unexpectedValue(words[0], option: option)
      case ("unexpectedExtraValues", _) where !words.isEmpty: .unexpectedArguments(words)
      case ("noValue", _):
        parts.first(of: "InputKey").flatMap { Self.argument($0, of: command) }
          .map(CommandLineMistake.missingArgument) ?? .other
      case ("unableToParseValue", _) where !words.isEmpty: .badValue(words[0], option: option)
      case ("duplicateExclusiveValues", _): .conflictingOptions
      case ("missingSubcommand", _): .missingCommand
      case ("userValidationError", _): parts.validation.map { CommandLineMistake.refused($0.message) } ?? .other
      case ("noArguments", _): parts.error.map { CommandLineMistake($0) } ?? .other
      default: .other
      }
  }

  /// An option as it is written on the command line.
  private static func option(_ name: Any) -> String? {
    let parts = Parts(of: name)
    return switch parts.caseName {
    case "long": parts.strings.first.map { "--\($0)" }
    case "longWithSingleDash": parts.strings.first.map { "-\($0)" }
    case "short": parts.character.map { "-\($0)" }
    default: nil
    }
  }

  /// An argument's name, or an option: that of its property, in the parser's spelling.
  private static func argument(_ key: Any, of command: (any ParsableCommand.Type)?) -> String? {
    guard let property = Parts(of: key)["name"] as? String else { return nil }
    let name = property.reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : String($1) }
    return command.map { isOption(property, of: $0) } ?? false ? "--\(name)" : name
  }

  /// Whether a property of a command is an option, not an argument.
  private static func isOption(_ property: String, of command: any ParsableCommand.Type) -> Bool {
    Mirror(reflecting: command.init()).children.contains {
      $0.label == "_\(property)" && String(describing: type(of: $0.value)).hasPrefix("Option<")
    }
  }

  /// The commands that were read before the mistake, the program first; nil if the error does not contain them.
  static func commands(of error: any Error) -> [any ParsableCommand.Type]? {
    Parts(of: error)["commandStack"] as? [any ParsableCommand.Type]
  }
}

/// The parts of a value whose type is not public.
private struct Parts {
  private let children: [(label: String?, value: Any)]
  /// The name of an enum's case; nil for anything else.
  let caseName: String?

  /// The members of a struct, or the associated values of an enum's case, one by one.
  init(of value: Any) {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum else {
      caseName = nil
      children = mirror.children.map { ($0.label, $0.value) }
      return
    }
    guard let carried = mirror.children.first else {
      caseName = String(describing: value)
      children = []
      return
    }
    caseName = carried.label
    let members = Mirror(reflecting: carried.value)
    children =
      members.displayStyle == .tuple
      ? members.children.map { ($0.label, $0.value) } : [(label: nil, value: carried.value)]
  }

  subscript(label: String) -> Any? { children.first { $0.label == label }?.value }

  /// The first, or the last, part whose type has this name; optional parts are unwrapped.
  func first(of type: String) -> Any? { children.lazy.compactMap { Self.value($0.value, of: type) }.first }
  func last(of type: String) -> Any? { children.reversed().lazy.compactMap { Self.value($0.value, of: type) }.first }

  private static func value(_ value: Any, of type: String) -> Any? {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional { return mirror.children.first.flatMap { Self.value($0.value, of: type) } }
    return String(describing: mirror.subjectType) == type ? value : nil
  }

  /// The texts among the parts, and those in lists of pairs.
  var strings: [String] {
    children.flatMap { child -> [String] in
      if let text = child.value as? String { return [text] }
      let list = Mirror(reflecting: child.value)
      guard list.displayStyle == .collection, !(child.value is [String]) else { return [] }
      return list.children.flatMap { Mirror(reflecting: $0.value).children.compactMap { $0.value as? String } }
    }
  }

  var character: Character? { children.lazy.compactMap { $0.value as? Character }.first }
  var validation: ValidationError? { error as? ValidationError }
  var error: (any Error)? { children.lazy.compactMap { $0.value as? any Error }.first }
}
