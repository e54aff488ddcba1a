import Glibc
import Testing
import UAFWire

@testable import UAFFetch

/// How the built program starts, as which user it runs, and what ends it.
struct ProcessTests {
  /// A request that the program refuses without using the network.
  private static let unacceptable = FetchRequest(.get, url: "http://10.0.0.1/", timeoutMilliseconds: 1000)

  @Test func `the network program ends when its socket is closed`() throws {
    var fetch = try FetchProcess()
    fetch.hangUp()
    let status = fetch.ended()
    #expect(status == FetchExitStatus.done.rawValue)
  }

  @Test func `the network program ends in the middle of a request when its socket is closed`() throws {
    let servers = try Servers.shared()
    var fetch = try FetchProcess()
    // Once the program has answered, it is past the check for a closed socket that it makes at its start.
    _ = try fetch.perform(Self.unacceptable)
    try fetch.send(servers.get(servers.mute, timeout: 600_000).packet())
    fetch.hangUp()
    let status = fetch.ended()
    #expect(status == FetchExitStatus.done.rawValue)
  }

  @Test func `the network program ends with its parent, even if the socket stays open`() throws {
    var fetch = try FetchProcess.withParent()
    _ = try fetch.perform(Self.unacceptable)
    kill(fetch.identifier, SIGKILL)
    _ = fetch.ended()
    #expect(throws: PacketSocketError.closed) { _ = try fetch.receive() }
  }

  @Test(arguments: [
    [0x05], [0x41], [0x03], [0x84], [0xC2, 1, 0, 1, 0], [0x41, 1, 0, 2, 0, 1, 2, 0, 1, 1],
  ])
  func `the network program ends after a malformed packet, and after a packet that is not a request`(_ packet: [UInt8])
    throws
  {
    var fetch = try FetchProcess()
    try fetch.send(packet)
    let status = fetch.ended()
    #expect(status == FetchExitStatus.malformedPacket.rawValue)
  }

  @Test(arguments: [5, 9]) func `refuses a request with an unknown version or method, and performs the next one`(
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

  @Test func `the network program prints its version`() throws {
    var fetch = try FetchProcess(arguments: ["--version"])
    let status = fetch.ended()
    #expect(status == FetchExitStatus.done.rawValue)
  }

  @Test(arguments: [["--help"], ["--version", "--version"], [""], ["https://127.0.0.1/"]])
  func `the network program refuses any other arguments`(_ arguments: [String]) throws {
    var fetch = try FetchProcess(arguments: arguments)
    let status = fetch.ended()
    #expect(status == FetchExitStatus.usage.rawValue)
  }

  @Test func `the network program can gain no privileges, leaves no core dump, and hides its memory`() throws {
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
  func `the network program runs as a user without privileges, groups or capabilities`() throws {
    let fetch = try FetchProcess()
    _ = try fetch.perform(Self.unacceptable)
    #expect(fetch.status("Uid") == "60990 60990 60990 60990")
    #expect(fetch.status("Gid") == "60990 60990 60990 60990")
    #expect(fetch.status("Groups") == "")
    // Without CAP_SETPCAP, which a container can lack, the bounding set cannot be emptied.
    let mine = FetchProcess.lines("/proc/self/status").first { $0.hasPrefix("CapEff:") }?.dropFirst(7)
    let mayDrop = mine.flatMap { UInt64($0.filter { !$0.isWhitespace }, radix: 16) }.map { $0 >> 8 & 1 == 1 }
    if mayDrop == true { #expect(fetch.status("CapBnd") == "0000000000000000") }
  }
}
