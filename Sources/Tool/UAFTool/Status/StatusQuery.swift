import Doctor
import FidoResults
import UAFMessages
import UAFWire
import Wording

/// Asks the core for the state of an account.
///
/// No person is asked anything.
struct StatusQuery {
  private let call: CoreCall
  private let language: Language

  /// - Parameter configuration: the path of root's own configuration; nil for the machine's.
  init(in context: ToolContext, configuration: String?) {
    call = CoreCall(context: context, configuration: configuration)
    language = context.language
  }

  /// The core's last message about an account, which may be a refusal.
  ///
  /// - Parameter user: the account's name, which only root may choose; nil for the caller's own account.
  /// - Throws: ``ToolError`` if the core cannot be reached, or cannot serve anybody: that is not a fault of one account.
  private func ask(_ user: String?) throws(ToolError) -> Finished {
    var request = Request(.status)
    request.user = user
    var nobody = Nobody()
    let end = try call.run(request, with: &nobody)
    guard end.result != FidoResult.cannotUse.code else {
      throw .core(.unable(end.text.map(ConfigurationProblem.refused) ?? .result(end.result)))
    }
    return end
  }

  /// Answers no prompt, because *status* has none.
  private struct Nobody: Person {
    var checks: Set<Check> { [] }
    mutating func answer(_ prompt: Prompt) throws(ToolError) -> Entry { .cancelled }
    mutating func isReady() throws(ToolError) -> Bool { false }
    func hear(_ text: String, isError: Bool) {}
  }
}

extension StatusQuery: StatusSource {
  func own() throws(StatusFailure) -> StatusDocument {
    let end: Finished
    do throws(ToolError) { end = try ask(nil) } catch { throw StatusFailure(error) }
    guard CInt(end.pamCode) != PAMCode.serviceError.rawValue else {
      throw StatusFailure(ToolError.configuration(end.text.map(ConfigurationProblem.refused) ?? .result(end.result)))
    }
    // The core serves other accounts, so the fault is in the stored data of this account, or in its name.
    guard end.pamCode == 0 else {
      let told = ConversationEnd(end).told(in: language)
      throw StatusFailure(ofAccount: told.text, nextStep: told.nextStep)
    }
    do throws(ToolError) { return try end.statusDocument() } catch { throw StatusFailure(error) }
  }

  func status(of account: String) throws(StatusFailure) -> StatusAnswer {
    do throws(ToolError) {
      let end = try ask(account)
      guard end.pamCode == 0 else { return .refused(end.text ?? "result \(end.result)") }
      return .standing(try end.statusDocument())
    } catch {
      throw StatusFailure(error)
    }
  }
}

/// The text of an error in a report of `uafctl doctor`.
///
/// It does not advise to run `uafctl doctor`.
private struct TextInDoctor: Catalogued {
  let english: FindingText
  let korean: FindingText

  init(_ error: ToolError) {
    switch error {
    case .core(.ended), .core(.silent):
      english = FindingText(error.english.what, do: "the log (authpriv) says more")
      korean = FindingText(error.korean.what, do: "로그(authpriv)에 자세한 내용이 있습니다")
    case .configuration:
      english = FindingText(error.english.what, do: "correct it: the line about the configuration says more")
      korean = FindingText(error.korean.what, do: "바로잡으십시오. 설정에 관한 줄에 자세한 내용이 있습니다")
    default: (english, korean) = (error.english, error.korean)
    }
  }
}

extension StatusFailure {
  /// The failure for an error that prevented the core from being asked.
  fileprivate init(_ error: ToolError) {
    if case .core(.absent) = error { self.init(error, isAbsence: true) } else { self.init(TextInDoctor(error)) }
  }
}

