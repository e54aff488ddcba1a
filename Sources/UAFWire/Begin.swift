/// The first message of a conversation: what is asked, for whom, and where from (PROTOCOL.md, *begin*).
///
/// Names, hosts and arguments are bytes as PAM had them; they are not known to be text.
public struct Begin: Equatable, Sendable {
  /// The version this code writes.
  public static let currentVersion: UInt16 = 3
  /// The versions this code reads: the current one and the one before it, which an upgrade meets for a moment.
  public static let spokenVersions: ClosedRange<UInt16> = 2...currentVersion

  /// The front end's version of the protocol.
  public var version = currentVersion
  /// What is asked.
  public var operation: Operation
  /// The account's number; nil when the name could not be resolved, and from peers without root.
  public var uid: UInt32?
  /// The account's canonical name; at most 256 bytes.
  public var account: [UInt8]?
  /// The name as the person typed it; at most 256 bytes.
  public var typedName: [UInt8]?
  /// The PAM service; at most 64 bytes.
  public var service: [UInt8]?
  /// The terminal; at most 256 bytes.
  public var tty: [UInt8]?
  /// Where the person comes from, as the host says; at most 256 bytes.
  public var remoteHost: [UInt8]?
  /// Who asks on that host or, with sudo, on this one; at most 256 bytes.
  public var remoteUser: [UInt8]?
  /// Whether the attempt comes over the network.
  public var isRemote: Bool {
    get { remote ?? false }
    set { remote = newValue }
  }
  /// PAM's flags.
  public var pamFlags: UInt32 {
    get { flags ?? 0 }
    set { flags = newValue }
  }
  /// The module's arguments; at most 32 of 4096 bytes.
  public var arguments: [[UInt8]] = []
  /// The person's locale; at most 64 bytes.
  public var locale: [UInt8]?
  /// Whether the core is to wait for *resume* before it asks.
  public var isDivided: Bool {
    get { divided ?? false }
    set { divided = newValue }
  }
  /// The authenticator type or AAID the operation is for; at most 64 bytes.
  public var authenticator: [UInt8]?
  /// The real user id of the host's process, from hosts with root: whoever called su or sudo.
  public var callerUID: UInt32?
  /// sudo's file; at most 4096 bytes.
  public var program: [UInt8]?
  /// sudo's arguments, its name first, with a NUL behind each; at most ``WireLimit/commandLine`` bytes, and cut there.
  public var commandLine: [UInt8]?
  /// The enrolment payload; at most 16384 bytes.
  public var payload: [UInt8]?
  /// Whether the server's token is to come with *finished*.
  public var wantsToken: Bool {
    get { token ?? false }
    set { token = newValue }
  }

  /// A text that whoever calls wants to have confirmed, without NUL; at most ``WireLimit/transaction`` bytes.
  public var transaction: [UInt8]?
  /// Whether the person denies what the payload asks to have approved.
  public var denies = false

  // Absent means no, or 0, but is written differently: a message that was read is written as it was.
  private var remote: Bool?
  private var flags: UInt32?
  private var divided: Bool?
  private var token: Bool?

  /// Asks for `operation` and leaves everything else absent.
  public init(_ operation: Operation) { self.operation = operation }

  /// The version alone of a packet that cannot be read: where it stands is the same in every version.
  ///
  /// Nil for what is no *begin*, and for one of a version that is spoken here, which is malformed then.
  public init?(foreignVersionIn bytes: Span<UInt8>) {
    // The type; tag 1, of two bytes.
    let head: [UInt8] = [PacketType.begin.rawValue, 1, 0, 2]
    guard bytes.count >= head.count + 2, head.indices.allSatisfy({ bytes[$0] == head[$0] }) else { return nil }
    let version = UInt16(bytes[head.count]) << 8 | UInt16(bytes[head.count + 1])
    guard !Self.spokenVersions.contains(version) else { return nil }
    self.init(.authenticate)
    self.version = version
  }

  /// The packet.
  ///
  /// - Throws: ``PacketError`` if a field is longer than it may be, or newer than the version.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.begin)
    writer.put(1, u16: version)
    writer.put(2, u8: operation.rawValue)
    writer.put(3, u32: uid)
    writer.put(4, optional: account)
    writer.put(5, optional: typedName)
    writer.put(6, optional: service)
    writer.put(7, optional: tty)
    writer.put(8, optional: remoteHost)
    writer.put(9, optional: remoteUser)
    writer.put(10, flag: remote)
    writer.put(11, u32: flags)
    for argument in arguments { writer.put(12, argument) }
    writer.put(13, optional: locale)
    writer.put(15, flag: divided)
    writer.put(16, optional: authenticator)
    writer.put(17, optional: payload)
    writer.put(18, flag: token)
    writer.put(19, u32: callerUID)
    writer.put(20, optional: program)
    writer.put(21, optional: commandLine)
    writer.put(22, optional: transaction)
    if denies { writer.put(23, flag: true) }
    try requireFieldsOfVersion()
    return try writer.finish()
  }

  /// Reads *begin* from the bytes `packet` was read from.
  ///
  /// - Throws: ``PacketError``, also for an operation that does not exist, and for a field newer than the version.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .begin else { throw .unexpectedType(packet.type) }
    guard let operation = packet.number(2, bytes).flatMap({ Operation(rawValue: UInt8(truncatingIfNeeded: $0)) })
    else { throw .invalidValue(.begin, tag: 2) }
    self.operation = operation
    version = UInt16(truncatingIfNeeded: packet.number(1, bytes) ?? 0)
    uid = packet.number(3, bytes)
    account = packet.bytes(4, bytes)
    typedName = packet.bytes(5, bytes)
    service = packet.bytes(6, bytes)
    tty = packet.bytes(7, bytes)
    remoteHost = packet.bytes(8, bytes)
    remoteUser = packet.bytes(9, bytes)
    remote = packet.flag(10, bytes)
    flags = packet.number(11, bytes)
    arguments = packet.all(12, bytes)
    locale = packet.bytes(13, bytes)
    divided = packet.flag(15, bytes)
    authenticator = packet.bytes(16, bytes)
    payload = packet.bytes(17, bytes)
    token = packet.flag(18, bytes)
    callerUID = packet.number(19, bytes)
    program = packet.bytes(20, bytes)
    commandLine = packet.bytes(21, bytes)
    transaction = packet.bytes(22, bytes)
    denies = packet.flag(23, bytes) ?? false
    try requireFieldsOfVersion()
  }

  /// Refuses what the version does not have: there is one encoding for one message.
  private func requireFieldsOfVersion() throws(PacketError) {
    guard version == 2 else { return }
    if transaction != nil { throw .unexpectedField(.begin, tag: 22) }
    if denies { throw .unexpectedField(.begin, tag: 23) }
  }
}
