import UAFAdministration
import UAFMessages
import UAFService

/// The policies for workstations: those in force, the earlier ones, and one of them.
enum MachinePolicyPages {
  static let path = "/console/machine-policies"

  /// All groups, or the one that the query names.
  static func list(_ call: PageCall) async throws -> PageContent {
    let administration = MachinePolicyAdministration(call.administration)
    let group = call.value("group")
    let current = group == nil ? nil : try await administration.current(of: call.fields["group"], by: call.caller)
    let inForce =
      group == nil
      ? try await administration.inForce(after: call.fields["groupsAfter"], by: call.caller)
      : Page(rows: current.map { [$0] } ?? [], next: nil)
    let saved = try await administration.policies(of: group, after: call.value("after"), by: call.caller)
    let forms = MachinePolicyForms.forms(
      group: group ?? MachineGroup.standard.name, isOpen: group == nil, current?.policy, call)
    return PageContent(
      title: group.map { "\(call.text(.machinePolicies)): \($0)" } ?? call.text(.machinePolicies),
      blocks: [
        .paragraph(call.text(.machinePolicyHow)), .table(groups(inForce, call)),
        .table(history(saved, of: group, call)),
      ] + forms.map(PageBlock.form))
  }

  private static func groups(_ page: Page<MachinePolicyStanding>, _ call: PageCall) -> PageTable {
    let rows = page.rows.map { standing -> [PageCell] in
      let policy = standing.policy
      return [
        PageCell(policy.group, link: "\(path)?group=\(FormFields.encoded(policy.group))"), versionLink(policy),
        PageCell(call.time(policy.savedAt)), PageCell(policy.actor), PageCell(policy.reason),
        PageCell(MachinePolicyForms.daysText(policy.lifetime)), PageCell(String(standing.machines)),
      ]
    }
    return PageTable(
      caption: call.text(.machinePoliciesInForce),
      columns: [.group, .number, .time, .actor, .reason, .machinePolicyDays, .machinesInGroup].map(call.text),
      rows: rows, empty: call.text(.machinePolicyNone),
      next: page.next.map { call.next(path, [("groupsAfter", $0)]) })
  }

  private static func history(_ page: Page<SavedMachinePolicy>, of group: String?, _ call: PageCall) -> PageTable {
    let rows = page.rows.map { policy -> [PageCell] in
      [
        versionLink(policy), PageCell(policy.group), PageCell(call.time(policy.savedAt)), PageCell(policy.actor),
        PageCell(policy.reason),
      ]
    }
    return PageTable(
      caption: call.text(.policyHistory), columns: [.number, .group, .time, .actor, .reason].map(call.text),
      rows: rows, empty: call.text(.nothing),
      next: page.next.map { call.next(path, [("group", group ?? ""), ("after", $0)]) })
  }

  private static func versionLink(_ policy: SavedMachinePolicy) -> PageCell {
    PageCell(String(policy.number), link: "/console/machine-policy?number=\(policy.number)")
  }

  /// One version, and what may be made of it.
  static func version(_ call: PageCall) async throws -> PageContent {
    let standing = try await MachinePolicyAdministration(call.administration).standing(
      try call.number("number"), by: call.caller)
    let policy = standing.policy
    let facts: PageBlock = .facts([
      (call.text(.number), String(policy.number)), (call.text(.group), policy.group),
      (call.text(.inForce), call.yesOrNo(standing.isInForce)), (call.text(.time), call.time(policy.savedAt)),
      (call.text(.actor), policy.actor), (call.text(.reason), policy.reason),
      (call.text(.machinePolicyDays), MachinePolicyForms.daysText(policy.lifetime)),
      (call.text(.machinesInGroup), String(standing.machines)),
    ])
    let forms =
      standing.isInForce
      ? MachinePolicyForms.forms(group: policy.group, isOpen: false, policy, call)
      : MachinePolicyForms.again(policy, call)
    return PageContent(
      title: call.language.text(.policyNumber, String(policy.number)),
      blocks: [facts, MachinePolicyForms.shown(policy.text, call)] + forms.map(PageBlock.form))
  }
}
