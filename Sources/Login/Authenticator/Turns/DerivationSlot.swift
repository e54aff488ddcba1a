import Glibc

/// The right to do one key derivation.
///
/// It is a lock on one of a few files that the whole machine shares.
///
/// A derivation takes 64 MiB and half a second, so a hundred at the same time would overload the machine. A slot is released
/// when its holder ends, even if it is killed.
public struct DerivationSlot: ~Copyable {
  private let descriptor: CInt
  private let turn: DerivationTurn

  /// Who wants a slot.
  public typealias Claim = DerivationClaim

  // Closing alone is not enough: a process that is being started may have a copy of the descriptor, which would keep the lock.
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
  /// When the limit depended only on memory, 23 derivations ran at the same time on two processors, and each took ten seconds
  /// instead of half a second.
  static func count(gibibytes: Int, processors: Int) -> Int {
    let bearable = processors.multipliedReportingOverflow(by: 2)
    return max(leastCount, min(gibibytes, bearable.overflow ? leastCount : bearable.partialValue))
  }

  /// Takes a slot if one is free now.
  ///
  /// - Parameters:
  ///   - count: the number of slots on this machine, at least 3.
  ///   - claim: who wants the slot.
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

  /// The minimum number of slots: one that only logins at the machine can take, one that people's own programs cannot take, and
  /// one for all.
  private static let leastCount = 3

  /// Writes as much to the disk as counting an attempt does, but into 28 KiB of the slot's own file.
  ///
  /// With hidden registrations, the duration must not show whether an attempt was counted: on a slow disk, counting takes
  /// longer than deriving the key. The bytes have no meaning, so write errors are ignored.
  public borrowing func chargeInVain() {
    for step in Self.countingSteps {
      let zeros = [UInt8](repeating: 0, count: step.count)
      // SAFETY: the array is valid for the call and as long as announced.
      if step.count > 0 { _ = unsafe pwrite(descriptor, zeros, zeros.count, step.offset) }
      fdatasync(descriptor)
    }
  }

  /// How much SQLite writes before each of the five syncs with which it counts an attempt (PERSIST, FULL): the journal, nothing
  /// (sync of the folder), the journal's header, three pages, the journal's header again.
  private static let countingSteps: [(offset: off_t, count: Int)] = [
    (0, 12_824), (0, 0), (0, 12), (16_384, 12_288), (0, 28),
  ]

  private init(descriptor: CInt, turn: DerivationTurn) {
    self.descriptor = descriptor
    self.turn = turn
  }
}

/// Who wants a ``DerivationSlot``.
public enum DerivationClaim: Int, Sendable {
  /// A host with root privileges, for somebody at this machine. Slot 0 is only for this claim, so remote attempts cannot make
  /// sudo wait, not even with unknown names, which are never locked.
  case localHost = 0
  /// A host with root privileges, for a remote login. Slot 1 is closed to people's own programs, so nobody can make sshd wait
  /// by opening conversations of their own.
  case remoteHost = 1
  /// A person's own program, without root privileges.
  case person = 2
  /// A host with root privileges, called by a different account. It uses the slots of remote logins, but has turns of its own,
  /// so a person does not wait while others enter that person's name at su.
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
/// An account has one turn at a time. Otherwise a person could keep every slot busy by answering a hundred prompts of su
/// correctly, which no lock stops. Each claim has turns of its own. Otherwise remote attempts on a name would use up the turns
/// of the person at the machine. Each source has turns too, for known and unknown names alike. Otherwise one source could keep
/// every slot for remote logins busy with unknown names, which are never locked.
public final class DerivationTurn {
  /// Whose secret is derived.
  public enum Subject: Equatable, Sendable {
    case account(UInt32)
    /// An unknown name. Attempts on it wait for each other like attempts on an account.
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
  ///   - count: the number of slots on this machine.
  ///   - claim: who wants the slot.
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  public static func take(
    in directory: borrowing StateDirectory, of subject: Subject, from source: AttemptSource? = nil,
    slots count: Int = 3, for claim: DerivationClaim
  ) throws(StateError) -> DerivationTurn? {
    let locks = try ByteLocks(name, in: directory.slots)
    if let source {
      // A source's turns do not depend on the claim: a caller of su has the same turns for their own account and for other
      // accounts.
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

  /// The lock number of a subject or source: `kind` above 32 bits of FNV-1a.
  ///
  /// If two of them get the same number, they wait for each other; a collision has no other effect.
  private static func number(_ kind: Int, _ bytes: [UInt8]) -> Int {
    kind << 32 | Int(bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 })
  }

  /// Makes the file, so that the first attempt does not need free disk space.
  static func makeFile(in slots: borrowing TrustedDirectory) throws(StateError) { _ = try ByteLocks(name, in: slots) }

  private init(_ locks: ByteLocks) { self.locks = locks }
}

/// The right of a uid other than root's to have one conversation.
///
/// Each uid has only a few, so that nobody can use up the core's connections or memory. All uids share one lock file, because a
/// person may have thousands of subordinate uids (`/etc/subuid`). A slot is released when its holder ends, even if it is
/// killed.
public final class PeerSlot {
  /// How a uid has a conversation; each of the two is counted separately.
  public enum Way: Int, Sendable {
    /// Through its own program, at the socket.
    case peer
    /// Through hosts with root privileges that it started, such as su.
    case caller

    /// How many conversations one uid may have at the same time.
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
  ///   - way: how the uid has the conversation.
  /// - Returns: nil if `uid` already has as many conversations of this type as it may have.
  /// - Throws: ``StateError`` if the folder is not as required, or the file cannot be made.
  public static func take(
    in stateDirectory: String, for uid: uid_t, by way: Way = .peer, owner: uid_t = 0
  ) throws(StateError) -> PeerSlot? {
    let slot = try PeerSlot(TrustedDirectory(stateDirectory + "/slots", owner: owner))
    let first = way.rawValue << 40 | Int(uid) * way.count
    for index in 0..<way.count where slot.locks.take(first + index) { return slot }
    return nil
  }

  /// Makes the file, so that the first conversation does not need free disk space.
  static func makeFile(in slots: borrowing TrustedDirectory) throws(StateError) { _ = try PeerSlot(slots) }

  private init(_ slots: borrowing TrustedDirectory) throws(StateError) { locks = try ByteLocks(Self.name, in: slots) }
}
