import Glibc

/// The right to do one key derivation.
///
/// It is a lock on one of a few files, for the whole machine.
///
/// A derivation takes 64 MiB and half a second, so a hundred at the same time would overload the machine. A slot is released
/// when its holder ends, however it ends.
public struct DerivationSlot: ~Copyable {
  private let descriptor: CInt
  private let turn: DerivationTurn

  /// Who asks for a slot.
  public typealias Claim = DerivationClaim

  // Unlocked before it is closed: a process that is being started may have a copy, which would keep the lock.
  deinit {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// How many derivations may run at the same time on this machine.
  public static func machineCount() -> Int {
    let bytes = sysconf(Int32(_SC_PHYS_PAGES)).multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE)))
    let gibibytes = bytes.overflow ? leastCount : bytes.partialValue >> 30
    return count(gibibytes: gibibytes, processors: sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// How many derivations a machine can run: at most one for each GiB of memory and two for each processor, at least 3.
  ///
  /// With a limit by memory alone, 23 ran at the same time on two processors, and each took ten seconds instead of half a second.
  static func count(gibibytes: Int, processors: Int) -> Int {
    let bearable = processors.multipliedReportingOverflow(by: 2)
    return max(leastCount, min(gibibytes, bearable.overflow ? leastCount : bearable.partialValue))
  }

  /// Takes a slot if one is free now.
  ///
  /// - Parameters:
  ///   - count: slots on this machine, at least 3.
  ///   - claim: who asks.
  ///   - turn: the account's turn in the queue; it ends when the slot is released.
  /// - Returns: nil if all are taken.
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  public static func take(
    in directory: borrowing StateDirectory, count: Int, for claim: Claim, holding turn: DerivationTurn
  ) throws(StateError) -> DerivationSlot? {
    for index in claim.firstSlot..<max(leastCount, count) {
      let name = "\(index).lock"
      let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
      // SAFETY: the name lives for the call; the descriptor goes to the slot, which closes it.
      let file = unsafe openat(directory.slots.descriptor, name, flags, 0o600)
      guard file >= 0 else { throw .cannotOpen(path: directory.slots.path + "/" + name, errno: errno) }
      let slot = DerivationSlot(descriptor: file, turn: turn)
      if flock(file, LOCK_EX | LOCK_NB) == 0 { return slot }
    }
    return nil
  }

  /// Enough for each claim to have one.
  private static let leastCount = 3

  /// Writes to the disk as much as counting an attempt does, into 28 KiB of the slot's own file.
  ///
  /// With hidden states, the time must not show whether there was anything to count: on a slow disk counting takes
  /// longer than deriving the key. Nothing depends on what is written, so a full or failing disk is ignored.
  public borrowing func chargeInVain() {
    for step in Self.countingSteps {
      let zeros = [UInt8](repeating: 0, count: step.count)
      // SAFETY: the array is valid for the call and as long as announced.
      if step.count > 0 { _ = unsafe pwrite(descriptor, zeros, zeros.count, step.offset) }
      fdatasync(descriptor)
    }
  }

  /// What SQLite writes before each of the five syncs of a count (PERSIST, FULL): the journal, nothing (its folder), the
  /// journal's head, three pages, the journal's head again.
  private static let countingSteps: [(offset: off_t, count: Int)] = [
    (0, 12_824), (0, 0), (0, 12), (16_384, 12_288), (0, 28),
  ]

  private init(descriptor: CInt, turn: DerivationTurn) {
    self.descriptor = descriptor
    self.turn = turn
  }
}

/// Who asks for a ``DerivationSlot``.
public enum DerivationClaim: Int, Sendable {
  /// A host with root privileges, for somebody at this machine. Remote attempts cannot make sudo wait, not even with unknown
  /// names, which are never locked.
  case localHost = 0
  /// A host with root privileges, for a remote login. Nobody can make sshd wait by opening their own conversations.
  case remoteHost = 1
  /// Anybody's own program.
  case person = 2
  /// A host with root privileges that a different account called. It uses the slots of remote logins, but has turns of its own.
  /// So a person does not wait for others who enter that person's name at su.
  case otherUser = 3

  /// The first slot that this claim may take.
  var firstSlot: Int {
    switch self {
    case .localHost: 0
    case .remoteHost, .otherUser: 1
    case .person: 2
    }
  }
}

