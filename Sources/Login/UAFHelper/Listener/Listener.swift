import ChildProcess
import FidoResults
import Glibc
import UAFWire

/// `uaf-helper --listen`: accepts the connections to systemd's socket, descriptor 3, and starts a core for each connection
/// within the limits.
///
/// It reads nothing that a peer sends; the peer's uid comes from the kernel. It keeps one core ready for the next connection.
/// If there are no connections for some time, it ends, together with the ready core; systemd starts it again for the next
/// connection.
struct Listener {
  private let socket: CInt
  private let program: String
  private let log: any LogSink
  private let refusal: [UInt8]
  private var limits = ConnectionLimits()
  private var cores: [(process: ChildProcess, uid: UInt32)] = []
  private var ready: ReadyCore?
  /// When the last core was started, in milliseconds; nil if the next one is already waiting, or is not to be started yet.
  private var startedAt: Int64?

  /// After how many milliseconds without a connection or a core the listener ends.
  ///
  /// This is longer than the time for which sudo(8) remembers a login.
  private static let idle: Int32 = 20 * 60_000
  /// The next core is started in advance this many milliseconds after the last one, even if the last one is still working.
  private static let pause: Int64 = 1000
  /// How often the listener checks which cores have ended, in milliseconds.
  private static let sweep: Int32 = 100

  /// - Parameters:
  ///   - socket: a listening packet socket.
  ///   - program: the path of the core.
  init(on socket: CInt, starting program: String, log: any LogSink) throws(PacketError) {
    self.socket = socket
    self.program = program
    self.log = log
    let result = FidoResult.systemCancel
    var finished = Finished(
      pamCode: UInt8(truncatingIfNeeded: result.pamCode(PAMContext()).rawValue), result: result.code)
    finished.text = PromptText.tooManyConversations.text(in: .english)
    refusal = try CoreMessage.finished(finished).packet()
  }

  /// Serves until there have been no connections for ``idle``; returns the exit status.
  mutating func run() -> CInt {
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    var sweptAt = Self.milliseconds()
    while true {
      var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      // SAFETY: one entry is passed, and the count is one.
      let ready = unsafe poll(&entry, 1, cores.isEmpty ? Self.idle : Self.sweep)
      if ready < 0, errno != EINTR { return 1 }
      if ready == 0, cores.isEmpty { return 0 }
      if ready > 0 { takeOne() }
      let now = Self.milliseconds()
      if now - sweptAt >= Int64(Self.sweep) {
        removeEnded()
        makeReady(at: now)
        sweptAt = now
      }
    }
  }

  private mutating func takeOne() {
    let accepted = accept(socket, nil, nil)
    guard accepted >= 0, let connection = try? PacketSocket(takingOver: accepted),
      let uid = try? connection.peerUserID()
    else { return }
    // A uid other than root's has only a few cores, so they are checked immediately. Root's are checked in the sweep.
    if uid != 0 { removeEnded(of: uid) }
    switch limits.answer(uid, at: Self.milliseconds()) {
    case .start: start(on: accepted, for: uid)
    case .drop: break
    case .refuse(let isNews):
      if isNews { tell("refused: too many connections", uid) }
      try? connection.send(refusal, timeoutMilliseconds: 0)
      // If the peer's packet were left unread, closing the socket would reset the connection, and the peer could not read the
      // refusal.
      var byte: UInt8 = 0
      // SAFETY: one byte is asked for; the rest of the packet is dropped.
      _ = unsafe recv(accepted, &byte, 1, CInt(MSG_DONTWAIT))
    }
  }

  private mutating func start(on connection: CInt, for uid: UInt32) {
    startedAt = Self.milliseconds()
    if let process = ready.take()?.serve(connection) {
      cores.append((process, uid))
      return
    }
    do throws(ChildProcessError) {
      cores.append((try ChildProcess(starting: program, [HelperRole.accepted], socket: connection), uid))
    } catch {
      limits.noteEnd(uid)
      tell("a core could not be started: \(error)", uid)
    }
  }

  /// Starts the core for the next connection in advance.
  ///
  /// While another core is working, this is put off for ``pause``, because that core needs the processor more.
  private mutating func makeReady(at now: Int64) {
    guard let startedAt, cores.isEmpty || now - startedAt >= Self.pause else { return }
    // If this fails, the core is started when the next connection comes, as for the first connection.
    ready = try? ReadyCore(starting: program)
    self.startedAt = nil
  }

