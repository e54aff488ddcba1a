import Foundation
import Glibc
import ProgramTesting

/// A program that a test has started.
///
/// Its output goes to a file, and the test writes to its standard input.
final class Command {
  private static let search = ["PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]
  private let program: StartedProgram
  private let words: [String]
  private let input = Pipe()
  private let file: String

  /// Starts a program, unless `logged` is false in the mount namespace of the log.
  init(_ arguments: [String], environment: [String: String] = [:], logged: Bool = true) throws {
    let prefix = logged ? try SystemLog.shared().prefix : []
    words = prefix + ["/usr/bin/env"] + environment.map { "\($0)=\($1)" }.sorted() + arguments
    file = try Folder.shared.file("output")
    try Data().write(to: URL(filePath: file))
    guard let output = FileHandle(forWritingAtPath: file) else { throw Failure("\(file) cannot be written") }
    program = try StartedProgram(
      words, environment: Self.search, input: .pipe(input), output: .file(output), errors: .file(output))
    try output.close()
  }

  deinit {
    program.kill()
    program.wait()
    try? FileManager.default.removeItem(atPath: file)
  }

  /// Runs a program to its end.
  static func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:], logged: Bool = true
  ) throws -> Output {
    try run(arguments, input: Array(input.utf8), environment: environment, logged: logged)
  }

  static func run(
    _ arguments: [String], input: [UInt8], environment: [String: String] = [:], logged: Bool = true
  ) throws -> Output {
    let command = try Command(arguments, environment: environment, logged: logged)
    command.send(input)
    return try command.end()
  }

  /// Runs a program that only prepares a test, and throws if it fails.
  @discardableResult
  static func succeed(
    _ arguments: [String], input: String = "", environment: [String: String] = [:], logged: Bool = true
  ) throws -> Output {
    let output = try run(arguments, input: input, environment: environment, logged: logged)
    guard output.status == 0 else {
      throw Failure("\(arguments.joined(separator: " ")): status \(output.status): \(output.text)")
    }
    return output
  }

  var identifier: pid_t { program.identifier }

  var isRunning: Bool { program.isRunning }

  /// What the program has printed so far.
  var text: String { String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self) }

  /// Writes to the program's standard input, which stays open; does nothing if the program has already ended.
  ///
  /// SIGPIPE would end all tests. It is blocked only in this thread: if it were ignored, the programs that the tests start
  /// would ignore it too.
  func send(_ bytes: [UInt8]) {
    var (pipe, before, now) = (sigset_t(), sigset_t(), timespec())
    // SAFETY: all of them live until the call returns.
    unsafe sigemptyset(&pipe)
    unsafe sigaddset(&pipe, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
    do {
      try input.fileHandleForWriting.write(contentsOf: bytes)
    } catch {
      unsafe sigtimedwait(&pipe, nil, &now)
    }
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Waits until the program has printed a text.
  func wait(for part: String) throws { try Wait.until("\(part.debugDescription)") { text.contains(part) } }

  /// Closes the program's standard input and waits for the program's end.
  func end() throws -> Output {
    try? input.fileHandleForWriting.close()
    try Wait.until("the end of \(words.joined(separator: " "))") { !program.isRunning }
    return Output(status: program.wait(), text: text)
  }

  /// The processes that the program started, directly or not.
  func descendants(named name: String) -> [pid_t] { ProcessTable.descendants(of: identifier, named: name) }
}
