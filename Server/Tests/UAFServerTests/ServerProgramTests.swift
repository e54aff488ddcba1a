import Foundation
import GRDB
import Glibc
import Invocation
import ProgramTesting
import Testing
import UAFCrypto
import UAFMessages
import UAFService
import WebAuthn

@testable import ServerTesting
@testable import SQLiteStore
@testable import UAFServer

/// The program as a whole: its exit statuses, and results that cannot be written.
struct ServerProgramTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "server-program-\(UUID().uuidString)")

  /// Starts the program; its results go to `output`.
  private func start(
    _ arguments: [String], output: String = "/dev/null", errors: ProgramStream = .shared
  ) throws -> StartedProgram {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = URL(filePath: own).deletingLastPathComponent().appending(path: "uaf-server").path(percentEncoded: false)
    let results = try #require(FileHandle(forWritingAtPath: output))
    return try StartedProgram(
      [path] + arguments, input: .file(.nullDevice), output: .file(results), errors: errors)
  }

  /// Runs the program; returns its exit status and what it logs.
  ///
  /// Its results go to `output`.
  private func run(_ arguments: [String], output: String = "/dev/null") throws -> (status: Int32, notes: String) {
    let notes = Pipe()
    let program = try start(arguments, output: output, errors: .pipe(notes))
    let data = notes.fileHandleForReading.readDataToEndOfFile()
    return (program.wait(), String(decoding: data, as: UTF8.self))
  }

  /// A state folder with a store and an account.
  private func store() throws -> String {
    let state = try ServerDirectory(path: folder.path(), create: true)
    let database = try state.openStore(create: true).database
    try database.write { db in try SQLiteTransaction(connection: db).accounts.add("mina", now: 0) }
    return state.path
  }

  @Test(arguments: [
    ["enrol", "mina"], ["users"], ["revoke", "mina"], ["approve", "mina", "--text", "t"], ["audit", "verify"],
    ["audit", "show", "1"],
  ])
  func `a command refuses a folder without a store, and creates nothing in it`(arguments: [String]) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let missing = try run(arguments + ["--state", folder.path()])
    #expect(missing.status == ExitStatus.usage.rawValue)
    #expect(missing.notes.contains("no such folder: name the folder with which 'uaf-server serve' was started"))
    #expect(!FileManager.default.fileExists(atPath: folder.path()))
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let empty = try run(arguments + ["--state", folder.path()])
    #expect(empty.status == ExitStatus.usage.rawValue)
    #expect(empty.notes.contains("there is no store in it: name the folder with which 'uaf-server serve' was started"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == [])
  }

  @Test(arguments: [
    ["--help"], ["help"], ["help", "serve"], ["--version"], ["users", "--help"], ["audit"], ["metadata"],
    ["--generate-completion-script", "bash"], ["--generate-completion-script", "zsh"],
    ["--generate-completion-script", "fish"],
  ])
  func `a command whose result cannot be written ends with an error`(arguments: [String]) throws {
    let end = try run(arguments, output: "/dev/full")
    #expect(end.status == ExitStatus.unwritten.rawValue)
    #expect(end.notes.contains("uaf-server: the output could not be written: No space left on device"))
    #expect(try run(arguments).status == ExitStatus.success.rawValue)
  }

  @Test(arguments: [["users"], ["enrol", "mina"], ["revoke", "mina"], ["approve", "mina", "--text", "t"]])
  func `a command whose result from the store cannot be written ends with an error, and warns of its effect`(
    arguments: [String]
  ) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let end = try run(arguments + ["--state", store()], output: "/dev/full")
    #expect(end.status == ExitStatus.unwritten.rawValue)
    #expect(end.notes.hasSuffix("No space left on device: the request may have been carried out anyway\n"))
  }

  @Test(arguments: [[], ["--qr"]])
  func `with 'enrol', standard output has the line with the code, and its picture if wanted, but no log gets the code`(
    options: [String]
  ) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try store() + "/line"
    try Data().write(to: URL(filePath: path))
    let arguments = ["enrol", "mina", "--server", "https://localhost", "--state", folder.path()] + options
    let end = try run(arguments, output: path)
    #expect(end.status == ExitStatus.success.rawValue)
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let line = String(try #require(lines.first))
    let code = try #require(EnrolmentPayload(encoded: line).code)
    #expect(end.notes.hasPrefix("uaf-server: the line below, which names the server too, lets mina register once"))
    #expect(!end.notes.contains(code.text))
    #expect(code.text.count == 19 && (lines.count > 1) == (options == ["--qr"]))
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("\u{1B}[30;107m") })
  }

  @Test func `'enrol --json' prints the code and its payload, but neither of them if a file gets the payload`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try store() + "/object"
    let arguments = ["enrol", "mina", "--server", "https://localhost", "--state", folder.path(), "--json"]
    for file in [[], ["--payload-file", folder.path() + "/line"]] {
      try Data().write(to: URL(filePath: path))
      #expect(try run(arguments + file, output: path).status == ExitStatus.success.rawValue)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      for member in ["code", "payload"] { #expect(text.contains("\"\(member)\"") == file.isEmpty, "\(member)") }
      #expect(text.contains("\"account\""))
    }
  }

  @Test func `'audit export' adds no audit row if its output could not be written`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let state = try ServerDirectory(path: folder.path(), create: true)
    let store = try state.openStore(create: true)
    try await store.write { try $0.audit.append([ServerEvents.stop(now: 1)]) }
    let export = ["audit", "export", "--state", state.path]
    #expect(try run(export, output: "/dev/full").status == ExitStatus.unwritten.rawValue)
    #expect(try await store.read { try $0.audit.last().number } == 1)
    #expect(try run(export).status == ExitStatus.success.rawValue)
    #expect(try await store.read { try $0.audit.last().number } == 2)
  }

  @Test func `if the line that says where the server listens cannot be written, the server ends with an error`() throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let end = try run(
      ["serve", "--development", "--listen", "127.0.0.1:0", "--state", folder.path()], output: "/dev/full")
    #expect(end.status == ExitStatus.unwritten.rawValue)
    #expect(end.notes.contains("the output could not be written: No space left on device"))
  }

  @Test func `the server refuses to listen with a decoy secret other than that with which the store was used`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let state = try ServerDirectory(path: folder.path(), create: true)
    let database = try state.openStore(create: true).database
    try database.write { db in try SQLiteTransaction(connection: db).settings.set(.decoySecret, to: "00000000") }
    let end = try run(["serve", "--development", "--listen", "127.0.0.1:0", "--state", state.path])
    #expect(end.status == ExitStatus.usage.rawValue)
    #expect(end.notes.contains("/decoy.secret: differs from the secret with which this store was used"))
    #expect(!end.notes.contains("listening"))
  }

  @Test(arguments: [
    (["usrs"], "uaf-server: no such command: usrs\nhint: did you mean 'uaf-server users'?\n"),
    (["verify"], "uaf-server: no such command: verify\nhint: did you mean 'uaf-server audit verify'?\n"),
    (["help", "nosuch"], "uaf-server: no such command: nosuch\nhint: 'uaf-server help' lists the commands\n"),
    (["audit", "shw"], "uaf-server: no such command: audit shw\nhint: did you mean 'uaf-server audit show'?\n"),
  ])
  func `the server program refuses an unknown command, and suggests a similar one`(arguments: [String], told: String)
    throws
  {
    let end = try run(arguments)
    #expect(end.status == ExitStatus.usage.rawValue && end.notes == told)
  }

  @Test(arguments: [
    ["users", "mina"], ["enrol", "a b", "--state", "d"], ["metadata", "iris"], ["decode", "/nonexistent"],
  ])
  func `the server program exits with 2 for a wrong command line`(arguments: [String]) throws {
    let end = try run(arguments)
    #expect(end.status == ExitStatus.usage.rawValue && end.notes.hasPrefix("uaf-server: "))
  }

  /// A state folder with the keys of a server that was never started.
  private func keys() throws -> ServerDirectory {
    let state = try ServerDirectory(path: folder.path(), create: true)
    _ = try ServerKeys(state: state, now: { 0 })
    return state
  }

  @Test func `refuses to rotate a key while a second process rotates one, with one line, and changes nothing`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let state = try keys()
    let before = try StateFile.read(path: state.secretPath, isSecret: true)
    let rotate = ["keys", "rotate", "secret", "--in", "0", "--state", state.path]
    try StateLock.hold(state) {
      let end = try run(rotate)
      #expect(end.status == ExitStatus.refused.rawValue)
      let told = "uaf-server: \(state.path): another process is replacing its keys now: try again when that has ended\n"
      #expect(end.notes == told)
      #expect(throws: ServerError.self) { try StateLock.hold(state) {} }
    }
    #expect(try StateFile.read(path: state.secretPath, isSecret: true) == before)
    #expect(try run(rotate).status == ExitStatus.success.rawValue)
    #expect(try state.secrets.ring().entries.count == 2)
  }

  @Test func `'keys list' waits for a rotation that runs at the same time, and publishes the keys after it`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let state = try keys()
    let command = ["keys", "list", "--state", state.path]
    let list = try StateLock.hold(state) {
      let list = try start(command)
      // The command waits for the lock; if it did not, it would have ended.
      while list.isRunning, try !isWaiting(list.identifier) { sched_yield() }
      _ = try state.verdictKeys.rotate(now: 1, from: 1 << 40)
      return list
    }
    #expect(list.wait() == ExitStatus.success.rawValue)
    let keys = try state.verdictKeys.ring().entries.map(\.key.publicKeyPEM)
    #expect(keys.count == 2)
    #expect(try StateFile.read(path: state.verdictPublicKeyPath, isSecret: false) == keys.flatMap { $0 })
  }

  /// Whether a process waits for a lock that a different process holds, according to the kernel's list.
  private func isWaiting(_ process: pid_t) throws -> Bool {
    // /proc/locks is read to its end: `String(contentsOfFile:)` reads only the first page of a longer file in /proc.
    let file = try #require(FileHandle(forReadingAtPath: "/proc/locks"))
    let locks = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
    return locks.contains { $0.contains("-> FLOCK") && $0.split(separator: " ").contains("\(process)") }
  }

  @Test(arguments: [
    ["revoke", "nobody"], ["disable", "nobody", "--reason", "r"], ["enable", "nobody"],
    ["lock", "nobody", "--for", "9", "--reason", "r"], ["approve", "nobody", "--text", "t"], ["audit", "show", "7"],
  ])
  func `a command exits with 1 if what it names does not exist`(arguments: [String]) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try run(arguments + ["--state", store()]).status == ExitStatus.refused.rawValue)
  }

  @Test func `a command prints results and refusals as JSON, one object on a line`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let state = try store()
    let output = folder.appending(path: "output").path()
    for (arguments, expected) in [
      (["users"], #"{"name":"mina","keys":0,"revokedKeys":0,"hasOpenCode":false}"#),
      (["admin", "add", "mina", "auditor"], #"{"name":"mina","role":"auditor"}"#),
      (
        ["revoke", "nobody"],
        #"{"type":"about:blank","title":"Not Found","status":404,"code":"unknown","detail":"there is no account nobody"}"#
      ),
    ] {
      #expect(FileManager.default.createFile(atPath: output, contents: nil))
      _ = try run(arguments + ["--json", "--state", state], output: output)
      #expect(try String(contentsOfFile: output, encoding: .utf8) == expected + "\n")
    }
  }

  @Test func `nobody gets a role while it is open whether one of their passkeys counts`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let state = try store()
    let database = try ServerDirectory(path: folder.path(), create: false).openStore(create: false).database
    func passkeys() throws -> [PasskeyRecord] {
      try database.read { db in try SQLiteTransaction(connection: db).passkeys.passkeys(of: "mina") }
    }
    try database.write { db in
      try SQLiteTransaction(connection: db).passkeys.add(
        PasskeyRecord(
          username: "mina", relyingPartyID: "server.test", id: [1, 2, 3], userHandle: [4],
          publicKey: COSEKey(es256: P256.generate().publicKey), signCounter: 0, aaguid: .zero, isAttested: false,
          isBackupEligible: true, isBackedUp: true, transports: [], registeredAt: 0,
          origin: KeyOrigin(issuedBy: "token helpdesk")))
    }
    let add = ["admin", "add", "mina", "auditor", "--state", state]
    let open = try run(add)
    #expect(open.status == ExitStatus.refused.rawValue)
    #expect(open.notes.contains("passkey AQID: code issued by token helpdesk\n"), "\(open.notes)")
    #expect(try run(add + ["--count-key", "passkey AQIE"]).status == ExitStatus.refused.rawValue)
    #expect(try run(["admin", "remove", "mina", "--state", state]).status == ExitStatus.refused.rawValue)
    #expect(try run(add + ["--count-none"]).status == 0)
    #expect(try passkeys().allSatisfy { !$0.countsForSteps })
    #expect(try run(add + ["--count-key", "passkey AQID"]).status == 0)
    #expect(try passkeys().map(\.countsForSteps) == [true])
    #expect(try run(["revoke", "mina", "--key", "passkey AQID", "--state", state]).status == 0)
    #expect(try passkeys().allSatisfy { $0.revocation != nil })
  }

  @Test func `a command exits with 3 if the store cannot be used`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try store()
    try Data("no database, whatever its name says".utf8).write(to: folder.appending(path: "server.db"))
    let end = try run(["users", "--state", path])
    #expect(end.status == ExitStatus.unreachable.rawValue)
    #expect(end.notes.hasPrefix("uaf-server: the store cannot be used: "))
  }

  @Test func `the manuals of uafctl and uaf-server list the same exit statuses`() throws {
    var numbers: [String: Set<String>] = [:]
    for name in ["uafctl.1", "uaf-server.8"] {
      let text = try String(contentsOf: Checkout.file("man/" + name), encoding: .utf8)
      let section = text.components(separatedBy: ".Sh EXIT STATUS").last?.components(separatedBy: ".Sh ").first ?? ""
      let items = section.split(separator: "\n").filter { $0.hasPrefix(".It ") }.map { String($0.dropFirst(4)) }
      numbers[name] = Set(items)
    }
    #expect(numbers["uaf-server.8"] == Set(ExitStatus.allCases.map { String($0.rawValue) }))
    #expect(numbers["uafctl.1"]?.isSubset(of: numbers["uaf-server.8"] ?? []) == true)
    #expect(numbers["uafctl.1"]?.isSuperset(of: ["0", "1", "2", "3", "5"]) == true)
  }

  @Test func `the shell completion takes account names from the store that the command line names`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let answers = folder.appending(path: "answers")
    let words = ["uaf-server", "revoke", "--state", try store(), ""]
    _ = FileManager.default.createFile(atPath: answers.path(), contents: nil)
    let end = try run(["---completion", "revoke", "--", "positional@0", "4", "0"] + words, output: answers.path())
    #expect(end.status == 0)
    #expect(try String(contentsOf: answers, encoding: .utf8) == "mina\n")
  }
}
