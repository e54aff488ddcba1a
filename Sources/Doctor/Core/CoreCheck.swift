import FidoResults
import Wording

/// The core: whether it answers, which version it has, and what it knows about the caller's account and the server's policy.
struct CoreCheck {
  let core: any StatusSource
  let isRoot: Bool

  func findings() -> [Finding] {
    let document: StatusDocument
    do throws(StatusFailure) {
      document = try core.own()
    } catch {
      // A missing socket was reported already, and root's programs start a core of their own.
      if error.isAbsence { return [.skipped(CoreText.failed(error))] }
      return [.failure(.coreSilent, CoreText.failed(error))]
    }
    var findings: [Finding] = [.ok(CoreText.answers)]
    if let version = document.version, version != ToolVersion.number {
      findings = [.failure(.coreVersion, CoreText.version(version, expected: ToolVersion.number))]
    }
    let policy = document.policy.map { ServerPolicyCheck(policy: $0).finding }
    return findings + account(document) + (policy.map { [$0] } ?? [])
  }

  private func account(_ document: StatusDocument) -> [Finding] {
    let name = ShownText.line(document.accountName ?? "this account")
    let usable = document.authenticators.filter { $0.state == AuthenticatorState.available }
    let locked = document.authenticators.filter { $0.state == AuthenticatorState.locked }
    var findings = locked.map { authenticator in
      Finding.warning(.accountLocked, CoreText.locked(account: name, authenticator))
    }
    if document.authenticators.contains(where: { $0.atServer == "ahead" }) {
      findings.append(.warning(.keyBehind, CoreText.behind(account: name)))
    }
    findings += document.authenticators.compactMap(StatusReport.obstacle).map {
      .warning(.fingerprint, CoreText.fingerprint($0))
    }
    if !usable.isEmpty {
      findings.append(.ok(CoreText.usable(account: name, usable)))
    } else if document.authenticators.contains(where: \.isRefused) {
      // What is behind has its own line.
      let refused = document.authenticators.filter { $0.isRefused && $0.atServer != "ahead" }
      if !refused.isEmpty {
        findings.append(.warning(.accountUnregistered, CoreText.refused(account: name, refused)))
      }
    } else if locked.isEmpty, isRoot {
      findings.append(.ok(CoreText.nothingOfRoots(account: name)))
    } else if locked.isEmpty {
      findings.append(.warning(.accountUnregistered, CoreText.nothing(account: name)))
    }
    return findings
  }
}
