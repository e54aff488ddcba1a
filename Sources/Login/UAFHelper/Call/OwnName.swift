import ChildProcess
import FidoResults
import Glibc
import SecretMemory
import UAFWire

/// The name of a peer that is not root.
///
/// The uid comes from the kernel, and its name from this machine's own sources.
///
/// The name decides for which account at the server keys are registered. So the name that the peer itself states is never used,
/// and if anything is unclear, there is no name.
enum OwnName: Equatable {
  case known([UInt8])
  /// Why there is no name, for the person and for the log.
  case missing(EndCause, log: String)

  /// Finds the name in `/etc/passwd` or else, for a registration, in the machine's name services.
  ///
  /// Other operations use the registered name, so that a directory that hangs does not delay them. There is one exception: if
  /// the person's own uafctl is to report what a login would do, the directory is asked, but the call continues even without
  /// its answer.
  ///
  /// - Parameters:
  ///   - passwd: the text of `/etc/passwd`, which takes precedence, so that no directory can give one of its names to a
  ///     different uid.
  ///   - directory: asks the name services.
  init(
    of uid: UInt32, for operation: Operation, isTool: Bool = false, passwd: [UInt8],
    directory: (UInt32) -> DirectoryName
  ) {
    switch PasswdFile.standing(of: uid, in: passwd) {
    case .named(let name): self = .known(name)
    case .unclear:
      self = .missing(.nameNotFound, log: "uid \(uid) has several names in /etc/passwd, or the file cannot be read")
    case .absent:
      guard operation == .register || isTool && [.authenticate, .status].contains(operation) else {
        self = .missing(.nameNotFound, log: "uid \(uid) is not in /etc/passwd")
        return
      }
      self.init(directory(uid), of: uid, passwd: passwd)
    }
  }

  private init(_ answer: DirectoryName, of uid: UInt32, passwd: [UInt8]) {
    switch answer {
    case .unknown: self = .missing(.nameNotFound, log: "uid \(uid) is neither in /etc/passwd nor in the name services")
    case .ambiguous:
      self = .missing(
        .nameOfOther,
        log: "the name services report the name of a different account for uid \(uid)")
    case .failed(let detail): self = .missing(.namesSilent, log: "uid \(uid) is not in /etc/passwd, and \(detail)")
    case .found(let name):
      guard !PasswdFile.has(name, in: passwd) else {
        self = .missing(
          .nameOfOther,
          log: "the name services report a name for uid \(uid) that belongs to a different account in /etc/passwd")
        return
      }
      // These are the characters that a name from a host with root privileges may have, except the colon, which ends a name in
      // /etc/passwd.
      guard !name.isEmpty, name.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: ":") }) else {
        self = .missing(.nameNotFound, log: "the name of uid \(uid) has characters that are not visible ASCII")
        return
      }
      self = .known(name)
    }
  }
}

/// Has uaf-name ask the machine's name services, and waits for the answer for a limited time.
struct NameProcess {
  /// The program's path.
  let program: String
  /// How long to wait for the answer, in milliseconds: a person should not wait longer than this for an unreachable directory.
  var patience: Int32 = 5000
  /// Called with the parts of the program's sandbox that are missing.
  var report: (String) -> Void = { _ in }

  /// Asks for the name of a uid.
  ///
  /// The program is killed before this returns, even if it is still working: a plug-in may hang in it.
  func name(of uid: UInt32) -> DirectoryName {
    do {
      let ends = try PacketSocket.pair()
      let socket = try PacketSocket(takingOver: ends.mine)
      let process: ChildProcess
      do {
        defer { close(ends.theirs) }
        process = try ChildProcess(starting: program, socket: ends.theirs)
      }
      defer { process.end() }
      return try ask(uid, over: socket)
    } catch { return .failed("uaf-name: \(error)") }
  }

