import UAFAdministration
import UAFMessages
import UAFService

/// The pages with the policies for workstations: those in force, the earlier ones, and a single one.
enum MachinePolicyPages {
  static let path = "/console/machine-policies"

  /// The page for all groups, or for the group in the query.
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
      ] + (saved.rows.isEmpty ? [] : [.table(history(saved, of: group, call))]) + forms.map(PageBlock.form))
  }

  private static func groups(_ page: Page<MachinePolicyStanding>, _ call: PageCall) -> PageTable {
    let rows = page.rows.map { standing -> [PageCell] in
      let policy = standing.policy
      return [
        PageCell(policy.group, link: "\(path)?group=\(FormFields.encoded(policy.group))"), versionLink(policy),
        call.moment(policy.savedAt), PageCell(call.actor(policy.actor)), PageCell(policy.reason),
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
        versionLink(policy), PageCell(policy.group), call.moment(policy.savedAt),
        PageCell(call.actor(policy.actor)), PageCell(policy.reason),
      ]
    }
    return PageTable(
      caption: call.text(.policyHistory), columns: [.number, .group, .time, .actor, .reason].map(call.text),
      rows: rows, empty: call.text(.machinePolicyNone),
      next: page.next.map { call.next(path, [("group", group ?? ""), ("after", $0)]) })
  }

  private static func versionLink(_ policy: SavedMachinePolicy) -> PageCell {
    PageCell(String(policy.number), link: "/console/machine-policy?number=\(policy.number)")
  }

  /// The page of one version, with its forms.
  static func version(_ call: PageCall) async throws -> PageContent {
    let standing = try await MachinePolicyAdministration(call.administration).standing(
      try call.number("number"), by: call.caller)
    let policy = standing.policy
    let facts: PageBlock = .details([
      (call.text(.number), PageCell(String(policy.number))), (call.text(.group), PageCell(policy.group)),
      (call.text(.inForce), PageCell(call.yesOrNo(standing.isInForce))),
      (call.text(.time), call.moment(policy.savedAt)),
      (call.text(.actor), PageCell(call.actor(policy.actor))), (call.text(.reason), PageCell(policy.reason)),
      (call.text(.machinePolicyDays), PageCell(MachinePolicyForms.daysText(policy.lifetime))),
      (call.text(.machinesInGroup), PageCell(String(standing.machines))),
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

/// The forms for policies for workstations, for those who may save them.
///
/// Each leads to a preview, from which a policy is saved with a signature.
enum MachinePolicyForms {
  static let previewPath = "/console/machine-policies/preview"
  static let savePath = "/console/machine-policies/save"
  private static let secondsOfDay: Int64 = 86_400
  private static let allowedDays: ClosedRange<Int64> = 1...366

  // MARK: How it is shown

  /// A lifetime in days; if it is not a whole number of days, which the API accepts, in seconds.
  static func daysText(_ seconds: Int64) -> String {
    MachinePolicyDraft.days(of: seconds).map { String($0) } ?? "\(seconds) s"
  }

  static func shown(_ text: String, _ call: PageCall) -> PageBlock {
    text.isEmpty
      ? .paragraph(call.text(.machinePolicyEmpty)) : .code(text, label: call.text(.machinePolicyText), copy: nil)
  }

  // MARK: The forms that lead to a preview

  /// The form for a new policy of a group, and the form that removes the policy in force.
  ///
  /// - Parameters:
  ///   - isOpen: whether the group can be changed in the form.
  ///   - current: the policy with which the form is filled in; nil for an empty form.
  static func forms(group: String, isOpen: Bool, _ current: SavedMachinePolicy?, _ call: PageCall) -> [PageForm] {
    guard call.allows(.managePolicies) else { return [] }
    let lifetime = current?.lifetime ?? WorkstationPolicy.standardLifetime
    let name =
      isOpen
      ? PageField(name: "group", label: call.text(.group), value: group, isRequired: true, maximum: 64)
      : PageField.hidden("group", group)
    let draft = PageForm(
      title: call.text(.tryPolicy), action: previewPath, button: call.text(.preview),
      fields: [
        name,
        PageField(
          name: "days", label: call.text(.machinePolicyDays), kind: .number, value: String(lifetime / secondsOfDay),
          isRequired: true),
        PageField(name: "policy", label: call.text(.machinePolicyText), kind: .lines, value: current?.text ?? ""),
      ])
    guard let current, !current.text.isEmpty else { return [draft] }
    let standard = String(WorkstationPolicy.standardLifetime / secondsOfDay)
    let removal = PageForm(
      title: call.text(.machinePolicyRemove), action: previewPath, button: call.text(.preview),
      fields: [.hidden("group", group), .hidden("days", standard), .hidden("policy", "")])
    return [draft, removal]
  }

  /// The form that uses an earlier policy again.
  static func again(_ policy: SavedMachinePolicy, _ call: PageCall) -> [PageForm] {
    guard call.allows(.managePolicies) else { return [] }
    return [
      PageForm(
        title: call.text(.policyAgain), action: previewPath, button: call.text(.preview),
        fields: [.hidden("number", String(policy.number))])
    ]
  }

  // MARK: The preview, and the step

  /// The page that shows what a policy would change and for how many machines, with the form that saves it.
  static func preview(_ call: PageCall) async throws -> PageContent {
    let administration = MachinePolicyAdministration(call.administration)
    let draft = try await draft(call, administration)
    let preview = try await administration.preview(draft, by: call.caller)
    return PageContent(
      title: call.text(.policyPreview),
      blocks: [
        .facts([
          (call.text(.group), draft.group), (call.text(.machinesInGroup), String(preview.machines)),
          (call.text(.policyInForce), preview.present.map { String($0) } ?? call.text(.none)),
          (call.text(.machinePolicyDays), daysText(draft.seconds)), ("SHA-256", try DangerousStep.hash(draft.text)),
        ]),
        .table(changes(preview, call)), shown(draft.text, call),
        .form(saving(draft, after: preview.present ?? 0, call)),
      ])
  }

  /// The draft: the earlier policy that the request names, or else the typed text.
  private static func draft(
    _ call: PageCall, _ administration: MachinePolicyAdministration
  ) async throws -> MachinePolicyDraft {
    if call.value("number") != nil {
      let earlier = try await administration.policy(try call.number("number"), by: call.caller)
      return MachinePolicyDraft(group: earlier.group, text: earlier.text, lifetime: earlier.lifetime)
    }
    let days = try call.number("days")
    guard allowedDays.contains(days) else {
      throw AdministrationRefusal.invalid(
        field: "days", .outOfRange(allowedDays, nil))
    }
    return MachinePolicyDraft(group: call.fields["group"], text: text(call), lifetime: days * secondsOfDay)
  }

  /// The typed text without the carriage returns that a browser adds at the end of each line.
  private static func text(_ call: PageCall) -> String { call.fields["policy"].replacing("\r\n", with: "\n") }

  private static func changes(_ preview: MachinePolicyPreview, _ call: PageCall) -> PageTable {
    let rows = preview.changes.map { change in
      [PageCell(change.key), PageCell(change.before ?? call.text(.none)), PageCell(change.after ?? call.text(.none))]
    }
    return PageTable(
      caption: call.text(.machinePolicyChanges), columns: [.settingKey, .valueBefore, .valueAfter].map(call.text),
      rows: rows, empty: call.text(.machinePolicySame))
  }

  /// The form that saves the draft; it also contains the number of the policy with which the preview compared it.
  private static func saving(_ draft: MachinePolicyDraft, after last: Int64, _ call: PageCall) -> PageForm {
    PageForm(
      title: call.text(draft.text.isEmpty ? .machinePolicyRemove : .savePolicy), action: savePath,
      button: call.text(draft.text.isEmpty ? .remove : .save),
      fields: [
        .hidden("group", draft.group), .hidden("policy", draft.text), .hidden("lifetime", String(draft.seconds)),
        .hidden("after", String(last)),
        PageField(name: "reason", label: call.text(.reason), isRequired: true, maximum: 500),
      ], isDangerous: draft.text.isEmpty)
  }

  /// The step that saves a policy, after a check that the policy would not be refused.
  static func step(_ call: PageCall) async throws -> DangerousStep {
    let (last, lifetime, reason) = (try call.number("after"), try call.number("lifetime"), call.fields["reason"])
    let draft = MachinePolicyDraft(group: call.fields["group"], text: text(call), lifetime: lifetime)
    try await MachinePolicyAdministration(call.administration).check(
      draft, reason: reason, after: last, by: call.caller)
    return .saveMachinePolicy(draft, reason: reason, after: last)
  }
}
