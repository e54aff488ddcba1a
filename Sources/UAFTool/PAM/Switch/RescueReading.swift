/// Which services somebody gets through whatever has become of pam_uaf.
struct RescueReading {
  let reader: PAMDirectory

  /// Whether the service is there, and asks pam_uaf nowhere.
  func asksPasswordAlone(_ service: String) -> Bool {
    let lines = reader.authentication(of: service)
    return !lines.isEmpty && lines.allSatisfy { $0.isWellFormed && !$0.asksOwnModule }
  }

  /// Whether the service leads the members of the rescue group past pam_uaf.
  func leadsRescuePast(_ service: String) -> Bool {
    StackReading(lines: reader.authentication(of: service)).leadsPast(group: WayIn.rescueGroup)
  }
}
