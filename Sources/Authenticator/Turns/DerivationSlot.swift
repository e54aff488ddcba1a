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
