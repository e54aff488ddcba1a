import FidoResults
import Glibc
import SecretMemory
import TerminalPrompts
import UAFConfiguration
import UAFMessages
import UAFWire
import Wording

/// The source of a code, which is either alone or in a payload: a file, standard input, or a person.
///
/// The command line is no source, because other people can see it, except for a code whose server is this machine.
enum CodeSource: Equatable {
  /// The file with this name.
  case file(String)
  /// `-`: standard input, or a prompt if that is a terminal.
  case standardInput
  /// The payload is on the command line itself.
  case literal([UInt8])

  /// Reads the value of an option such as `--code`.
  ///
  /// - Throws: ``ToolError``: `payload` if it looks like a payload; `badArgument` for an empty name.
  init(argument: String, of place: CodePlace = .code) throws(ToolError) {
    guard !argument.isEmpty else { throw .badArgument(.payloadWithoutName(place)) }
    guard !Self.looksLikePayload(argument) else { throw .payload(.onCommandLine(place)) }
    self = argument == "-" ? .standardInput : .file(argument)
  }

  /// Reads the argument of `oob`.
  ///
  /// It may be the payload itself only if the payload's server is this machine.
  ///
  /// A code for a different server would work for everybody who sees the command line.
  ///
  /// - Throws: ``ToolError``: `payload`, `badArgument`.
  init(outOfBand argument: String) throws(ToolError) {
    guard Self.looksLikePayload(argument) else {
      self = try CodeSource(argument: argument, of: .argument)
      return
    }
    guard let payload = try? EnrolmentPayload(encoded: argument), let server = ServerURL(payload.server + "/"),
      server.isLoopback
    else { throw .payload(.onCommandLine(.argument)) }
    self = .literal(Array(argument.utf8))
  }

  /// Reads the code in the file that `--code` names; returns nil if that option was not given.
  ///
  /// - Throws: ``ToolError``, as the initialiser and ``read(in:as:)``.
  static func read(
    _ argument: String?, in context: ToolContext, as wanted: WantedCode = .enrolment
  ) throws(ToolError) -> GivenCode? {
    guard let argument else { return nil }
    return try CodeSource(argument: argument, of: wanted.place).read(in: context, as: wanted)
  }

  /// Whether the argument is a JSON object, the base64url of one (`{"` is `eyJ`), or an enrolment code.
  ///
  /// No file that somebody names by hand has such a name. A short code counts only in its groups: of all names with 16 letters
  /// and digits, one in 32 is a code.
  private static func looksLikePayload(_ argument: String) -> Bool {
    argument.hasPrefix("{") || EnrolmentCode.isEvident(argument)
      || argument.hasPrefix("eyJ") && argument.utf8.count > 20 && !argument.contains("/")
  }

  /// Reads the code, without the text around it.
  ///
  /// - Throws: ``ToolError``: `payload`, `cancelled`, `terminalFailed`, `outOfMemory`.
  func read(in context: ToolContext, as wanted: WantedCode) throws(ToolError) -> GivenCode {
    let bytes: [UInt8]
    var input = InputRead.nothing
    var warning: CodeFileWarning?
    switch self {
    case .file(let path): (bytes, warning) = try CodeFile.read(path, at: wanted.place)
    case .standardInput: (bytes, input) = try Self.enter(wanted, in: context)
    case .literal(let payload): bytes = payload
    }
    guard let code = try wanted.checked(bytes) else { throw .payload(nothing(at: wanted.place, in: context)) }
    // The warning comes last, because a file without a code needs no protection.
    if let warning { context.failure(warning) }
    return GivenCode(bytes: code, input: input)
  }

  /// The error for a source that contains nothing.
  private func nothing(at place: CodePlace, in context: ToolContext) -> PayloadError {
    switch self {
    case .file(let path): .emptyFile(path: path)
    case .standardInput where context.terminal == nil: .emptyInput(place)
    case .standardInput, .literal: .missing(place)
    }
  }

