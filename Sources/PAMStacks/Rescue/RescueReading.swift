/// Which services let somebody in even if pam_uaf does not work.
struct RescueReading {
  let reader: PAMDirectory

  /// Whether the service exists, asks for something, and never asks pam_uaf.
  func asksPasswordAlone(_ service: String) -> Bool {
    let lines = reader.authentication(of: service)
    return lines.contains(where: StackReading.authenticates)
      && lines.allSatisfy { $0.isWellFormed && !$0.asksOwnModule } && othersDecide(service)
  }

  /// Whether the service leads the members of the rescue group past pam_uaf.
  func leadsRescuePast(_ service: String) -> Bool {
    StackReading(lines: reader.authentication(of: service)).leadsPast(group: WayIn.rescueGroup) && othersDecide(service)
  }

  /// Whether members of the rescue group get through the service by their password.
  func isOpen(_ service: String) -> Bool { asksPasswordAlone(service) || leadsRescuePast(service) }

  /// Whether there are other `account` lines than pam_uaf's.
  ///
  /// Those only say that a passcode is stale; otherwise they answer "ignore", and libpam makes a refusal of that if no other line
  /// decides.
  private func othersDecide(_ service: String) -> Bool {
    let lines = reader.wholeStack(of: service).filter { $0.group == "account" }
    return lines.isEmpty || !lines.allSatisfy(\.asksOwnModule)
  }
}
