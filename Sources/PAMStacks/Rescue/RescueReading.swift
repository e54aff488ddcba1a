import HostSystem

/// Which services let somebody in by a password even if pam_uaf does not work.
struct RescueReading {
  let reader: PAMDirectory
  /// Where PAM looks for modules that are named without a folder.
  let moduleFolders: [String]

  /// Whether the service asks for something, never pam_uaf, and lets in whoever has the right password.
  func asksPasswordAlone(_ service: String) -> Bool { way(service, asRescuer: false) == .open }

  /// Whether the service leads the members of the rescue group past pam_uaf, and their right password lets them in.
  func leadsRescuePast(_ service: String) -> Bool {
    reader.entries(of: service, in: "auth").contains { $0.line.isForRescuers } && way(service, asRescuer: true) == .open
  }

  /// Whether members of the rescue group get through the service by their password.
  func isOpen(_ service: String) -> Bool { way(service, asRescuer: true) == .open }

  /// The line of a service that refuses their right password; nil if none does.
  func refusing(_ service: String) -> StackLinePlace? {
    if case .refused(let place) = way(service, asRescuer: true) { place } else { nil }
  }

  private func way(_ service: String, asRescuer: Bool) -> StackReading.Way {
    guard othersDecide(service) else { return .none }
    return StackReading(reader.entries(of: service, in: "auth")).way(asRescuer: asRescuer) {
      $0.moduleIsThere(in: moduleFolders)
    }
  }

  /// Whether there are other `account` lines than pam_uaf's.
  ///
  /// Those only say that a passcode is stale; otherwise they answer "ignore", and libpam makes a refusal of that if no other line
  /// decides.
  private func othersDecide(_ service: String) -> Bool {
    let lines = reader.wholeStack(of: service).filter { $0.group == "account" }
    return lines.isEmpty || !lines.allSatisfy(\.asksOwnModule)
  }
}

extension PAMLine {
  /// Whether PAM finds its module.
  func moduleIsThere(in folders: [String]) -> Bool {
    let places = module.hasPrefix("/") ? [module] : folders.map { $0 + "/" + module }
    return places.contains { (try? FileState.of($0).get()) != nil }
  }
}
