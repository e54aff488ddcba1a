import Glibc

/// The right to do one key derivation: a lock on one of a few files, for the whole machine.
///
/// A derivation takes 64 MiB and half a second, so a hundred at once would overload the machine. A slot is given back
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

  /// How many derivations may run at once on this machine.
  public static func machineCount() -> Int {
    let bytes = sysconf(Int32(_SC_PHYS_PAGES)).multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE)))
    let gibibytes = bytes.overflow ? leastCount : bytes.partialValue >> 30
    return count(gibibytes: gibibytes, processors: sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// How many derivations a machine can run: at most one for each GiB of memory and two for each processor, at least 3.
  ///
  /// By memory alone, 23 ran at once on two processors, and each took ten seconds instead of half a second.
  static func count(gibibytes: Int, processors: Int) -> Int {
    let bearable = processors.multipliedReportingOverflow(by: 2)
    return max(leastCount, min(gibibytes, bearable.overflow ? leastCount : bearable.partialValue))
  }

  /// Takes a slot if one is free now.
  ///
  /// - Parameters:
  ///   - count: slots on this machine, at least 3.
  ///   - claim: who asks.
  ///   - turn: the account's, which ends with the slot.
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

  /// One that each claim may have.
  private static let leastCount = 3

  /// Writes to the disk as much as counting an attempt does, into 28 KiB of the slot's own file.
  ///
  /// With hidden states the time must not show whether there was anything to count: on a slow disk counting takes
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
  /// A host with root, for somebody at this machine. Remote attempts cannot make sudo wait, also not with unknown
  /// names, which no lock stops.
  case localHost = 0
  /// A host with root, for a remote login: nobody can make sshd wait by opening conversations of their own.
  case remoteHost = 1
  /// Anybody's own program.
  case person = 2
  /// A host with root that another account called. It has the slots of remote logins and turns of its own, so that a
  /// person does not wait for others who enter that name at su.
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

/// The right of an account to do one key derivation, before it asks for a ``DerivationSlot``.
///
/// One at a time: otherwise a person could keep every slot busy with correct entries in a hundred prompts of su, which
/// no count stops. Each claim has turns of its own: otherwise remote attempts on a name would use up the turns of the
/// person at the machine. A source has turns too, for known and made-up names alike: otherwise unknown names, which no
/// count stops, could keep every slot for remote logins busy.
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
      // The same for every claim: a caller of su has one for their own account and those of others.
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

/// The right of a user id without root to one conversation.
///
/// A few for each user id, so that nobody takes every place at the socket, or all memory. A person with thousands of
/// user ids (`/etc/subuid`) makes no files with them. A slot is given back when its holder ends, however it ends.
public final class PeerSlot {
  /// How a user id has a conversation; each way has its own count.
  public enum Way: Int, Sendable {
    /// A program of its own, at the socket.
    case peer
    /// Hosts with root that it has started, such as su.
    case caller

    /// Conversations one user id may have at once.
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
  ///   - uid: whose conversation it is: the peer's number, or that of the host's caller.
  ///   - way: how it has the conversation.
  /// - Returns: nil if `uid` already has all conversations that it may have that way.
  /// - Throws: ``StateError`` if the folder is not as it must be, or the file cannot be made.
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