  private static func enter(
    _ wanted: WantedCode, in context: ToolContext
  ) throws(ToolError) -> (bytes: [UInt8], input: InputRead) {
    guard let terminal = context.terminal else { return try CodeFile.piped(in: context) }
    let person = TerminalPerson(terminal, in: context)
    let form = EntryForm(
      display: .hidden, capacity: CodeLine.maximumCount, isPasted: true, pauseMilliseconds: context.quietMilliseconds
    )
    switch try person.ask(wanted.question.text(in: context.language), form) {
    case .value(let value): return (value.withBytes { bytes in bytes.indices.map { bytes[$0] } }, .nothing)
    case .cancelled: throw .cancelled
    }
  }
}

/// A code, without the text in which it was found.
struct GivenCode {
  let bytes: [UInt8]
  var input = InputRead.nothing
}

/// How much of standard input was read together with a code: what was read cannot be put back.
enum InputRead: Equatable {
  case nothing
  /// The lines up to the end of the code.
  case lines
  /// The lines up to the end of the code, and the brace that begins an answer in JSON.
  case linesAndBrace
}

/// The kinds of code that a command accepts.
enum WantedCode {
  /// An enrolment code, or its payload.
  case enrolment
  /// An enrolment payload; a code alone is not enough, because it names no server.
  case server
  /// A payload that says what it is for: an approval, or a registration.
  case outOfBand
  /// The payload with which machines join.
  case machine
  /// An unlock, either as the signed line or as its 24 characters.
  case unlock

  /// Where on the command line the command accepts the code.
  var place: CodePlace {
    switch self {
    case .enrolment, .server: .code
    case .outOfBand: .argument
    case .machine, .unlock: .payload
    }
  }

  /// The prompt for the code at a terminal.
  var question: PromptText {
    switch self {
    case .enrolment, .server: .enrolmentCode
    case .outOfBand: .oneTimeCode
    case .machine: .machinePayload
    case .unlock: .unlockLine
    }
  }

  /// The kinds of code that the command can use.
  private var kinds: Set<CodeKind> {
    switch self {
    case .enrolment: [.enrolmentCode, .enrolmentPayload]
    case .server: [.enrolmentPayload]
    case .outOfBand: [.enrolmentPayload, .approval]
    case .machine: [.machinePayload]
    case .unlock: [.unlockCode, .unlockPayload]
    }
  }

  /// The code in a text: the text's only word or, if the text has more words, the only code or payload in it.
  ///
  /// - Returns: nil if the text is empty.
  /// - Throws: ``ToolError/payload(_:)``: `unusable`; `otherKind` for a code that is for a different command.
  func checked(_ bytes: [UInt8]) throws(ToolError) -> [UInt8]? {
    let text = try CodeLine.text(of: bytes)
    let words = PastedCode.words(of: text)
    guard !words.isEmpty else { return nil }
    let found = self.found(in: text)
    // Only a text in which no code was found: a letter with a code in it may be in Korean.
    let typed = words.joined(separator: " ")
    if wantsEnrolmentCode, EnrolmentCode.isTypedInHangul(found.code ?? typed) {
      throw .payload(.unusable(.typedInHangul))
    }
    if let kind = found.code.map({ CodeKind($0) }) ?? PastedCode.kind(in: text) { try require(kind) }
    switch found {
    case .code(let code):
      // The core knows whether it may be a different server's code that passes our check by chance.
      return try CodeLine.printable(Array(code.utf8))
    case .nothing:
      // A sentence of four words is not a code that somebody has typed in its four groups.
      guard wantsEnrolmentCode, words.count == 4, typed.contains(where: \.isNumber), EnrolmentCode.mayBeMistyped(typed)
      else { throw .payload(.unusable(.notFound)) }
      throw .payload(.unusable(.mistyped(inGroup: EnrolmentCode.wrongGroup(typed: typed))))
    case .several: throw .payload(.unusable(.several))
    }
  }

  private var wantsEnrolmentCode: Bool { if case .enrolment = self { true } else { false } }

  private func found(in text: String) -> PastedCode.Found {
    if case .unlock = self {
      PastedCode.unlock(in: text, beside: [])
    } else {
      PastedCode.enrolment(in: text, keepsOthers: true)
    }
  }

