import UAFMessages

/// What a machine that has joined told of itself last, and what is needed to judge its next report.
///
/// What a machine says about itself is not verified.
package struct MachineContact: Equatable, Sendable {
  /// The last report, in seconds since 1970.
  package let at: Int64
  /// The version of the module's package.
  package let module: String
  /// The version of the workstation policy that it uses; nil for none.
  package let policy: Int64?
  package let locks: ReportedLocks
  /// When it was seen last that two machines have the state of one, or that an older state was restored.
  package let copySeenAt: Int64?
  /// The mark that the last report has set; nil after the machine has joined again.
  package let mark: [UInt8]?
  /// The highest number of an offline login that the machine has told; nil after it has joined again.
  package let offlineNumber: Int64?

  package init(
    at: Int64, module: String, policy: Int64?, locks: ReportedLocks, copySeenAt: Int64?, mark: [UInt8]?,
    offlineNumber: Int64?
  ) {
    self.at = at
    self.module = module
    self.policy = policy
    self.locks = locks
    self.copySeenAt = copySeenAt
    self.mark = mark
    self.offlineNumber = offlineNumber
  }
}
