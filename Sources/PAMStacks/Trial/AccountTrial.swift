import CPAM
import Wording

/// Tries a plan's `account` lines: for somebody who came in without pam_uaf, their result must not change.
///
/// The second way in and a public key work without pam_uaf, and programs ask these lines for both. pam_uaf answers "ignore" then,
/// so the service's other lines decide. There must be some, and none may be left out.
struct AccountTrial {
  let plan: StackPlan
  let folder: TrialFolder
  let tester: any StackTester

  /// - Returns: what was seen, and whether `user` may use the service.
  /// - Throws: ``StackError/trial(_:)``.
  func run(as user: String) throws(StackError) -> (text: StackText, mayUse: Bool) {
    do throws(TrialProblem) { return try tried(as: user) } catch { throw .trial(error) }
  }

  private func tried(as user: String) throws(TrialProblem) -> (text: StackText, mayUse: Bool) {
    let service = plan.service.name
    try folder.put(plan.before, as: service)
    let before = try tester.account(service, in: folder.path, as: user)
    try folder.put(plan.after, as: service)
    let after = try tester.account(service, in: folder.path, as: user)
    let shown = ShownText.line(user)
    guard after == before else { throw .accountDiffers(service: service, user: shown, before: before, after: after) }
    let mayUse = after == PAM_SUCCESS || after == PAM_NEW_AUTHTOK_REQD
    return (.triedAccount(service: service, user: shown, code: after), mayUse)
  }
}
