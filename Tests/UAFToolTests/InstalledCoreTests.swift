import ChildProcess
import Glibc
import SecretMemory
import Testing
import ToolTestSupport
import UAFWire

@testable import TerminalPrompts
@testable import UAFTool

@Suite struct InstalledCoreTests {
  private let folder = Folder()

  /// Makes a helper of this shell script.
  ///
  /// The socket to uafctl is its descriptor 3.
  private func helper(_ script: String) -> String {
    folder.program("helper", "#!/bin/sh\n\(script)\n")
  }

  private func core(_ helper: String, as userID: uid_t = 0, serving: uid_t = 0) -> InstalledCore {
    InstalledCore(
      socketPath: folder.path + "/helper.sock", helperPath: helper, userID: userID, servingUserID: serving)
  }

  /// The first message that the core sends.
  private func first(_ core: InstalledCore) throws -> [UInt8] {
    let connection = try core.connect(startsOwn: true)
    var buffer = try Secret(capacity: WireLimit.packet + 1)
    _ = try connection.socket.receive(into: &buffer, timeoutMilliseconds: 10_000)
    connection.close()
    return buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  @Test func `uafctl starts the helper with exactly a fixed environment`() throws {
    let core = core(helper("cat /proc/self/environ >'\(folder.path)/environment'; printf '\\204' >&3"))
    #expect(try first(core) == [PacketType.ready.rawValue])
    // The shell itself adds PWD and _ for the programs that it starts.
    let variables = Set(folder.content("environment").split(separator: "\0").map(String.init))
    #expect(variables.subtracting(ChildProcess.environment).allSatisfy { $0.hasPrefix("PWD=") || $0.hasPrefix("_=") })
    #expect(variables.isSuperset(of: ChildProcess.environment))
  }

  @Test func `the helper that uafctl starts inherits the socket and no other descriptor`() throws {
    let pipe = Pipe()
    // A descriptor without close-on-exec, which the helper would inherit if nothing closed it.
    #expect(fcntl(pipe.reading, F_SETFD, 0) == 0)
    let core = core(helper("(ls -l /proc/$$/fd >'\(folder.path)/descriptors'); printf '\\204' >&3"))
    #expect(try first(core) == [PacketType.ready.rawValue])
    let lines = folder.content("descriptors").split(separator: "\n").dropFirst().map(String.init)
    for (number, target) in [("0", "/dev/null"), ("1", "/dev/null"), ("2", "/dev/null"), ("3", "socket:")] {
      #expect(lines.contains { $0.contains(" \(number) -> \(target)") })
    }
    // One more descriptor is the shell's own, for reading the script.
    let others = lines.filter { line in !["0", "1", "2", "3"].contains { line.contains(" \($0) -> ") } }
    #expect(others.allSatisfy { $0.hasSuffix("/helper") })
    _ = consume pipe
  }

  @Test
  func `the helper that uafctl starts has its own session, default signal handlers and no blocked signals`() throws {
    let core = core(
      helper(
        "cut -d' ' -f6 /proc/$$/stat >'\(folder.path)/session'; echo $$ >>'\(folder.path)/session';"
          + " while read -r line; do case $line in SigBlk*|SigIgn*) echo $line;; esac; done"
          + " </proc/self/status >'\(folder.path)/signals'; printf '\\204' >&3"))
    #expect(try first(core) == [PacketType.ready.rawValue])
    let numbers = folder.content("session").split(separator: "\n")
    #expect(numbers.count == 2 && numbers.first == numbers.last)
    let lines = folder.content("signals").split(separator: "\n")
    let sets = lines.compactMap { UInt64($0.dropFirst("SigBlk: ".count), radix: 16) }
    try #require(sets.count == 2 && lines[0].hasPrefix("SigBlk: ") && lines[1].hasPrefix("SigIgn: "))
    #expect(sets[0] == 0)
    // Signals 32 and 33 belong to the C library. posix_spawn of glibc 2.36 makes both ignored in the child; that of 2.41 does
    // so if this process handles them.
    #expect(sets[1] & ~(0b11 << 31) == 0)
  }

  @Test func `a helper that continues after its socket was closed is killed and reaped`() throws {
    let core = core(helper("echo $$ >'\(folder.path)/pid'; printf '\\204' >&3; exec sleep 600"))
    #expect(try first(core) == [PacketType.ready.rawValue])
    let process = pid_t(folder.content("pid").split(separator: "\n").first ?? "") ?? 0
    #expect(process > 1)
    let gone = kill(process, 0) != 0 && errno == ESRCH
    #expect(gone)
  }

  @Test func `a helper that ends immediately is not a success`() throws {
    let connection = try core(helper("exit 0")).connect(startsOwn: true)
    var conversation = try Conversation()
    var person = LinePerson(input: LineInput(descriptor: -1), output: Output(results: -1, notes: -1))
    var failure: ToolError?
    do throws(ToolError) {
      _ = try conversation.hold(Begin(.status), over: connection.socket, with: &person)
    } catch {
      failure = error
    }
    connection.close()
    #expect(failure == .core(.ended))
  }

  @Test func `refuses to continue if the helper is missing`() {
    let core = core(folder.path + "/none")
    #expect(throws: ToolError.core(.notStarted(path: folder.path + "/none", ENOENT))) {
      try core.connect(startsOwn: true).close()
    }
    #expect(throws: ToolError.core(.notStarted(path: folder.path + "/none", ENOENT))) {
      try core.connect(startsOwn: false).close()
    }
  }

  @Test func `refuses to start a helper for a caller without root`() {
    let core = core(helper("exit 0"), as: 1000)
    #expect(throws: ToolError.core(.absent(ENOENT))) { try core.connect(startsOwn: false).close() }
  }

  @Test func `uses the core's socket if the right user serves it, and refuses one that another user serves`() throws {
    let listening = Listener(folder.path + "/helper.sock")
    let here = core(folder.path + "/none", serving: geteuid())
    try here.connect(startsOwn: false).close()
    let stranger = core(folder.path + "/none", serving: geteuid() + 1)
    #expect(throws: ToolError.core(.notRoots)) { try stranger.connect(startsOwn: false).close() }
    // A call that must have a core of its own does not use the socket.
    #expect(throws: ToolError.core(.notStarted(path: folder.path + "/none", ENOENT))) {
      try here.connect(startsOwn: true).close()
    }
    _ = consume listening
  }
}
