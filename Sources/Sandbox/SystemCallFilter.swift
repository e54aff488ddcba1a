import CSeccomp
import Glibc

/// The only system calls a process can make from now on (seccomp).
///
/// A call that no rule names fails with ENOSYS, as on a kernel that lacks it: a newer libc then takes its older way. No call
/// kills, so that an update of libc breaks no login.
public struct SystemCallFilter {
  private var rules: [CallRule] = []

  /// A filter of these rules; of several for one call each adds to what is allowed.
  public init(_ rules: [CallRule]) { self.rules = rules }

  /// Enters the filter permanently.
  ///
  /// A process that can get no new privileges needs no right for it.
  ///
  /// - Returns: the system's error number, or 0.
  public func enter() -> CInt {
    // SAFETY: the filter is ours from here until it is released, in all the calls below.
    guard let filter = unsafe seccomp_init(filter_error(UInt16(ENOSYS))) else { return ENOMEM }
    defer { unsafe seccomp_release(filter) }
    // Calls by the numbers of another architecture do not exist either.
    var failure = unsafe seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, filter_error(UInt16(ENOSYS)))
    // A search for the number, not a list to go through: the kernel tries every number when it loads the filter.
    if failure == 0 { failure = unsafe seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) }
    for rule in rules where failure == 0 { failure = unsafe Self.add(rule, to: filter) }
    if failure == 0 { failure = unsafe seccomp_load(filter) }
    return failure < 0 ? -failure : failure
  }

  private static func add(_ rule: CallRule, to filter: UnsafeMutableRawPointer) -> CInt {
    // SAFETY: the caller's filter, which lives until it releases it.
    switch rule {
    case .allowed(let names, _): unsafe add(names, [], to: filter)
    case .allowedIf(let name, let conditions, _): unsafe add([name], conditions, to: filter)
    }
  }

  /// Adds calls; one that this library or architecture does not know is left to the default.
  private static func add(
    _ names: [String], _ conditions: [CallCondition], to filter: UnsafeMutableRawPointer
  ) -> CInt {
    let comparisons = conditions.map {
      scmp_arg_cmp(arg: $0.argument, op: SCMP_CMP_MASKED_EQ, datum_a: $0.mask, datum_b: $0.value)
    }
    for name in names {
      // SAFETY: the name lives for the call, and as many comparisons are lent as are announced.
      let number = unsafe seccomp_syscall_resolve_name(name)
      guard number >= 0 else { continue }
      let failure = unsafe seccomp_rule_add_array(
        filter, filter_allow(), number, UInt32(comparisons.count), comparisons)
      if failure != 0 { return failure }
    }
    return 0
  }
}