/// The right of an account to do one key derivation, which it needs before a ``DerivationSlot``.
///
/// Only one at a time: otherwise a person could keep every slot busy with correct entries in a hundred prompts of su, which no
/// lock stops. Each claim has its own turns: otherwise remote attempts on a name would use up the turns of the person at the
/// machine. Each source has turns too, for known and invented names alike: otherwise unknown names, which are never locked, could
/// keep every slot for remote logins busy.
public final class DerivationTurn {
  /// Whose secret is derived.
  public enum Subject: Equatable, Sendable {
    case account(UInt32)
    /// An unknown name: its attempts wait for each other like those on an account.
    case name([UInt8])

    fileprivate var number: Int {
      switch self {
      case .account(let uid): Int(uid)
      case .name(let bytes): DerivationTurn.number(1, bytes)
      }
    }
  }

  private static let name = "turns.lock"

  private let locks: ByteLocks

  /// Takes the account's turn and one of the source's, if both are free now; otherwise takes neither.
  ///
  /// - Parameters:
  ///   - subject: whose secret is derived.
  ///   - source: where the attempt comes from; nil for root and for the account itself.
  ///   - count: slots on this machine.
  ///   - claim: who asks.
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  public static func take(
    in directory: borrowing StateDirectory, of subject: Subject, from source: AttemptSource? = nil,
    slots count: Int = 3, for claim: DerivationClaim
  ) throws(StateError) -> DerivationTurn? {
    let locks = try ByteLocks(name, in: directory.slots)
    if let source {
      // Independent of the claim: a caller of su has the same turns for their own account and for other accounts.
      let turns = 0..<source.turns(slots: count)
      guard turns.contains(where: { locks.take($0 << 36 | number(of: source)) }) else { return nil }
    }
    return locks.take(claim.rawValue << 48 | subject.number) ? DerivationTurn(locks) : nil
  }

  private static func number(of source: AttemptSource) -> Int {
    switch source {
    case .caller(let uid): 2 << 32 | Int(uid)
    case .address(let bytes): number(3, bytes)
    case .network(let bytes): number(4, bytes)
    case .domain(let bytes): number(5, bytes)
    }
  }

  /// Four bits of kind, 32 of FNV-1a.
  ///
  /// Two sources with the same number wait for each other; a collision costs nothing else.
  private static func number(_ kind: Int, _ bytes: [UInt8]) -> Int {
    kind << 32 | Int(bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 })
  }

  /// Makes the file, so that no first attempt needs room on the disk.
  static func makeFile(in slots: borrowing TrustedDirectory) throws(StateError) { _ = try ByteLocks(name, in: slots) }

  private init(_ locks: ByteLocks) { self.locks = locks }
}

/// The right of a uid other than root's to have one conversation.
///
/// A few for each uid, so that nobody takes every place at the socket, or all memory. No files are made for a person's
/// subordinate uids (`/etc/subuid`), of which there may be thousands. A slot is released when its holder ends, however it ends.
public final class PeerSlot {
  /// How a uid has a conversation; each way has its own count.
  public enum Way: Int, Sendable {
    /// Through its own program, at the socket.
    case peer
    /// Through hosts with root privileges that it started, such as su.
    case caller

    /// Conversations one uid may have at the same time.
    public var count: Int {
      switch self {
      case .peer: 4
      case .caller: 16
      }
    }
  }

  private static let name = "peers.lock"

  private let locks: ByteLocks

  /// Takes a slot if one is free now.
  ///
  /// - Parameters:
  ///   - stateDirectory: the path of an initialised state folder.
  ///   - uid: the uid that has the conversation: the peer's, or that of the host's caller.
  ///   - way: how it has the conversation.
  /// - Returns: nil if `uid` already has all conversations that it may have that way.
  /// - Throws: ``StateError`` if the folder is not as required, or the file cannot be made.
  public static func take(
    in stateDirectory: String, for uid: uid_t, by way: Way = .peer, owner: uid_t = 0
  ) throws(StateError) -> PeerSlot? {
    let slot = try PeerSlot(TrustedDirectory(stateDirectory + "/slots", owner: owner))
    let first = way.rawValue << 40 | Int(uid) * way.count
    for index in 0..<way.count where slot.locks.take(first + index) { return slot }
    return nil
  }

  /// Makes the file, so that no first conversation needs room on the disk.
  static func makeFile(in slots: borrowing TrustedDirectory) throws(StateError) { _ = try PeerSlot(slots) }

  private init(_ slots: borrowing TrustedDirectory) throws(StateError) { locks = try ByteLocks(Self.name, in: slots) }
}
