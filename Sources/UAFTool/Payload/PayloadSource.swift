import FidoResults
import Glibc
import SecretMemory
import TerminalPrompts
import UAFConfiguration
import UAFMessages
import UAFWire

/// Where an enrolment code comes from, which is the payload of the server's enrol command: a file, standard input, or a person.
///
/// Never the command line, which other people can see, unless the server is this machine.
enum PayloadSource: Equatable {
  /// A file's name.
  case file(String)
  /// `-`: standard input, or a question where that is a terminal.
  case standardInput
  /// The payload itself, checked.
  case literal([UInt8])

  /// What `--code` names.
  ///
  /// - Throws: ``ToolError``: `payload` for what looks like a payload; `badArgument` for an empty name.
  init(argument: String) throws(ToolError) {
    guard !argument.isEmpty else { throw .badArgument(.payloadWithoutName) }
    guard !Self.looksLikePayload(argument) else { throw .payload(.onCommandLine) }
    self = argument == "-" ? .standardInput : .file(argument)
  }

  /// What the argument of `oob` names; the payload itself only where its server is this machine.
  ///
  /// A code for another server would work for everybody who sees the command line.
  ///
  /// - Throws: ``ToolError``: `payload`, `badArgument`.
  init(outOfBand argument: String) throws(ToolError) {
    guard Self.looksLikePayload(argument) else {
      self = try PayloadSource(argument: argument)
      return
    }
    guard let payload = try? EnrolmentPayload(encoded: argument), let server = ServerURL(payload.server + "/"),
      server.isLoopback
    else { throw .payload(.onCommandLine) }
    self = .literal(Array(argument.utf8))
  }

  /// The payload that `--code` names; nil where it was not given.
  ///
  /// - Throws: ``ToolError``, as the initialiser and ``read(in:)``.
  static func read(_ argument: String?, in context: ToolContext) throws(ToolError) -> [UInt8]? {
    guard let argument else { return nil }
    return try PayloadSource(argument: argument).read(in: context)
  }

  /// A JSON object, the base64url of one (`{"` is `eyJ`), or an enrolment code.
  ///
  /// No file is called that which anybody made by hand.
  private static func looksLikePayload(_ argument: String) -> Bool {
    argument.hasPrefix("{") || EnrolmentCode(typed: argument) != nil
      || argument.hasPrefix("eyJ") && argument.utf8.count > 20 && !argument.contains("/")
  }

  /// The payload, without the end of its line.
  ///
  /// - Throws: ``ToolError``: `payload`, `terminalFailed`, `outOfMemory`.
  func read(in context: ToolContext, asking question: PromptText = .enrolmentCode) throws(ToolError) -> [UInt8] {
    switch self {
    case .file(let path): try PayloadFile.read(path, in: context)
    case .standardInput: try Self.enter(question, in: context)
    case .literal(let payload): try PayloadLine.checked(payload)
    }
  }

  private static func enter(_ question: PromptText, in context: ToolContext) throws(ToolError) -> [UInt8] {
    if let terminal = context.terminal {
      let person = TerminalPerson(terminal, in: context)
      let text = question.text(in: context.language)
      switch try person.ask(text, EntryForm(display: .hidden, capacity: PayloadLine.maximumCount)) {
      case .value(let value): return try PayloadLine.checked(bytes(of: value))
      case .cancelled: throw .payload(.missing)
      }
    }
    let line = try ToolError.atTerminal { () throws(TerminalError) in
      try LineInput(descriptor: context.input).next(capacity: PayloadLine.maximumCount + 1)
    }
    switch consume line {
    case .bytes(let value): return try PayloadLine.checked(bytes(of: value))
    case .unusable: throw .payload(.unusable)
    case .end: throw .payload(.missing)
    }
  }

  private static func bytes(of value: borrowing Secret) -> [UInt8] {
    value.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }
}
