/// Which services somebody gets through whatever has become of pam_uaf.
struct RescueReading {
  let reader: PAMDirectory

  /// Whether the service is there, asks for something, and asks pam_uaf nowhere.
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

  /// Whether pam_uaf's are not the only `account` lines: they say nothing but that a passcode is stale, and libpam takes nothing
  /// for a refusal.
  private func othersDecide(_ service: String) -> Bool {
    let lines = reader.wholeStack(of: service).filter { $0.group == "account" }
    return lines.isEmpty || !lines.allSatisfy(\.asksOwnModule)
  }
}