  /// Refuses a code of a kind that is for a different command.
  ///
  /// - Throws: ``ToolError/payload(_:)``.
  func require(_ kind: CodeKind) throws(ToolError) {
    guard !kinds.contains(kind) else { return }
    if case .server = self, kind == .enrolmentCode { throw .payload(.notUnderstood(.codeWithoutServer)) }
    if case .machine = self, [.enrolmentCode, .enrolmentPayload].contains(kind) { throw .join(.enrolmentCode) }
    throw .payload(.notUnderstood(.otherKind(kind)))
  }
}

/// A text that contains a code: a file, or an input that is not a terminal.
enum CodeFile {
  /// How many bytes a letter with a code in it may have; UTF-16 takes two for each character.
  private static let limit = 4 * CodeLine.maximumCount

  /// The content of the file, and a warning if others may read it: the code in it works for anybody who has it.
  ///
  /// - Throws: ``ToolError/payload(_:)``.
  static func read(
    _ path: String, at place: CodePlace
  ) throws(ToolError) -> (bytes: [UInt8], warning: CodeFileWarning?) {
    // SAFETY: the path lives for the call. O_NONBLOCK prevents hanging on a FIFO that nobody writes to: its end comes
    // immediately.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else {
      let number = errno
      throw .payload(number == ENOENT && mayBeCode(path) ? .noFile(place) : .unreadable(path: path, number))
    }
    defer { close(descriptor) }
    var state = stat()
    // SAFETY: `state` is a stat.
    guard unsafe fstat(descriptor, &state) == 0 else { throw .payload(.unreadable(path: path, errno)) }
    let kind = state.st_mode & S_IFMT
    guard kind != S_IFDIR else { throw .payload(.unreadable(path: path, EISDIR)) }
    let isOpen = kind == S_IFREG && state.st_mode & 0o044 != 0
    _ = fcntl(descriptor, F_SETFL, 0)
    let warning = isOpen ? CodeFileWarning(path: path, isOwn: state.st_uid == geteuid()) : nil
    return (try bytes(of: descriptor, path: path), warning)
  }

  /// Whether a name may be a code that was mistyped, cut or is for a different command; such a name is not repeated.
  private static func mayBeCode(_ name: String) -> Bool {
    guard !name.contains("/"), !name.contains(".") else { return false }
    let groups = name.split(separator: "-")
    let isGrouped = groups.count > 2 && groups.allSatisfy { (3...6).contains($0.utf8.count) }
    if EnrolmentCode.isTypedInHangul(name) { return true }
    return isGrouped || name.utf8.count > 13 && name.contains { $0.isNumber } && EnrolmentPayload.mayBeMistyped(name)
  }

  /// Reads standard input, which is not a terminal: up to a line that is a code, or a whole letter.
  ///
  /// Text after a line that is a code is left for the answers to the prompts. A letter is read to its end, as a file is, and
  /// none of it is used as an answer. If a front end sends JSON, the letter ends where an answer begins, or where the front end
  /// sends nothing more, because it waits for the first prompt.
  ///
  /// - Throws: ``ToolError/payload(_:)``.
  static func piped(in context: ToolContext) throws(ToolError) -> (bytes: [UInt8], input: InputRead) {
    var text: [UInt8] = []
    while true {
      let line = try bytes(of: context.input, path: "-", upTo: .lineEnd)
      text += line
      guard text.count <= limit else { throw .payload(.unusable(.tooLong)) }
      guard !line.isEmpty else { return (text, .lines) }
      // In UTF-16 a line end is not this byte alone.
      let isMarked = text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF])
      if !isMarked, let line = String(validating: line, as: UTF8.self) {
        let words = PastedCode.words(of: line)
        if words.isEmpty { continue }
        // In a list of codes the account's name is in the line above its code.
        let isName = words.count == 1 && context.caller.accounts.account(named: words[0]) != nil
        if PastedCode.standsAlone(in: line), !isName { return (text, .lines) }
      }
      guard context.speaksJSON else { return (text + (try bytes(of: context.input, path: "-")), .lines) }
      let (rest, input) = try linesBeforeAnswer(in: context)
      return (text + rest, input)
    }
  }

  /// Reads the further lines of a letter, up to the brace that begins an answer.
  private static func linesBeforeAnswer(in context: ToolContext) throws(ToolError) -> (bytes: [UInt8], input: InputRead)
  {
    let input = LineInput(descriptor: context.input)
    var text: [UInt8] = []
    while text.count <= limit, input.hasMore(withinMilliseconds: context.quietMilliseconds) {
      let first = try bytes(of: context.input, path: "-", upTo: .byte)
      if first == [UInt8(ascii: "{")] { return (text, .linesAndBrace) }
      guard !first.isEmpty else { break }
      text += first
      if first != [0x0A] { text += try bytes(of: context.input, path: "-", upTo: .lineEnd) }
    }
    return (text, .lines)
  }

  /// How much of an input is read.
  private enum Extent {
    /// Everything, but only to just beyond the limit, which is enough to refuse a longer text.
    case everything
    /// One line, with the end of the line.
    case lineEnd
    /// A single byte.
    case byte
  }

  /// Reads as much as `extent` says.
  ///
  /// A line is read byte by byte, so that nothing after it is read.
  private static func bytes(
    of descriptor: CInt, path: String, upTo extent: Extent = .everything
  ) throws(ToolError) -> [UInt8] {
    let size = if case .everything = extent { 4096 } else { 1 }
    var collected: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: size)
    while collected.count <= limit {
      // SAFETY: the buffer is as long as announced.
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .payload(.unreadable(path: path, errno)) }
      if count == 0 { return collected }
      collected += buffer[..<count]
      switch extent {
      case .everything: break
      case .lineEnd: if collected.last == 0x0A { return collected }
      case .byte: return collected
      }
    }
    throw .payload(.unusable(.tooLong))
  }
}