  /// Asks uaf-name, or in tests another program, over this socket.
  func ask(_ uid: UInt32, over socket: borrowing PacketSocket) throws -> DirectoryName {
    var buffer = try Secret(capacity: WireLimit.packet + 1)
    try socket.send(NameRequest(uid: uid).packet())
    let packet: Packet
    do throws(PacketSocketError) {
      packet = try socket.receive(into: &buffer, timeoutMilliseconds: patience)
    } catch {
      guard error == .timedOut else { throw error }
      return .failed("the name services did not reply in \(patience) ms")
    }
    let answer = try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketError) in try NameAnswer(packet, bytes) }
    if let missing = answer.missing { report(missing) }
    switch answer.outcome {
    case .found: return answer.name.map(DirectoryName.found) ?? .unknown
    case .unknown: return .unknown
    case .ambiguous: return .ambiguous
    case .failed: return .failed("a name service failed: errno \(answer.number ?? 0)")
    }
  }
}

/// The answer of the machine's name services for a uid that `/etc/passwd` does not have.
enum DirectoryName: Equatable {
  /// The uid has this name, and the name maps back to the same uid.
  case found([UInt8])
  /// No account has the uid.
  case unknown
  /// The uid's name belongs to a different account.
  case ambiguous
  /// The name services could not be asked, or did not answer in time. The payload is the text for the log.
  case failed(String)
}

/// Account names from `/etc/passwd` itself.
///
/// The name that a peer other than root states is not used. The core does not use NSS: its plug-ins would bring foreign code
/// and sockets into the process that has the keys. If a uid is not in this file, ``NameProcess`` asks NSS.
enum PasswdFile {
  /// What the file says about a uid.
  enum Standing: Equatable {
    /// Exactly one line has the uid, with this name.
    case named([UInt8])
    /// No line has the uid.
    case absent
    /// Several lines have the uid, its line has no name, or the file cannot be read.
    case unclear
  }

  /// What the text of a passwd file says about `uid`.
  static func standing(of uid: UInt32, in text: [UInt8]) -> Standing {
    guard !text.isEmpty else { return .unclear }
    let names = lines(of: text).filter { line in
      String(validating: line.fields[2], as: UTF8.self).flatMap { UInt32($0) } == uid
    }
    guard let first = names.first else { return .absent }
    return names.count == 1 && !first.name.isEmpty ? .named(Array(first.name)) : .unclear
  }

  /// The name of `uid` in the text of a passwd file; nil unless exactly one line has this uid.
  static func name(of uid: UInt32, in text: [UInt8]) -> [UInt8]? {
    guard case .named(let name) = standing(of: uid, in: text) else { return nil }
    return name
  }

  /// The uids of a name in the text of a passwd file.
  static func numbers(of name: [UInt8], in text: [UInt8]) -> [UInt32] {
    lines(of: text).filter { $0.name.elementsEqual(name) }.compactMap { line in
      String(validating: line.fields[2], as: UTF8.self).flatMap { UInt32($0) }
    }
  }

  /// Whether a line of the text has this name.
  static func has(_ name: [UInt8], in text: [UInt8]) -> Bool {
    text.split(separator: UInt8(ascii: "\n")).contains { $0.prefix { $0 != UInt8(ascii: ":") }.elementsEqual(name) }
  }

  private static func lines(of text: [UInt8]) -> [(name: ArraySlice<UInt8>, fields: [ArraySlice<UInt8>])] {
    text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      return fields.count == 7 ? (fields[0], fields) : nil
    }
  }

  /// Reads the machine's passwd file; the result is empty if the file cannot be read or is larger than 4 MiB.
  static func read(_ path: String = "/etc/passwd") -> [UInt8] {
    // SAFETY: the path lives for the call; the descriptor is closed by the `defer`.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: (4 << 20) + 1)
    // SAFETY: the array has room for the number of bytes asked for.
    let count = unsafe Glibc.read(file, &bytes, bytes.count)
    return (0...4 << 20).contains(count) ? Array(bytes.prefix(count)) : []
  }
}
