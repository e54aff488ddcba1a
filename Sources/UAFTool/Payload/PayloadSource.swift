import FidoResults
import Glibc
import SecretMemory
import TerminalPrompts
import UAFConfiguration
import UAFMessages
import UAFWire

/// Where an enrolment code comes from, which is the payload of the server's enrol command: a file, standard input, or a person.
///
/// Never the command line, which other people see; but for a server that is this machine itself.
enum PayloadSource: Equatable {
  /// A file's name.
  case file(String)
  /// `-`: standard input, or a question where that is a terminal.
  case standardInput
  /// The payload itself, checked.
  case literal([UInt8])

  /// The longest payload a conversation carries.
  static let maximumCount = 16_384

  /// What `--code` names.
  ///
  /// - Throws: ``ToolError``: `payloadOnCommandLine` for what looks like a payload; `badArgument` for an empty name.
  init(argument: String) throws(ToolError) {
    guard !argument.isEmpty else { throw .badArgument(.payloadWithoutName) }
    guard !Self.looksLikePayload(argument) else { throw .payloadOnCommandLine }
    self = argument == "-" ? .standardInput : .file(argument)
  }

  /// What the argument of `oob` names; the payload itself only where its server is this machine.
  ///
  /// A code for a server elsewhere would work for everybody who sees the command line.
  ///
  /// - Throws: ``ToolError``: `payloadOnCommandLine`, `badArgument`.
  init(outOfBand argument: String) throws(ToolError) {
    guard Self.looksLikePayload(argument) else {
      self = try PayloadSource(argument: argument)
      return
    }
    guard let payload = try? EnrolmentPayload(encoded: argument), let server = ServerURL(payload.server + "/"),
      server.isLoopback
    else { throw .payloadOnCommandLine }
    self = .literal(Array(argument.utf8))
  }

  /// The payload that `--code` names; nil where it was not given.
  ///
  /// - Throws: ``ToolError``, as the initialiser and ``read(in:)``.
  static func read(_ argument: String?, in surroundings: Surroundings) throws(ToolError) -> [UInt8]? {
    guard let argument else { return nil }
    return try PayloadSource(argument: argument).read(in: surroundings)
  }

  /// A JSON object, or the base64url of one (`{"` is `eyJ`), as no file is called that anybody made by hand.
  private static func looksLikePayload(_ argument: String) -> Bool {
    argument.hasPrefix("{") || argument.hasPrefix("eyJ") && argument.utf8.count > 20 && !argument.contains("/")
  }

  /// The payload, without the end of its line.
  ///
  /// - Throws: ``ToolError``: `payloadUnreadable`, `payloadUnusable`, `noPayload`, `terminalFailed`, `outOfMemory`.
  func read(in surroundings: Surroundings, asking question: PromptText = .enrolmentCode) throws(ToolError) -> [UInt8] {
    switch self {
    case .file(let path): try PayloadFile.read(path, in: surroundings)
    case .standardInput: try Self.enter(question, in: surroundings)
    case .literal(let payload): try Self.checked(payload)
    }
  }

  private static func enter(_ question: PromptText, in surroundings: Surroundings) throws(ToolError) -> [UInt8] {
    if let terminal = surroundings.terminal {
      let person = TerminalPerson(terminal, in: surroundings)
      let text = question.text(in: surroundings.language)
      switch try person.ask(text, EntryForm(display: .hidden, capacity: maximumCount)) {
      case .value(let value): return try checked(bytes(of: value))
      case .cancelled: throw .noPayload
      }
    }
    let line = try ToolError.atTerminal { () throws(TerminalError) in
      try LineInput(descriptor: surroundings.input).next(capacity: maximumCount + 1)
    }
    switch consume line {
    case .bytes(let value): return try checked(bytes(of: value))
    case .unusable: throw .payloadUnusable
    case .end: throw .noPayload
    }
  }

  private static func bytes(of value: borrowing Secret) -> [UInt8] {
    value.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  /// One line without white space around it.
  ///
  /// - Throws: ``ToolError``: `payloadUnusable`; `noPayload` if nothing is left.
  static func checked(_ bytes: [UInt8]) throws(ToolError) -> [UInt8] {
    let space: Set<UInt8> = [0x09, 0x0A, 0x0D, 0x20]
    let start = bytes.firstIndex { !space.contains($0) }
    guard let start, let end = bytes.lastIndex(where: { !space.contains($0) }) else { throw .noPayload }
    let payload = Array(bytes[start...end])
    guard payload.count <= maximumCount, payload.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .payloadUnusable }
    return payload
  }
}