  /// Removes the cores that have ended from the list: those of one uid, or all.
  private mutating func removeEnded(of uid: UInt32? = nil) {
    let ended = cores.indices.filter { (uid == nil || cores[$0].uid == uid) && cores[$0].process.hasEnded() }
    for index in ended.reversed() { limits.noteEnd(cores.remove(at: index).uid) }
  }

  private func tell(_ detail: String, _ uid: UInt32) {
    var line = LogLine(.peer)
    line.add(.peer, String(uid))
    line.add(.detail, detail)
    log.write(line, .warning)
  }

  private static func milliseconds() -> Int64 {
    var time = timespec()
    // SAFETY: `time` is a timespec.
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
  }
}

/// A core that was started in advance, before its connection came.
///
/// It has done everything that does not depend on the call, and waits for a connection. Like any other core, it serves only
/// one.
final class ReadyCore {
  /// The argument that tells a core to wait for its connection.
  static let argument = "--ready"

  private let process: ChildProcess
  private let socket: CInt

  /// Starts a core.
  ///
  /// - Throws: `ChildProcessError`, `PacketSocketError`.
  init(starting program: String) throws {
    let ends = try PacketSocket.pair()
    defer { close(ends.theirs) }
    do { process = try ChildProcess(starting: program, [Self.argument], socket: ends.theirs) } catch {
      close(ends.mine)
      throw error
    }
    socket = ends.mine
  }

  // If the core is still waiting, it then ends.
  deinit { close(socket) }

  /// Passes to the core the connection that it is to serve.
  ///
  /// - Returns: the core's process; nil if it has ended.
  func serve(_ connection: CInt) -> ChildProcess? {
    if PassedDescriptor.send(connection, over: socket) { return process }
    process.reap()
    return nil
  }
}

/// A descriptor that is passed to another process over a Unix socket of type SOCK_SEQPACKET (`SCM_RIGHTS` of unix(7)).
enum PassedDescriptor {
  /// The one byte of data that is sent with the descriptor.
  private static let byte: UInt8 = 0
  // CMSG_LEN and CMSG_SPACE of cmsg(3), which are macros.
  private static let offset = aligned(MemoryLayout<cmsghdr>.size)
  private static let length = offset + MemoryLayout<CInt>.size
  private static let space = offset + aligned(MemoryLayout<CInt>.size)

  private static func aligned(_ size: Int) -> Int {
    (size + MemoryLayout<Int>.size - 1) & ~(MemoryLayout<Int>.size - 1)
  }

  /// Sends a copy of `descriptor`, without waiting.
  ///
  /// - Returns: false if nobody can receive it.
  static func send(_ descriptor: CInt, over socket: CInt) -> Bool {
    var header = cmsghdr()
    header.cmsg_len = length
    header.cmsg_level = SOL_SOCKET
    header.cmsg_type = CInt(SCM_RIGHTS)
    var control = [UInt8](repeating: 0, count: space)
    // SAFETY: the control data has room for both, at these offsets.
    unsafe control.withUnsafeMutableBytes {
      unsafe $0.storeBytes(of: header, as: cmsghdr.self)
      unsafe $0.storeBytes(of: descriptor, toByteOffset: offset, as: CInt.self)
    }
    return unsafe exchange(&control) { unsafe sendmsg(socket, $0, CInt(MSG_NOSIGNAL | MSG_DONTWAIT)) } == 1
  }

  /// Waits for a descriptor, which gets the close-on-exec flag.
  ///
  /// - Returns: nil if the other end was closed, or sent anything else.
  static func receive(over socket: CInt) -> CInt? {
    var control = [UInt8](repeating: 0, count: space)
    // SAFETY: the message lives for each call. The control data is as long as header and descriptor together, whatever was
    // received.
    var count = unsafe exchange(&control) { unsafe recvmsg(socket, $0, CInt(MSG_CMSG_CLOEXEC)) }
    while count < 0, errno == EINTR {
      count = unsafe exchange(&control) { unsafe recvmsg(socket, $0, CInt(MSG_CMSG_CLOEXEC)) }
    }
    guard count == 1 else { return nil }
    return unsafe control.withUnsafeBytes {
      let header = unsafe $0.loadUnaligned(as: cmsghdr.self)
      guard header.cmsg_len == length, header.cmsg_level == SOL_SOCKET, header.cmsg_type == CInt(SCM_RIGHTS)
      else { return nil }
      return unsafe $0.loadUnaligned(fromByteOffset: offset, as: CInt.self)
    }
  }

