import ArgumentParser
import Doctor
import FidoResults
import Glibc
import PAMStacks
import UAFWire

/// A subcommand that conducts one conversation with the core.
protocol CoreCommand: Subcommand {
  /// `--conf`.
  var conf: ConfigurationOption { get }
  /// The text for a success.
  static var done: ToolText { get }
  /// Whether a success is reported with the core's text, which says more than ``done``.
  static var isToldByCore: Bool { get }
  /// The text for a success of `request`, if it depends on the request.
  func done(_ request: Request) -> ToolText
  /// The request to the core.
  ///
  /// - Throws: ``ToolError``.
  func request(in context: ToolContext) throws(ToolError) -> Request
}

extension CoreCommand {
  static var isToldByCore: Bool { false }

  func done(_ request: Request) -> ToolText { Self.done }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit { try performInLines(in: context) }

  /// Runs the conversation with the person or script at the terminal or standard input.
  ///
  /// - Throws: ``ToolError``.
  func performInLines(in context: ToolContext) throws(ToolError) -> ToolExit {
    let request = try request(in: context)
    let finished = try call(in: context).run(request)
    let end = ConversationEnd(finished)
    if request.denies { return end.tellDenial(in: context) }
    guard finished.pamCode == 0 else { return end.tellFailure(in: context) }
    return end.tellSuccess(
      as: done(request), orAsCore: Self.isToldByCore, wantsToken: request.wantsToken, in: context)
  }

  /// The call to the core, with the configuration that the command line names.
  ///
  /// - Throws: ``ToolError/badArgument(_:)``.
  func call(in context: ToolContext) throws(ToolError) -> CoreCall {
    CoreCall(context: context, configuration: try conf.path(in: context))
  }
}

/// A conversation with the core that can also be conducted by a graphical front end.
protocol JSONCoreCommand: CoreCommand {
  /// `--json-conversation`, `--together` and `--json`.
  var json: JSONConversationOption { get }
  /// The result to report for an error before or outside the conversation with the core; nil for the error's own result.
  static func result(of error: ToolError) -> FidoResult?
}

extension JSONCoreCommand {
  static func result(of error: ToolError) -> FidoResult? { nil }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    json.isAny ? performInJSON(in: context) : try performInLines(in: context)
  }

  /// Runs the conversation with a graphical front end, or with a person as usual if only the outcome is printed as JSON.
  private func performInJSON(in context: ToolContext) -> ToolExit {
    JSONCall(in: context, isAskedInJSON: json.isOn, answersTogether: json.isTogether).run(
      { context throws(ToolError) in try request(in: context) },
      over: { context throws(ToolError) in try call(in: context) }, failing: Self.result)
  }
}

/// A subcommand that prints one JSON object with `--json`: its result, or how it failed.
protocol JSONDocumentCommand: Subcommand {
  /// `--json`.
  var json: Bool { get }
}

/// A subcommand that examines or changes this machine itself, and not only through the core.
protocol LocalCommand: Subcommand {
  /// `--conf`.
  var conf: ConfigurationOption { get }
}

extension LocalCommand {
  /// The path of the configuration's file.
  ///
  /// - Throws: ``ToolError``: `badArgument`; `onlyRoot` if anybody but root names the file.
  func configurationPath(in context: ToolContext) throws(ToolError) -> String? {
    let path = try conf.path(in: context)
    guard path == nil || context.caller.isRoot else { throw .onlyRoot(.chooseConfiguration) }
    return path
  }
}

/// A subcommand of uafctl.
protocol Subcommand: ParsableCommand {
  /// Does the work.
  ///
  /// - Throws: ``ToolError``.
  func perform(in context: ToolContext) throws(ToolError) -> ToolExit
}

/// `[USER] [TYPE]`, for the subcommands about a registered authenticator.
struct AuthenticatorArguments: ParsableArguments {
  @Argument(help: .text(.account), completion: MachineCompletion.peopleAndTypes)
  var user: String?

  @Argument(help: .text(.type), completion: MachineCompletion.types)
  var type: String?

