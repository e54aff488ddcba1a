import Glibc
import Testing
import UAFWire

@testable import UAFFetch

/// How the built program starts, as which user it runs, and what ends it.
struct ProcessTests {
  /// A request that is answered without the network.
  private static let unacceptable = FetchRequest(.get, url: "http://10.0.0.1/", timeoutMilliseconds: 1000)

  @Test func `ends when the socket ends`() throws {
    var fetch = try FetchProcess()
    fetch.hangUp()
    let status = fetch.ended()
    #expect(status == FetchExitStatus.done.rawValue)
  }

  @Test func `ends within an exchange when the socket ends`() throws {
    let servers = try Servers.shared()
    var fetch = try FetchProcess()
    // Once it has answered, the program is past the check at its start.
    _ = try fetch.perform(Self.unacceptable)
    try fetch.send(servers.get(servers.mute, timeout: 600_000).packet())
    fetch.hangUp()
    let status = fetch.ended()
    #expect(status == FetchExitStatus.done.rawValue)
  }

  @Test func `ends with its parent, even if the socket stays`() throws {
    var fetch = try FetchProcess.withParent()
    _ = try fetch.perform(Self.unacceptable)
    kill(fetch.identifier, SIGKILL)
    _ = fetch.ended()
    #expect(throws: PacketSocketError.closed) { _ = try fetch.receive() }
  }

  @Test(arguments: [
    [0x05], [0x41], [0x03], [0x84], [0xC2, 1, 0, 1, 0], [0x41, 1, 0, 2, 0, 1, 2, 0, 1, 1],
  ])
  func `ends at a malformed packet, and at one that is not a request`(_ packet: [UInt8]) throws {
    var fetch = try FetchProcess()
    try fetch.send(packet)
    let status = fetch.ended()
    #expect(status == FetchExitStatus.malformedPacket.rawValue)
  }

  @Test(arguments: [5, 9]) func `refuses a request of a different version or method, and serves the next one`(
    _ place: Int
  )
    throws
  {
    let fetch = try FetchProcess()
    var packet = try Self.unacceptable.packet()
    packet[place] = 9
    try fetch.send(packet)
    let (response, _) = try fetch.receive()
    #expect(response.outcome == .unacceptableRequest)
    let (next, _) = try fetch.perform(Self.unacceptable)
    #expect(next.outcome == .unacceptableRequest)
  }

  @Test func `prints its version`() throws {
    var fetch = try FetchProcess(arguments: ["--version"])
    let status = fetch.ended()
    #expect(status == FetchExitStatus.done.rawValue)
  }

  @Test(arguments: [["--help"], ["--version", "--version"], [""], ["https://127.0.0.1/"]])
  func `refuses arguments`(_ arguments: [String]) throws {
    var fetch = try FetchProcess(arguments: arguments)
    let status = fetch.ended()
    #expect(status == FetchExitStatus.usage.rawValue)
  }

  @Test func `the program can gain no privileges, leaves no core dump, and hides its memory`() throws {
    let fetch = try FetchProcess()
    _ = try fetch.perform(Self.unacceptable)
    #expect(fetch.status("NoNewPrivs") == "1")
    for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"] { #expect(fetch.status(set) == "0000000000000000") }
    let core = FetchProcess.lines("/proc/\(fetch.identifier)/limits").first { $0.hasPrefix("Max core file size") }
    #expect(core?.split(whereSeparator: \.isWhitespace).dropFirst(4).prefix(2) == ["0", "0"])
    var file = stat()
    // SAFETY: `file` is a stat. What a process that cannot be dumped has in /proc belongs to root.
    #expect(unsafe stat("/proc/\(fetch.identifier)/environ", &file) == 0)
    #expect(file.st_uid == 0)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
  func `runs as a user without privileges, groups or capabilities`() throws {
    let fetch = try FetchProcess()
    _ = try fetch.perform(Self.unacceptable)
    #expect(fetch.status("Uid") == "60990 60990 60990 60990")
    #expect(fetch.status("Gid") == "60990 60990 60990 60990")
    #expect(fetch.status("Groups") == "")
    // A container may lack CAP_SETPCAP, without which the bounding set stays.
    let mine = FetchProcess.lines("/proc/self/status").first { $0.hasPrefix("CapEff:") }?.dropFirst(7)
    let mayDrop = mine.flatMap { UInt64($0.filter { !$0.isWhitespace }, radix: 16) }.map { $0 >> 8 & 1 == 1 }
    if mayDrop == true { #expect(fetch.status("CapBnd") == "0000000000000000") }
  }
}
