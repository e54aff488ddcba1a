import Wording

/// The kernel, the clock and the log.
struct MachineCheck {
  let facts: MachineFacts

  // 1 January 2026: no machine with this program has an earlier date.
  private static let earliest = 1_767_225_600

  func findings() -> [Finding] { kernel() + ids() + time() + log() }

  private func ids() -> [Finding] {
    facts.missingIDs.isEmpty ? [] : [.failure(.kernelIDs, MachineText.noIDs(facts.missingIDs))]
  }

  private func kernel() -> [Finding] {
    var findings: [Finding] = []
    if !facts.hasNetworkNamespaces || facts.mayLeaveNetwork == false {
      findings.append(
        .warning(.kernelNetwork, MachineText.noNetworkNamespaces(kernelHasThem: facts.hasNetworkNamespaces)))
    }
    if facts.landlock < 1 {
      findings.append(.warning(.kernelLandlock, MachineText.noLandlock))
    }
    if !facts.hasSeccomp {
      findings.append(.warning(.kernelSeccomp, MachineText.noSeccomp))
    }
    return findings.isEmpty ? [.ok(MachineText.kernel(landlock: facts.landlock))] : findings
  }

  private func time() -> [Finding] {
    guard let bootID = facts.bootID, isBootID(bootID) else {
      return [.failure(.bootID, MachineText.noBootID)]
    }
    guard facts.time >= Self.earliest else {
      return [.warning(.clock, MachineText.early)]
    }
    guard facts.isSynchronised != false else { return [.warning(.clockUnsynchronised, MachineText.unsynchronised)] }
    return [.ok(MachineText.clock)]
  }

  private func isBootID(_ text: String) -> Bool {
    text.utf8.count(where: { $0 != UInt8(ascii: "\n") }) == 36
      && text.utf8.allSatisfy {
        $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "\n") || UnicodeScalar($0).properties.isASCIIHexDigit
      }
  }

  private func log() -> [Finding] {
    guard facts.logFailure == 0 else {
      return [.warning(.log, MachineText.noLog(SystemReason(facts.logFailure)))]
    }
    return [.ok(MachineText.log)]
  }
}
