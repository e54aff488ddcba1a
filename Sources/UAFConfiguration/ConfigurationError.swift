import FidoResults

/// Why there is no usable configuration: result 1001, said in the log before the person is asked anything.
public enum ConfigurationError: Error, Equatable, Sendable {
  /// The file is not trusted or cannot be read.
  case file(path: String, ConfigurationFileProblem)
  /// The file is not TOML.
  case syntax(path: String, line: Int, problem: String)
  /// A key is unknown or its value is refused.
  case key(path: String, line: Int, key: String, problem: String)
  /// A module argument is unknown or its value is refused.
  case argument(String, problem: String)
}

extension ConfigurationError {
  /// The name of the module argument that is wrong; nil for anything else.
  public var argument: String? {
    if case .argument(let name, _) = self { name } else { nil }
  }

  /// Whether root wrote it so, rather than that the machine could not read it now.
  public var isRoots: Bool {
    if case .file(_, let problem) = self { return problem.isRoots }
    return true
  }
}

extension ConfigurationError: CustomStringConvertible {
  /// Where, what is wrong, and what is allowed; one line, fit for a log.
  public var description: String {
    switch self {
    case .file(let path, let problem): "\(Self.shown(path)): \(problem)"
    case .syntax(let path, let line, let problem): "\(Self.shown(path)):\(line): \(Self.shown(problem))"
    case .key(let path, let line, let key, let problem):
      "\(Self.shown(path)):\(line): \(Self.shown(key)): \(Self.shown(problem))"
    case .argument(let argument, let problem): "module argument \(Self.shown(argument)): \(Self.shown(problem))"
    }
  }

  private static func shown(_ text: String) -> String { Text.cleaned(text, limit: 256) }
}
