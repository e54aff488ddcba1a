import UAFAdministration
import UAFService

/// The pages with the policies: the one in force, the earlier ones, and the preview of a new one.
enum PolicyPages {
  private static let previewPath = "/console/policies/preview"

  static func list(_ call: PageCall) async throws -> PageContent {
    let administration = PolicyAdministration(call.administration)
    let current = try await administration.current(by: call.caller)
    let history = try await administration.versions(
      after: call.fields["after"].isEmpty ? nil : call.fields["after"], by: call.caller)
    var blocks: [PageBlock] = []
    if try await administration.isOverruledByFile(by: call.caller) {
      blocks.append(.warning(call.text(.policyOfFile)))
    }
    if let current {
      blocks += [facts(current, call), .code(current.text, label: call.text(.policyInForce), copy: nil)]
    } else {
      blocks.append(.paragraph(call.text(.noPolicy)))
    }
    let rows = history.rows.map { version -> [PageCell] in
      [
        PageCell(String(version.number), link: "/console/policy?number=\(version.number)"),
        call.moment(version.savedAt), PageCell(call.actor(version.actor)), PageCell(version.reason),
      ]
    }
    let table = PageTable(
      caption: call.text(.policyHistory),
      columns: [.number, .time, .actor, .reason].map(call.text), rows: rows,
      empty: call.text(.noPolicy), first: call.first("/console/policies"),
      next: history.next.map { call.next("/console/policies", [("after", $0)], after: rows.count) },
      // Policies are numbered without gaps, and none is ever removed.
      count: call.count(
        rows.count, hasMore: history.next != nil,
        of: RowTotal(exactly: Int(clamping: current?.number ?? 0))))
    let draft = PageField(
      name: "policy", label: call.text(.policyText), kind: .lines, value: current?.text ?? "{}", isRequired: true)
    let form = PageForm(
      title: call.text(.tryPolicy), action: previewPath, button: call.text(.preview), fields: [draft])
    return PageContent(
      title: call.text(.policies), blocks: blocks + (rows.isEmpty ? [] : [.table(table)]) + [.form(form)])
  }

  private static func facts(_ version: PolicyVersion, _ call: PageCall) -> PageBlock {
    .details([
      (call.text(.number), PageCell(String(version.number))), (call.text(.time), call.moment(version.savedAt)),
      (call.text(.actor), PageCell(call.actor(version.actor))), (call.text(.reason), PageCell(version.reason)),
    ])
  }

  static func version(_ call: PageCall) async throws -> PageContent {
    let version = try await PolicyAdministration(call.administration).version(
      try call.number("number"), by: call.caller)
    let form = PageForm(
      title: call.text(.policyAgain), action: previewPath, button: call.text(.preview),
      fields: [.hidden("number", String(version.number))])
    return PageContent(
      title: call.language.text(.policyNumber, String(version.number)),
      blocks: [facts(version, call), .code(version.text, label: call.text(.policyText), copy: nil), .form(form)])
  }

  /// The page that shows which accounts a policy would affect, with the form that saves it.
  static func preview(_ call: PageCall) async throws -> PageContent {
    let administration = PolicyAdministration(call.administration)
    let earlier =
      try call.fields["number"].isEmpty
      ? nil : await administration.version(call.number("number"), by: call.caller)
    let text = draft(earlier?.text ?? call.fields["policy"])
    // Read before the accounts. So if a different policy is saved during the preview, the form has the old number, and saving
    // is refused.
    let last = try await administration.current(by: call.caller)?.number ?? 0
    let preview = try await administration.preview(text, by: call.caller)
    var blocks = affected(
      preview,
      before: [(call.text(.missingNames), String(preview.missing)), ("SHA-256", try DangerousStep.hash(text))], call)
    if !preview.missingNames.isEmpty { blocks.append(names(.missingNames, preview.missingNames, link: false, call)) }
    blocks.append(.code(text, label: call.text(.policyText), copy: nil))
    if call.allows(.managePolicies) { blocks.append(.form(saving(text, after: last, preview, call))) }
    return PageContent(title: call.text(.policyPreview), blocks: blocks)
  }

  /// What a preview says about accounts.
  ///
  /// - Parameters:
  ///   - first: facts that come before those of the preview.
  ///   - last: facts that come after them.
  static func affected(
    _ preview: PolicyPreview, after first: [(String, String)] = [], before last: [(String, String)] = [],
    _ call: PageCall
  ) -> [PageBlock] {
    var blocks: [PageBlock] = []
    if !preview.isPresentUsable { blocks.append(.warning(call.text(.policyUnusable))) }
    if preview.locksEverybodyOut { blocks.append(.warning(call.text(.policyLocksAll))) }
    let facts = [
      (call.text(.withKeys), String(preview.withKeys)), (call.text(.changed), String(preview.changed)),
      (call.text(.lockedOut), String(preview.lockedOut)),
      (call.text(.lockedOutAlready), String(preview.lockedOutAlready)),
    ]
    blocks.append(.facts(first + facts + last))
    if !preview.names.isEmpty { blocks.append(names(.lockedOut, preview.names, link: true, call)) }
    return blocks
  }

  /// The field with how many accounts may be locked out: hidden if none would be.
  static func lockOut(_ preview: PolicyPreview, _ call: PageCall) -> PageField {
    guard preview.lockedOut > 0 else { return .hidden("lockOut", "0") }
    let some = call.language.text(.lockOutSome, String(preview.lockedOut))
    return PageField(
      name: "lockOut", label: call.text(.lockOutAsk),
      kind: .choice([("0", call.text(.lockOutNobody)), (String(preview.lockedOut), some)]), value: "0")
  }

  /// The typed text without the carriage returns that a browser adds at the end of each line.
  private static func draft(_ text: String) -> String { text.replacing("\r\n", with: "\n") }

  /// A table with some of the names; the page shows the total number above it.
  private static func names(_ caption: PageText, _ names: [String], link: Bool, _ call: PageCall) -> PageBlock {
    .table(
      PageTable(
        caption: call.text(caption), columns: [call.text(.account)],
        rows: names.map { [link ? PageCall.personLink($0) : PageCell($0)] }, empty: ""))
  }

  private static func saving(
    _ text: String, after last: Int64, _ preview: PolicyPreview, _ call: PageCall
  ) -> PageForm {
    let fields: [PageField] = [
      .hidden("policy", text), .hidden("after", String(last)), lockOut(preview, call),
      PageField(name: "reason", label: call.text(.reason), isRequired: true, maximum: 500),
    ]
    return PageForm(
      title: call.text(.savePolicy), action: "/console/policies/save", button: call.text(.save), fields: fields,
      isDangerous: preview.lockedOut > 0)
  }

  /// The step that saves a policy, after a check that the policy would not be refused.
  static func step(_ call: PageCall) async throws -> DangerousStep {
    let (last, count) = (try call.number("after"), try call.number("lockOut"))
    let (text, reason) = (draft(call.fields["policy"]), call.fields["reason"])
    try await PolicyAdministration(call.administration).check(
      text, reason: reason, after: last, lockingOut: Int(clamping: count), by: call.caller)
    return .savePolicy(text, reason: reason, after: last, lockingOut: count)
  }
}