  /// Makes a message with one byte and this control data, and passes it to `call`.
  private static func exchange(_ control: inout [UInt8], _ call: (UnsafeMutablePointer<msghdr>) -> Int) -> Int {
    var byte = Self.byte
    // SAFETY: vector, message and the data that they point to live until the call returns.
    return unsafe control.withUnsafeMutableBytes { control in
      unsafe withUnsafeMutableBytes(of: &byte) { byte in
        var vector = unsafe iovec(iov_base: byte.baseAddress, iov_len: byte.count)
        return unsafe withUnsafeMutablePointer(to: &vector) { vector in
          var message = unsafe msghdr()
          unsafe message.msg_iov = vector
          unsafe message.msg_iovlen = 1
          unsafe message.msg_control = control.baseAddress
          unsafe message.msg_controllen = control.count
          return unsafe call(&message)
        }
      }
    }
  }
}

/// Decides which connections to the socket get a core.
///
/// Each uid may have only a few at the same time, and start only a few per second.
struct ConnectionLimits {
  /// What happens to a connection.
  enum Answer: Equatable {
    /// The connection gets a core.
    case start
    /// The peer gets the message that there are too many connections. `isNews` is true at most once a minute for each uid; the
    /// refusal is then logged.
    case refuse(isNews: Bool)
    /// The connection is closed without a message. A host with root privileges then starts a core itself.
    case drop
  }

  private struct Record {
    /// How many connections of the uid have a core.
    var open = 0
    /// The time, in milliseconds, from which the uid may again start a whole burst.
    var restedAt: Int64 = 0
    /// The time, in milliseconds, from which a refusal is logged again.
    var newsAt = Int64.min
  }

  // How many cores there may be at the same time: for hosts of root, for all other uids together, and for one other uid. The
  // core itself allows a uid fewer conversations (`PeerSlot`), and refuses further ones in the person's language.
  static let hosts = 192
  static let people = 128
  static let eachPerson = 8
  /// A uid other than root's may start one core in `interval` milliseconds, and up to `burst` cores at once.
  static let interval: Int64 = 100
  static let burst: Int64 = 50
  private static let newsInterval: Int64 = 60_000
  /// How many uids are recorded.
  ///
  /// If more are in use, for example subordinate uids (`/etc/subuid`), further ones are refused until some have been unused for
  /// some time.
  private static let mostRecords = 4096

  private var records: [UInt32: Record] = [:]
  private var openPeople = 0

  /// Decides what happens to a connection.
  ///
  /// - Parameters:
  ///   - uid: the peer's uid, as the kernel reports it.
  ///   - now: a clock that does not go back, in milliseconds.
  mutating func answer(_ uid: UInt32, at now: Int64) -> Answer {
    guard uid != 0 else {
      guard records[0, default: Record()].open < Self.hosts else { return .drop }
      records[0, default: Record()].open += 1
      return .start
    }
    if records[uid] == nil, records.count >= Self.mostRecords { forgetRested(at: now) }
    // These refusals are not recorded: somebody with thousands of uids could otherwise fill the table.
    guard openPeople < Self.people, records[uid] != nil || records.count < Self.mostRecords else {
      return .refuse(isNews: false)
    }
    var record = records[uid] ?? Record()
    defer { records[uid] = record }
    let restedAt = max(record.restedAt, now) + Self.interval
    guard record.open < Self.eachPerson, restedAt - now <= Self.burst * Self.interval else {
      guard now >= record.newsAt else { return .refuse(isNews: false) }
      record.newsAt = now + Self.newsInterval
      return .refuse(isNews: true)
    }
    record.restedAt = restedAt
    record.open += 1
    openPeople += 1
    return .start
  }

  /// Records that the core of a connection has ended.
  mutating func noteEnd(_ uid: UInt32) {
    guard let open = records[uid]?.open, open > 0 else { return }
    records[uid]?.open = open - 1
    if uid != 0 { openPeople -= 1 }
  }

  private mutating func forgetRested(at now: Int64) {
    records = records.filter { $0.value.open > 0 || $0.value.restedAt > now || $0.value.newsAt > now }
  }
}
