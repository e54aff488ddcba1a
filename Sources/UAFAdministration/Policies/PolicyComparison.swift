import UAFService

/// What another policy would change for the accounts of a store: counts them one by one.
struct PolicyComparison {
  /// nil if the policy in force cannot be used here.
  let present: AccountPolicies?
  let draft: AccountPolicies
  private(set) var preview = PolicyPreview()

  init(present: AccountPolicies?, draft: AccountPolicies) {
    self.present = present
    self.draft = draft
    preview.isPresentUsable = present != nil
  }

  /// Counts one account.
  mutating func add(_ account: AccountModels) {
    let (before, after) = (present?.accepted(for: account.username), draft.accepted(for: account.username))
    preview.withKeys += 1
    if before != after { preview.changed += 1 }
    guard !after.areMet(by: account) else { return }
    // Where the present policy cannot be used, another server may use it: nobody counts as locked out already.
    if let before, !before.areMet(by: account) {
      preview.lockedOutAlready += 1
      return
    }
    preview.lockedOut += 1
    if preview.names.count < PolicyPreview.mostNames { preview.names.append(account.username) }
  }

  /// Notes that a group of the draft names an account that is not there.
  mutating func addMissing(_ username: String) {
    preview.missing += 1
    if preview.missingNames.count < PolicyPreview.mostNames { preview.missingNames.append(username) }
  }
}
