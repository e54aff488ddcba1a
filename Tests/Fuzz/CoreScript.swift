import SecretMemory
import UAFMessages

@testable import UAFWire

/// An input, read as what a front end says and what a server answers.
///
/// A sequence of records, each a letter, a length (one byte; 255: two more follow) and that many bytes. Unknown letters mean
/// nothing, and everything left out has a default, so that every input is a script.
struct CoreScript {
  /// One step by the server.
  enum Answer {
    /// What a server would say.
    case proper
    /// These bytes, with a status and a content type.
    case raw(status: Int, contentType: String, body: [UInt8])
    /// None: which of the ways to fail.
    case failure(Int)
  }

  /// k: the number of the configuration, and who the peer is.
  private(set) var configuration = 0
  private(set) var isPeerRoot = true
  /// b: *begin*, made of an operation and flags, or B: the bytes unchanged.
  private(set) var begin: [UInt8] = []
  /// t and d, before b: a text of the caller's to confirm, and a denial.
  private var transaction: [UInt8]?
  private var denies = false
  /// ? an answer, c cancelled, n no conversation, D denied, r resume, x a packet with the bytes unchanged.
  private(set) var packets: [[UInt8]] = []
  /// Whether one of them contains the account's passcode.
  var hasPasscode: Bool {
    packets.contains { packet in
      packet.indices.contains { packet[$0...].starts(with: CoreWorld.value) }
    }
  }
  /// y as a server would, g bytes, f failure.
  private(set) var answers: [Answer] = []

  /// More packets than anyone sends, and fewer than a socket can buffer.
  private static let maximumPackets = 24

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let letter = rest.popFirst(), let short = rest.popFirst() {
      var length = Int(short)
      if short == 255, let high = rest.popFirst(), let low = rest.popFirst() { length = Int(high) << 8 | Int(low) }
      take(letter, Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    if begin.isEmpty { begin = makeBegin([]) }
  }

  private mutating func take(_ letter: UInt8, _ bytes: [UInt8]) {
    switch Unicode.Scalar(letter) {
    case "k":
      configuration = Int(bytes.first ?? 0)
      isPeerRoot = (bytes.dropFirst().first ?? 0) & 1 == 0
    case "t": transaction = bytes
    case "d": denies = true
    case "b": begin = makeBegin(bytes)
    case "B": begin = bytes
    case "?":
      guard let value = try? Secret(copying: bytes.span), let packet = try? Answer.packet(of: value) else { return }
      add(packet)
    case "c": add(FrontEndSignal.cancelled.packet)
    case "n": add(FrontEndSignal.noConversation.packet)
    case "D": add(FrontEndSignal.denied.packet)
    case "r": add(FrontEndSignal.resume.packet)
    case "x": add(bytes)
    case "y": answers.append(.proper)
    case "g": answers.append(Self.raw(bytes))
    case "f": answers.append(.failure(Int(bytes.first ?? 0)))
    default: break
    }
  }

  private mutating func add(_ packet: [UInt8]) {
    if packets.count < Self.maximumPackets, !packet.isEmpty { packets.append(packet) }
  }

  private static func raw(_ bytes: [UInt8]) -> Answer {
    let types = [
      "application/fido+uaf; charset=utf-8", "application/json", "text/html", "", TrustedFacetList.contentType,
    ]
    let statuses = [200, 500, 302, 0]
    let (first, second) = (Int(bytes.first ?? 0), Int(bytes.dropFirst().first ?? 0))
    return .raw(
      status: statuses[first % statuses.count], contentType: types[second % types.count],
      body: Array(bytes.dropFirst(2)))
  }

  /// A valid *begin*: an operation, flags, and a service or arguments, one on each line.
  private func makeBegin(_ bytes: [UInt8]) -> [UInt8] {
    let operations: [Operation] = [
      .authenticate, .change, .register, .deregister, .deregisterAll, .status, .unlock, .reset, .initialise, .forget,
      .trust, .join, .leave, .repair, .checkIn, .rename, .account, .keyringSet, .keyringForget,
    ]
    let flags = bytes.dropFirst().first ?? 0
    var begin = Begin(operations[Int(bytes.first ?? 0) % operations.count])
    if flags & 1 == 0 {
      begin.uid = flags & 2 == 0 ? CoreWorld.uid : 77
      begin.account = flags & 2 == 0 ? CoreWorld.name : Array("other".utf8)
      begin.typedName = begin.account
    }
    if flags & 4 != 0 { begin.isDivided = true }
    if flags & 8 != 0 { begin.wantsToken = true }
    if flags & 16 != 0 { begin.isRemote = true }
    if flags & 32 != 0 { begin.payload = CoreWorld.payload(for: begin.operation) }
    if flags & 64 != 0 { begin.authenticator = Array((flags & 128 != 0 ? "pattern" : "passcode").utf8) }
    var lines = bytes.dropFirst(2).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(
      Array.init)
    begin.service = lines.isEmpty ? Array("login".utf8) : lines.removeFirst()
    begin.arguments = lines.filter { !$0.isEmpty }
    if begin.service == Array("sudo".utf8) {
      begin.program = Array("/usr/bin/sudo".utf8)
      begin.commandLine = Array("sudo\0ls\0-l\0".utf8)
    }
    begin.transaction = transaction
    begin.denies = denies
    return (try? begin.packet()) ?? []
  }
}

extension CoreScript.Answer {
  fileprivate static func packet(of value: borrowing Secret) throws(PacketError) -> [UInt8] {
    try UAFWire.Answer.packet(value).withBytes { span in span.indices.map { span[$0] } }
  }
}