/// The form of an enrolment code: one line of printable ASCII.
enum CodeLine {
  /// The longest payload that a conversation carries.
  static let maximumCount = 16_384

  /// The text of these bytes.
  ///
  /// An editor may have saved it as UTF-16 with a byte order mark.
  ///
  /// - Throws: ``ToolError/payload(_:)``: `unusable`.
  static func text(of bytes: [UInt8]) throws(ToolError) -> String {
    let isBigEndian = bytes.starts(with: [0xFE, 0xFF])
    guard isBigEndian || bytes.starts(with: [0xFF, 0xFE]) else {
      guard !bytes.contains(0) else { throw .payload(.unusable(.holdsNUL)) }
      guard let text = String(validating: bytes, as: UTF8.self) else { throw .payload(.unusable(.notText)) }
      return text
    }
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self) else {
      throw .payload(.unusable(.notText))
    }
    return text
  }

  /// The bytes, if they are few enough and all printable.
  ///
  /// - Throws: ``ToolError/payload(_:)``: `unusable`.
  static func printable(_ bytes: [UInt8]) throws(ToolError) -> [UInt8] {
    guard bytes.count <= maximumCount else { throw .payload(.unusable(.tooLong)) }
    guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .payload(.unusable(.badCharacters))
    }
    return bytes
  }
}

extension CodePlace {
  /// The option with which most commands accept a code.
  static let code = CodePlace.option("--code")
  /// The option with which commands accept a payload that is not an enrolment code.
  static let payload = CodePlace.option("--payload")
}

/// The warning about a file with a code that others may read.
struct CodeFileWarning: Catalogued {
  let path: String
  /// Whether the file belongs to the caller, who can then change its mode.
  let isOwn: Bool

  var english: FindingText {
    FindingText(
      "warning: others may read \(ShownText.line(path)), and its code works for whoever has it",
      do: isOwn
        ? "chmod 600 \(ShownText.line(path)), and remove it after use"
        : "have whoever it belongs to remove it after use")
  }

  var korean: FindingText {
    FindingText(
      "경고: 다른 사용자가 \(ShownText.line(path))을(를) 읽을 수 있습니다. 그 안의 코드는 가진 사람이면 누구나 쓸 수 있습니다",
      do: isOwn
        ? "chmod 600 \(ShownText.line(path)), 사용한 뒤에는 지우십시오" : "사용한 뒤에는 소유자가 지우게 하십시오")
  }
}