/// The yes-or-no questions about one authenticator type that the exit status of `uafctl status` answers.
enum StatusQuestion: CaseIterable {
  /// Whether the type could be registered here: root has enabled it, and this version can verify it.
  case supported
  /// Whether the account has registered the type, even if it is locked.
  case registered
  /// Whether the type is locked now, temporarily or permanently.
  case locked
  /// Whether the type can be used for a login now.
  case available

  /// Whether the answer is yes for this authenticator.
  func holds(of authenticator: StatusDocument.Authenticator) -> Bool {
    switch self {
    case .supported: authenticator.state != AuthenticatorState.notSupported
    case .registered: authenticator.isHeld
    case .locked: authenticator.state == AuthenticatorState.locked
    case .available: authenticator.state == AuthenticatorState.available
    }
  }
}

/// Prints what `uafctl status` prints for the core's answer; returns the exit status.
struct StatusDisplay {
  let context: ToolContext
  /// The folder of the PAM services.
  let services: String

  /// Prints the state of the account, and until when services lead people to the password who never registered.
  ///
  /// - Parameter asJSON: whether to print the core's document, with these services added if there are any.
  /// - Throws: ``ToolError/core(_:)``.
  func show(_ finished: Finished, asJSON: Bool) throws(ToolError) -> ToolExit {
    guard finished.result == 0 else { return JSONLines.tellFailure(finished, asJSON: asJSON, in: context) }
    let document = try finished.statusDocument()
    let rollouts = Rollout.all(in: services, vendors: context.installation.vendorPAMFolders)
    if asJSON {
      context.output.result(ShownText.verbatim(Self.adding(rollouts, to: finished.document ?? "")))
    } else {
      let report = StatusReport(language: context.language, isRoot: context.caller.isRoot).text(document)
      let lines = [report] + rollouts.map { $0.text(on: context.today).text(in: context.language) }
      context.output.flowingResult(lines.joined(separator: "\n"), hanging: 2)
    }
    return .success
  }

  /// The core's document with the member `passwordUntil`; unchanged without such services.
  private static func adding(_ rollouts: [Rollout], to document: String) -> String {
    guard !rollouts.isEmpty, case .object(var object)? = try? JSONValue(parsing: Array(document.utf8)) else {
      return document
    }
    let list = rollouts.map { JSONValue.object(["service": .string($0.service), "day": .string($0.day.description)]) }
    object.set("passwordUntil", .array(list))
    return JSONValue.object(object).text
  }

  /// Answers a question about one authenticator with the exit status: 0 for yes, 1 for no, 2 for anything else.
  ///
  /// - Parameters:
  ///   - name: the authenticator's type or AAID.
  ///   - ask: asks the core.
  func answer(
    _ question: StatusQuestion, about name: String, by ask: () throws(ToolError) -> Finished
  ) -> ToolExit {
    do throws(ToolError) {
      return try answer(question, about: name, as: try ask())
    } catch {
      context.failure(error)
      return .usage
    }
  }

  private func answer(
    _ question: StatusQuestion, about name: String, as finished: Finished
  ) throws(ToolError) -> ToolExit {
    guard finished.result == 0 else {
      _ = ConversationEnd(finished).tellFailure(in: context)
      return .usage
    }
    let document = try finished.statusDocument()
    guard let found = document.authenticators.first(where: { $0.isCalled(name) }) else {
      guard AuthenticatorName.isPossible(name) else { throw .badArgument(.noSuchType(name)) }
      context.result(StatusText.notEnabled(ShownText.line(name)))
      return .refused
    }
    context.output.flowingResult(StatusReport(language: context.language).line(found), hanging: 2)
    return question.holds(of: found) ? .success : .refused
  }
}

extension Finished {
  /// The status document with which the conversation ended.
  ///
  /// - Throws: ``ToolError/core(_:)`` if the document cannot be read.
  func statusDocument() throws(ToolError) -> StatusDocument {
    guard let document = StatusDocument(parsing: document ?? "") else { throw .core(.confused(.statusDocument)) }
    return document
  }
}
