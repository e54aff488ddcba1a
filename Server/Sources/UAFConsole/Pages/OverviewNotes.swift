import UAFAdministration
import UAFMessages
import UAFService

/// What the first page says needs doing.
enum OverviewNotes {
  /// How long before an end the page says so, in seconds.
  private static let endsSoon: Int64 = 30 * 86_400
  /// The most policies that are named.
  private static let mostPolicies = 5

  static func all(_ call: PageCall) async throws -> [PageNote] {
    try await people(call) + machines(call) + unknownMachines(call) + lacking(call) + openCodes(call) + ends(call)
  }

  /// The people who cannot log in now, by cause.
  private static func people(_ call: PageCall) async throws -> [PageNote] {
    let list = try await AttentionAdministration(call.administration).people(by: call.caller)
    let causes: [(UnableCause, PageText, PageState.Tone, Icon)] = [
      (.lockedOnMachine, .noteLockedOnMachines, .bad, .lock), (.locked, .noteLocked, .bad, .lock),
      (.disabled, .noteDisabled, .warn, .ban), (.codeExpired, .noteCodeExpired, .warn, .clock),
      (.noKey, .noteNoKey, .warn, .key), (.codeOpen, .noteCodeOpen, .quiet, .clock),
    ]
    return causes.compactMap { cause, text, tone, icon in
      let count = list.people.count { UnableCause($0.cause) == cause }
      guard count > 0 else { return nil }
      return PageNote(
        count: String(count) + (list.isPart ? "+" : ""), text: call.text(text),
        link: PageCall.link(UnablePage.path, [("cause", cause.rawValue)]), tone: tone, icon: icon)
    }
  }

  private static func machines(_ call: PageCall) async throws -> [PageNote] {
    let fleet = try await AttentionAdministration(call.administration).fleet(by: call.caller)
    let days = String(AttentionAdministration.silentAfter / 86_400)
    let hasJoined = fleet.reporting + fleet.silent + fleet.neverReported > 0
    let all: [(Int, String, FleetMachine.Standing)] = [
      (fleet.silent, call.language.text(.noteSilent, days), .silent),
      (fleet.neverReported, call.text(.noteNeverReported), .neverReported),
      // Where no machine joins, a machine that has not joined is no news.
      (hasJoined ? fleet.notJoined : 0, call.text(.noteNotJoined), .notJoined),
    ]
    return all.filter { $0.0 > 0 }.map { count, text, standing in
      PageNote(
        count: String(count) + (fleet.isPart ? "+" : ""), text: text,
        link: PageCall.link(MachinePages.path, [("state", standing.rawValue)]), tone: .warn, icon: .machines)
    }
  }

  /// The machines that lack a key or an authority that is going to be used.
  private static func lacking(_ call: PageCall) async throws -> [PageNote] {
    let coming = try await TrustAdministration(call.administration).coming(names: 0, by: call.caller)
    return coming.filter { $0.lacking > 0 }.map { coming in
      PageNote(
        count: coming.countText, text: call.language.text(.noteLacking, SettingsPage.word(coming.anchor, call)),
        link: MachinePages.lackingLink(coming.anchor), tone: .warn, icon: .machines)
    }
  }

  /// The machines that say that they have joined, and that this server does not know.
  private static func unknownMachines(_ call: PageCall) async throws -> [PageNote] {
    let found = try await AttentionAdministration(call.administration).unknownMachines(by: call.caller)
    guard !found.isEmpty else { return [] }
    return [
      PageNote(
        count: String(found.count), text: call.text(.noteUnknownMachines), link: UnknownMachinesPage.path, tone: .warn,
        icon: .machines)
    ]
  }

  /// The join codes with which machines can join now.
  private static func openCodes(_ call: PageCall) async throws -> [PageNote] {
    guard call.allows(.joinMachines) else { return [] }
    let page = try await JoinCodeAdministration(call.administration).page(before: nil, by: call.caller)
    let count = page.rows.count { $0.state(at: call.environment.now) == .open }
    guard count > 0 else { return [] }
    return [
      PageNote(
        count: String(count) + (page.next == nil ? "" : "+"), text: call.text(.noteJoinCodes), link: JoinCodePages.path,
        tone: .quiet, icon: .machines)
    ]
  }

  /// What ends soon: the certificate, keys that are replaced, policies on machines, and tokens.
  private static func ends(_ call: PageCall) async throws -> [PageNote] {
    let now = call.environment.now
    func isSoon(_ end: Int64) -> Bool { end < now + endsSoon }
    func days(_ end: Int64) -> String { call.language.distance(from: now, to: end) }
    var notes = call.environment.facts.certificateEnds().filter(isSoon).map { end in
      PageNote(
        count: days(end), text: call.text(.noteCertificate), link: "/console/settings", tone: end <= now ? .bad : .warn,
        icon: .clock)
    }
    notes += call.environment.facts.keys(now).filter { $0.use == .toCome }.compactMap { key in
      key.from.map {
        PageNote(
          count: days($0), text: call.language.text(.noteComingKey, SettingsPage.word(key.kind, call)),
          link: "/console/settings", tone: .warn, icon: .key)
      }
    }
    let policies = try await AttentionAdministration(call.administration).policyEnds(
      by: call.caller)
    let soon = policies.filter { isSoon($0.endsAt) }
    notes += soon.prefix(mostPolicies).map { policy in
      PageNote(
        count: days(policy.endsAt),
        text: call.language.text(
          .notePolicyEnds, String(policy.number), policy.group, call.language.grouped(policy.machines)),
        link: PageCall.link(MachinePages.path, [("words", policy.group), ("sort", "lastReport")]),
        tone: .warn,
        icon: .policies)
    }
    if soon.count > mostPolicies {
      notes.append(
        PageNote(
          count: "+\(soon.count - mostPolicies)", text: call.text(.noteMorePolicies), link: MachinePolicyPages.path,
          tone: .warn, icon: .policies))
    }
    if call.allows(.manageAccess) {
      let tokens = try await AccessAdministration(call.administration).tokens(by: call.caller)
      notes += tokens.filter { $0.revokedAt == nil && $0.expiresAt > now && isSoon($0.expiresAt) }.prefix(5).map {
        token in
        PageNote(
          count: days(token.expiresAt), text: call.language.text(.noteToken, token.name), link: "/console/tokens",
          tone: .quiet, icon: .clock)
      }
    }
    return notes
  }
}