/// A payload that says what it is for: a registration, or the approval of a login elsewhere.
struct OutOfBandCode {
  /// The operation that the payload asks for.
  let operation: UAFWire.Operation
  private let code: GivenCode

  /// Reads the one line of a payload.
  ///
  /// - Throws: ``ToolError/payload(_:)`` if the line is not a payload, or asks for something that no payload may ask for.
  init(_ code: GivenCode) throws(ToolError) {
    self.code = code
    let content: EnrolmentPayload
    do throws(MessageError) {
      content = try EnrolmentPayload(encoded: String(decoding: code.bytes, as: UTF8.self))
    } catch {
      throw .payload(.notUnderstood(.message(error)))
    }
    switch content.op {
    case .registration: operation = .register
    case .authentication: operation = .authenticate
    default: throw .payload(.notUnderstood(.operation(content.op.rawValue)))
    }
  }

  /// The request to the core.
  ///
  /// - Parameter denies: whether the person denies the approval.
  /// - Throws: ``ToolError/payload(_:)`` if the person denies something that is not an approval.
  func request(for user: String?, denies: Bool) throws(ToolError) -> Request {
    if denies, operation != .authenticate { throw .payload(.notUnderstood(.registrationDenied)) }
    var request = Request(operation)
    request.user = user
    request.take(code)
    request.denies = denies
    return request
  }
}

/// The 24 characters of an unlock code, which a person types, and never on the command line.
///
/// They are shown while they are typed: nobody types 24 characters without seeing them, and the code works only once, for one
/// account on this machine.
enum UnlockCodeEntry {
  /// Far more than the 24 characters and the line of the letter that people paste with them.
  private static let capacity = 4096

  /// Reads the entry, and returns the code without spaces and without the account's name that was pasted with it.
  ///
  /// The core checks the rest.
  ///
  /// - Parameter names: the names that the account has.
  /// - Throws: ``ToolError``: `payload`, `terminalFailed`, `outOfMemory`.
  static func read(in context: ToolContext, beside names: [String]) throws(ToolError) -> [UInt8] {
    if let terminal = context.terminal {
      let person = TerminalPerson(terminal, in: context)
      let form = EntryForm(
        display: .shown, capacity: capacity, isPasted: true, pauseMilliseconds: context.quietMilliseconds)
      switch try person.ask(PromptText.unlockCode.text(in: context.language), form) {
      case .value(let value):
        return try checked(
          value.withBytes { bytes in bytes.indices.map { bytes[$0] } }, names, orNothing: .noUnlockCode)
      case .cancelled: throw .cancelled
      }
    }
    return try checked(try CodeFile.piped(in: context).bytes, names, orNothing: .unlockCodeOfInput)
  }

  /// Refuses an unlock code on the command line, where it would be mistaken for the account's name.
  ///
  /// - Throws: ``ToolError``: `payload`.
  static func refuse(_ user: String?, in context: ToolContext) throws(ToolError) {
    guard let user, PastedCode.isUnlockCode(user), context.caller.accounts.account(named: user) == nil else {
      return
    }
    throw .payload(.unlockCodeOnCommandLine)
  }

  /// - Parameter nothing: the error if nothing was entered.
  private static func checked(
    _ bytes: [UInt8], _ names: [String], orNothing nothing: PayloadError
  ) throws(ToolError) -> [UInt8] {
    let text = try CodeLine.text(of: bytes)
    let words = PastedCode.words(of: text)
    guard !words.isEmpty else { throw .payload(nothing) }
    // This comes first, because an enrolment code and a name of eight letters together have the form of an unlock code.
    if let kind = PastedCode.kind(in: text) { try WantedCode.unlock.require(kind) }
    let found = PastedCode.unlock(in: text, beside: names)
    guard found != .several else { throw .payload(.unusable(.several)) }
    do throws(ToolError) {
      return try CodeLine.printable(Array((found.code ?? words.joined()).utf8))
    } catch { throw .payload(.notUnlockCode) }
  }
}
