import Glibc
import SecretMemory
import UAFWire

/// The file in which root keeps the words of the recovery key, away from this machine.
enum RecoveryKeyFile {
  /// Writes words into a new file that only root can read.
  ///
  /// - Throws: ``ToolError/recoveryKey(_:)`` if the file already exists, or the words cannot be written completely.
  static func write(_ words: borrowing Secret, to path: String) throws(ToolError) {
    // SAFETY: the path lives for the call.
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o400)
    guard file >= 0 else { throw .recoveryKey(RecoveryKeyError(path: path, number: errno)) }
    defer { close(file) }
    let count = words.count
    // SAFETY: the words are lent for the call, and the line's end is a literal.
    let written = unsafe words.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
    let ended = unsafe Glibc.write(file, "\n", 1)
    let isWritten = written == count && ended == 1 && fsync(file) == 0
    guard isWritten else {
      let number = errno
      remove(path)
      throw .recoveryKey(RecoveryKeyError(path: path, number: number))
    }
  }

  /// Reads the words from a file.
  ///
  /// - Throws: ``ToolError/recoveryKey(_:)`` if the file cannot be read. The core checks the words.
  static func read(_ path: String) throws(ToolError) -> Secret {
    guard var words = try? Secret(capacity: WireLimit.answer) else { throw .outOfMemory }
    // SAFETY: the path lives for the call. With O_NONBLOCK a FIFO that nobody writes to ends immediately.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard file >= 0 else { throw .recoveryKey(RecoveryKeyError(path: path, number: errno)) }
    defer { close(file) }
    var number: CInt = 0
    // SAFETY: the buffer is lent with its length.
    unsafe words.refill { buffer in
      let count = unsafe Glibc.read(file, buffer.baseAddress, buffer.count)
      if count < 0 { number = errno }
      return count
    }
    guard number == 0 else { throw .recoveryKey(RecoveryKeyError(path: path, number: number)) }
    return words
  }

  /// Removes a file whose words open nothing.
  // SAFETY: the path lives for the call.
  static func remove(_ path: String) { _ = unsafe unlink(path) }
}

/// Answers the core's prompt for a recovery key with words that uafctl has.
///
/// No person is asked.
struct RecoveryPerson: Person, ~Copyable {
  private let words: Secret
  private let output: Output
  /// Whether the core has asked for the words.
  private(set) var wasAsked = false

  /// - Parameter words: empty if uafctl has none.
  init(_ words: consuming Secret, telling output: Output) {
    self.words = words
    self.output = output
  }

  var checks: Set<Check> { [.code] }

  mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry {
    wasAsked = true
    let copy = words.withBytes { span in try? Secret(copying: span) }
    guard let copy else { throw .outOfMemory }
    return .value(copy)
  }

  mutating func isReady() throws(ToolError) -> Bool { true }

  func hear(_ text: String, isError: Bool) { output.note(text) }
}
