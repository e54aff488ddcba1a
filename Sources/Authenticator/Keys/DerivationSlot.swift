import Glibc

/// The right to do one key derivation: a lock on one of a few files, for the whole machine.
///
/// A derivation takes 64 MiB and half a second, so a hundred at once would take the machine down.
/// The first slot is kept for callers with root: nobody can make sudo and sshd wait by opening
/// conversations of his own. A slot is given back when its holder ends, however it ends.
public struct DerivationSlot: ~Copyable {
  private let descriptor: CInt

  deinit { close(descriptor) }

  /// How many derivations may run at once on this machine.
  public static func machineCount() -> Int {
    let bytes = sysconf(Int32(_SC_PHYS_PAGES)).multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE)))
    let gibibytes = bytes.overflow ? 2 : bytes.partialValue >> 30
    return count(gibibytes: gibibytes, processors: sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// How many derivations a machine bears: one for each GiB of memory, two for each processor, at least 2.
  ///
  /// With memory alone as the measure 23 ran at once on two processors, and each took ten seconds instead of a half.
  static func count(gibibytes: Int, processors: Int) -> Int {
    let bearable = processors.multipliedReportingOverflow(by: 2)
    return max(2, min(gibibytes, bearable.overflow ? 2 : bearable.partialValue))
  }

  /// Takes a slot if one is free now.
  ///
  /// - Parameters:
  ///   - count: slots on this machine, at least 2.
  ///   - isRoot: whether the first slot may be taken.
  /// - Returns: nil if all are taken.
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  public static func take(
    in directory: borrowing StateDirectory, count: Int, isRoot: Bool
  ) throws(StateError) -> DerivationSlot? {
    for index in (isRoot ? 0 : 1)..<max(2, count) {
      let name = "\(index).lock"
      let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
      // SAFETY: the name lives for the call; the descriptor goes to the slot, which closes it.
      let file = unsafe openat(directory.slots.descriptor, name, flags, 0o600)
      guard file >= 0 else { throw .cannotOpen(path: directory.slots.path + "/" + name, errno: errno) }
      let slot = DerivationSlot(descriptor: file)
      if flock(file, LOCK_EX | LOCK_NB) == 0 { return slot }
    }
    return nil
  }

  private init(descriptor: CInt) { self.descriptor = descriptor }
}
