/// The first message of a conversation: the operation, the account, and where the attempt comes from (docs/protocol.md,
/// *begin*).
///
/// Names, hosts and arguments are bytes as they came from PAM; they need not be valid text.
public struct Begin: Equatable, Sendable {
  /// The fields of *begin*.
  enum Field: UInt8, PacketField {
    case version = 1
    case operation
    case uid
    case account
    case typedName
    case service
    case tty
    case remoteHost
    case remoteUser
    case remote
    case pamFlags
    case argument
    case locale
    case divided = 15
    case authenticator
    case payload
    case wantsToken
    case callerUID
    case program
    case commandLine
    case transaction
    case denies
    case showsLists
    case takesKeyring

    static let rules = [
      version.rule(.u16, required: true),
      operation.rule(.u8, required: true),
      uid.rule(.u32),
      account.rule(.name(256)),
      typedName.rule(.name(256)),
      service.rule(.name(64)),
      tty.rule(.name(256)),
      remoteHost.rule(.name(256)),
      remoteUser.rule(.name(256)),
      remote.rule(.flag),
      pamFlags.rule(.u32),
      argument.rule(.name(4096), repeats: 32),
      locale.rule(.name(64)),
      divided.rule(.flag),
      authenticator.rule(.name(64)),
      payload.rule(.name(16384)),
      wantsToken.rule(.flag),
      callerUID.rule(.u32),
      program.rule(.name(4096)),
      commandLine.rule(.raw(WireLimit.commandLine)),
      transaction.rule(.name(WireLimit.transaction)),
      denies.rule(.mark),
      showsLists.rule(.mark),
      takesKeyring.rule(.mark),
    ]
  }

  /// The version of the protocol that this code writes.
  public static let currentVersion: UInt16 = 5
  /// The versions that this code reads: the current one, and those that front ends may use for a short time during an upgrade.
  ///
  /// Version 3 is among them because version 4 was in no release.
  public static let spokenVersions: ClosedRange<UInt16> = 3...currentVersion

  /// The version of the protocol that the front end uses.
  public var version = currentVersion
  /// The requested operation.
  public var operation: Operation
  /// The account's uid; nil if the name could not be resolved, and nil from peers that are not root.
  public var uid: UInt32?
  /// The account's canonical name; at most 256 bytes.
  public var account: [UInt8]?
  /// The name as the person typed it; at most 256 bytes.
  public var typedName: [UInt8]?
  /// The PAM service; at most 64 bytes.
  public var service: [UInt8]?
  /// The terminal; at most 256 bytes.
  public var tty: [UInt8]?
  /// The host that the person comes from, as the PAM host states; at most 256 bytes.
  public var remoteHost: [UInt8]?
  /// The user on the remote host or, with sudo, on this machine; at most 256 bytes.
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
  /// Whether the core should wait for *resume* before the first prompt.
  public var isDivided: Bool {
    get { divided ?? false }
    set { divided = newValue }
  }
  /// The authenticator type or AAID for which the operation is; at most 64 bytes.
  public var authenticator: [UInt8]?
  /// The real uid of the host's process, that is, the caller of su or sudo; only from hosts with root privileges.
  public var callerUID: UInt32?
  /// The path of sudo's executable; at most 4096 bytes.
  public var program: [UInt8]?
  /// sudo's arguments, beginning with its name, each followed by a NUL; cut off after ``WireLimit/commandLine`` bytes.
  public var commandLine: [UInt8]?
  /// A payload or a code; at most 16384 bytes.
  ///
  /// In a *rename*, it is the account's former name: see ``formerName``.
  public var payload: [UInt8]?
  /// The account's former name, in a *rename*; nil in other operations.
  public var formerName: [UInt8]? { operation == .rename ? payload : nil }
  /// Whether *finished* should contain the server's token.
  public var wantsToken: Bool {
    get { token ?? false }
    set { token = newValue }
  }

  /// A text that the caller wants the person to confirm, without NUL; at most ``WireLimit/transaction`` bytes.
  public var transaction: [UInt8]?
  /// Whether the person denies the text that the payload names.
  public var denies = false
  /// Whether the host shows the options of a prompt as a list; only from hosts with root privileges.
  public var showsLists = false
  /// Whether the host may get the password of the person's keyring; only from hosts with root privileges.
  public var takesKeyring = false

  // Nil means that the field is absent, which means false or 0. It is distinguished from a field with false or 0, so that a
  // message is written exactly as it was read.
  private var remote: Bool?
  private var flags: UInt32?
  private var divided: Bool?
  private var token: Bool?

  /// Makes a *begin* with this operation, and without all other fields.
  public init(_ operation: Operation) { self.operation = operation }

