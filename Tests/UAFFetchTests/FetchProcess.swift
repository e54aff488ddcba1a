import CProcess
import Glibc
import SecretMemory
import Testing
import UAFWire

/// A running `uaf-fetch` of this build, whose socket has the test at its other end.
///
/// The program ends together with the thread that started it, so a test must be done with it before it returns.
struct FetchProcess: ~Copyable {
  let identifier: pid_t
  private var socket: PacketSocket?
  private var isReaped = false

  /// The folder with the built programs.
  private static let program: String = {
    var path = [CChar](repeating: 0, count: 4096)
    // SAFETY: the array has the room that is announced.
    let length = unsafe readlink("/proc/self/exe", &path, path.count)
    let name = String(decoding: path.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.prefix(upTo: name.lastIndex(of: "/") ?? name.startIndex) + "/uaf-fetch"
  }()

  init(arguments: [String] = [], environment: [String] = []) throws {
    try self.init(command: [Self.program] + arguments, environment: environment)
  }

  /// Starts the program with resource limits, given as arguments of prlimit(1).
  init(limits: [String]) throws {
    try self.init(command: ["/usr/bin/prlimit"] + limits + [Self.program], environment: [])
  }

  /// Starts the program as the child of another process, whose process id is then ``identifier``.
  static func withParent() throws -> FetchProcess {
    try FetchProcess(
      command: ["/bin/sh", "-c", "\"$0\" & exec sleep 600", program], environment: ["PATH=/usr/bin:/bin"])
  }

  private init(command: [String], environment: [String]) throws {
    let ends = try PacketSocket.pair()
    socket = try PacketSocket(takingOver: ends.mine)
    defer { close(ends.theirs) }
    // SAFETY: all texts and lists outlive the calls, and the lists end with nil.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends.theirs, 3)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    // The child inherits no descriptor of another test.
    unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 4)
    let list = unsafe command.map { unsafe strdup($0) } + [nil]
    let variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (list + variables).forEach { unsafe free($0) } }
    var identifier: pid_t = 0
    let failure = unsafe posix_spawn(&identifier, command[0], &actions, nil, list, variables)
    try #require(failure == 0)
    self.identifier = identifier
  }

  deinit {
    guard !isReaped else { return }
    kill(identifier, SIGKILL)
    var status: CInt = 0
    // SAFETY: `status` is an int.
    _ = unsafe waitpid(identifier, &status, 0)
  }

  /// Sends a request, and receives the answer with all of its body.
  borrowing func perform(_ request: FetchRequest) throws -> (FetchResponse, body: [UInt8]) {
    for packet in try request.packets() { try send(packet) }
    return try receive()
  }

  borrowing func send(_ packet: [UInt8]) throws { try socket?.send(packet) }

  borrowing func receive() throws -> (FetchResponse, body: [UInt8]) {
    var buffer = try Secret(capacity: WireLimit.packet + 1)
    let head = try receivePacket(into: &buffer)
    let response = try buffer.withBytes { span in try FetchResponse(head, span) }
    var body: [UInt8] = []
    while body.count < response.bodyLength {
      let chunk = try receivePacket(into: &buffer)
      try buffer.withBytes { span in
        try FetchChunk.append(chunk, span, to: &body, total: Int(response.bodyLength))
      }
    }
    return (response, body)
  }

  private borrowing func receivePacket(into buffer: inout Secret) throws -> Packet {
    switch socket {
    case .some(let socket): return try socket.receive(into: &buffer, timeoutMilliseconds: 60_000)
    case nil: throw PacketSocketError.closed
    }
  }

  /// Closes the test's end of the socket.
  mutating func hangUp() { socket = nil }

  /// Waits until the program has ended; returns its exit status, or minus the signal that ended it.
  mutating func ended() -> Int32 {
    var status: CInt = 0
    // SAFETY: `status` is an int.
    _ = unsafe waitpid(identifier, &status, 0)
    isReaped = true
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
  }

  /// The text of one line in /proc/PID/status, without the line's name.
  borrowing func status(_ name: String) -> String? {
    Self.lines("/proc/\(identifier)/status").first { $0.hasPrefix(name + ":") }.map {
      $0.dropFirst(name.count + 1).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }

  /// The lines of a file of /proc.
  static func lines(_ path: String) -> [String] {
    // SAFETY: the file is closed below, and the buffer has the room that is announced.
    guard let file = unsafe fopen(path, "r") else { return [] }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
