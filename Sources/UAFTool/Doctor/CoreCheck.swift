import UAFWire

/// The core: whether it answers, of which version it is, and what it knows of the caller's account.
struct CoreCheck {
  let surroundings: Surroundings
  /// Root's own configuration; nil for the machine's.
  let configuration: String?

  func findings() -> [Finding] {
    let document: StatusDocument
    do throws(ToolError) {
      document = try ask()
    } catch {
      let remedy = error.hint ?? "the log (authpriv) says more"
      // Without a socket that is told already, and root's programs start a core of their own.
      if case .noCore = error { return [.skipped("core: \(error)", do: remedy)] }
      return [.failure(.coreSilent, "core: \(error)", do: remedy)]
    }
    var findings: [Finding] = [.ok("core: answers")]
    if let version = document.version, version != ToolVersion.number {
      findings = [
        .failure(
          .coreVersion, "core: is version \(version), not \(ToolVersion.number)",
          do: "systemctl restart pam-uaf.socket, or reinstall the pam-uaf package")
      ]
    }
    return findings + account(document)
  }

  private func ask() throws(ToolError) -> StatusDocument {
    let begin = try surroundings.caller.begin(Request(.status), configuration: configuration)
    let core = try surroundings.core.connect(startsOwn: configuration != nil)
    let finished = Result { () throws(ToolError) in
      var conversation = try Conversation()
      var nobody = Nobody()
      return try conversation.hold(begin, over: core.socket, with: &nobody)
    }
    core.close()
    let end = try finished.get()
    guard end.pamCode == 0 else { throw .configuration(end.text ?? "result \(end.result)") }
    return try StatusDocument(parsing: end.document ?? "")
  }

  private func account(_ document: StatusDocument) -> [Finding] {
    let name = ShownText.line(document.accountName ?? "this account")
    let usable = document.authenticators.filter { $0.state == StatusReport.available }
    let locked = document.authenticators.filter { $0.state == StatusReport.locked }
    var findings = locked.map { authenticator in
      Finding.warning(
        .accountLocked, "account: \(name): \(StatusReport.line(authenticator))",
        do: "wait until the lock is over (uafctl status), or uafctl unlock \(name)")
    }
    if !usable.isEmpty {
      findings.append(.ok("account: \(name): " + usable.map(StatusReport.line).joined(separator: ", ")))
    } else if locked.isEmpty, surroundings.caller.isRoot {
      findings.append(.ok("account: \(name): nothing registered; people run doctor for theirs"))
    } else if locked.isEmpty {
      findings.append(
        .warning(.accountUnregistered, "account: \(name): nothing registered", do: "uafctl register --payload FILE"))
    }
    return findings
  }

  /// Whoever is asked for nothing.
  private struct Nobody: Person {
    var checks: Set<Check> { [] }
    mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry { .cancelled }
    mutating func isReady() throws(ToolError) -> Bool { false }
    func hear(_ text: String, isError: Bool) {}
  }
}