  /// Reads only the version of a packet that could not be read otherwise.
  ///
  /// Its position is the same in every version.
  ///
  /// Nil if the packet is not a *begin*. Also nil if it has a version that this code reads: it is then malformed.
  public init?(foreignVersionIn bytes: Span<UInt8>) {
    // The packet type, and the tag and length of the first field, which has two bytes.
    let head: [UInt8] = [PacketType.begin.rawValue, Field.version.tag, 0, 2]
    guard bytes.count >= head.count + 2, head.indices.allSatisfy({ bytes[$0] == head[$0] }) else { return nil }
    let version = UInt16(bytes[head.count]) << 8 | UInt16(bytes[head.count + 1])
    guard !Self.spokenVersions.contains(version) else { return nil }
    self.init(.authenticate)
    self.version = version
  }

  /// The packet.
  ///
  /// - Throws: ``PacketError`` if a field is longer than allowed, or does not exist in the version.
  public func packet() throws(PacketError) -> [UInt8] {
    var writer = PacketWriter(.begin)
    writer.put(Field.version, u16: version)
    writer.put(Field.operation, u8: operation.rawValue)
    writer.put(Field.uid, u32: uid)
    writer.put(Field.account, optional: account)
    writer.put(Field.typedName, optional: typedName)
    writer.put(Field.service, optional: service)
    writer.put(Field.tty, optional: tty)
    writer.put(Field.remoteHost, optional: remoteHost)
    writer.put(Field.remoteUser, optional: remoteUser)
    writer.put(Field.remote, flag: remote)
    writer.put(Field.pamFlags, u32: flags)
    for argument in arguments { writer.put(Field.argument, argument) }
    writer.put(Field.locale, optional: locale)
    writer.put(Field.divided, flag: divided)
    writer.put(Field.authenticator, optional: authenticator)
    writer.put(Field.payload, optional: payload)
    writer.put(Field.wantsToken, flag: token)
    writer.put(Field.callerUID, u32: callerUID)
    writer.put(Field.program, optional: program)
    writer.put(Field.commandLine, optional: commandLine)
    writer.put(Field.transaction, optional: transaction)
    if denies { writer.put(Field.denies, flag: true) }
    if showsLists { writer.put(Field.showsLists, flag: true) }
    if takesKeyring { writer.put(Field.takesKeyring, flag: true) }
    try requireFieldsOfVersion()
    return try writer.finish()
  }

  /// Reads *begin* from the bytes from which `packet` was read.
  ///
  /// - Throws: ``PacketError``, including for an operation that does not exist, and for a field that does not exist in the
  ///   version.
  public init(_ packet: Packet, _ bytes: Span<UInt8>) throws(PacketError) {
    guard packet.type == .begin else { throw .unexpectedType(packet.type) }
    operation = try packet.meaning(of: Field.operation, bytes)
    version = UInt16(truncatingIfNeeded: packet.number(Field.version, bytes) ?? 0)
    uid = packet.number(Field.uid, bytes)
    account = packet.bytes(Field.account, bytes)
    typedName = packet.bytes(Field.typedName, bytes)
    service = packet.bytes(Field.service, bytes)
    tty = packet.bytes(Field.tty, bytes)
    remoteHost = packet.bytes(Field.remoteHost, bytes)
    remoteUser = packet.bytes(Field.remoteUser, bytes)
    remote = packet.flag(Field.remote, bytes)
    flags = packet.number(Field.pamFlags, bytes)
    arguments = packet.all(Field.argument, bytes)
    locale = packet.bytes(Field.locale, bytes)
    divided = packet.flag(Field.divided, bytes)
    authenticator = packet.bytes(Field.authenticator, bytes)
    payload = packet.bytes(Field.payload, bytes)
    token = packet.flag(Field.wantsToken, bytes)
    callerUID = packet.number(Field.callerUID, bytes)
    program = packet.bytes(Field.program, bytes)
    commandLine = packet.bytes(Field.commandLine, bytes)
    transaction = packet.bytes(Field.transaction, bytes)
    denies = packet.flag(Field.denies, bytes) ?? false
    showsLists = packet.flag(Field.showsLists, bytes) ?? false
    takesKeyring = packet.flag(Field.takesKeyring, bytes) ?? false
    try requireFieldsOfVersion()
  }

  /// Refuses fields that do not exist in the version, so that each message has exactly one encoding.
  private func requireFieldsOfVersion() throws(PacketError) {
    if version < 4, showsLists { throw .unexpectedField(.begin, tag: Field.showsLists.tag) }
    if version < 5, takesKeyring { throw .unexpectedField(.begin, tag: Field.takesKeyring.tag) }
  }
}

/// The operation of a conversation (*begin*, field 2).
public enum Operation: UInt8, CaseIterable, Sendable {
  case authenticate = 1
  case change = 2
  case register = 3
  case deregister = 4
  case deregisterAll = 5
  case status = 6
  case unlock = 7
  case reset = 8
  case initialise = 9
  case forget = 10
  case trust = 11
  case seal = 12
  case unseal = 13
  case recover = 14
  case account = 15
  case join = 16
  case leave = 17
  case repair = 18
  case checkIn = 19
  case rename = 20
  case keyringSet = 21
  case keyringForget = 22
}