  /// The request for `operation` about the account and type that these arguments name.
  ///
  /// - Parameter account: the account, if an option names it. A single argument is then the type.
  func request(_ operation: UAFWire.Operation, of account: String? = nil, in context: ToolContext) -> Request {
    var request = Request(operation, about: Names(user: user, type: type, accounts: context.caller.accounts))
    if let account { (request.user, request.mayNameType, request.authenticator) = (account, false, user) }
    return request
  }
}

/// `--json-conversation`, `--together` and `--json`: for subcommands whose prompts a graphical front end may show, or whose
/// outcome a script may read.
struct JSONConversationOption: ParsableArguments {
  @Flag(name: .customLong("json-conversation"), help: .text(.jsonConversation))
  var isOn = false

  @Flag(name: .customLong("together"), help: .text(.together))
  var isTogether = false

  @Flag(name: .customLong("json"), help: .text(.jsonEnd))
  var isForTheEnd = false

  /// Whether anything is printed as JSON.
  var isAny: Bool { isOn || isForTheEnd }

  func validate() throws {
    if isTogether, !isOn { throw UsageMistake.togetherAlone.error }
    if isOn, isForTheEnd { throw UsageMistake.twoKindsOfJSON.error }
  }
}

/// `--conf`, an option of the program and of every subcommand: it has one value, wherever it is written.
struct ConfigurationOption: ParsableArguments {
  @Option(name: .customLong("conf"), help: .text(.configurationFile, valueName: "file"), completion: .file())
  var file: String?

  /// The file's absolute path, because the core has a different working directory.
  ///
  /// - Throws: ``ToolError/badArgument(_:)`` for an empty name, or one that no module argument can carry.
  func path(in context: ToolContext) throws(ToolError) -> String? { try Self.path(file, in: context) }

  /// The absolute path of `file`; nil if it is nil.
  ///
  /// - Throws: ``ToolError/badArgument(_:)``, as above.
  static func path(_ file: String?, in context: ToolContext) throws(ToolError) -> String? {
    guard let file else { return nil }
    guard !file.isEmpty, !file.utf8.contains(0) else { throw .badArgument(.confWithoutName) }
    let folder = context.workingDirectory
    let path = straight(file.hasPrefix("/") ? file : folder + "/" + file)
    guard path.utf8.count <= 4000 else { throw .badArgument(.confTooLong) }
    return path
  }

  /// The path without empty, `.` and `..` parts, which are refused in the path of a file of root's.
  private static func straight(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part != ".." { parts.append(part) } else if !parts.isEmpty { parts.removeLast() }
    }
    return "/" + parts.joined(separator: "/")
  }
}

/// The words with which a shell completes arguments that name something on this machine.
enum MachineCompletion {
  /// Authenticator types.
  static let types = CompletionKind.list(AuthenticatorName.shown)
  /// Accounts of the machine, as far as its name service lists them all.
  static let people = CompletionKind.shellCommand(everybody)
  /// Accounts and authenticator types.
  static let peopleAndTypes = CompletionKind.shellCommand(
    everybody + AuthenticatorName.shown.map { "; echo \($0)" }.joined())
  /// PAM services that can be made to ask for the passcode.
  static let services = CompletionKind.custom { words, _, _ in
    let installation = Installation.ofThisMachine(tty: nil)
    let names = ([folder(in: words)] + installation.vendorPAMFolders).flatMap {
      PAMDirectory(path: $0).services() ?? []
    }
    return Set(names).filter { !PAMService.isPart($0) && (try? PAMService($0)) != nil }.sorted()
  }
  /// PAM services that already ask for the passcode.
  static let enabledServices = CompletionKind.custom { words, _, _ in
    let entries = StackList(reader: PAMDirectory(path: folder(in: words))).entries() ?? []
    return entries.compactMap { entry in
      if case .enabled = entry.origin { entry.name } else { nil }
    }
  }

  private static let everybody = "getent passwd | cut -d: -f1"

  /// The value of `--pam-directory` on the command line so far.
  private static func folder(in words: [String]) -> String {
    let index = words.firstIndex(of: "--pam-directory").map { $0 + 1 }
    return index.flatMap { words.indices.contains($0) ? words[$0] : nil } ?? PAMFolderOption.standard
  }
}
