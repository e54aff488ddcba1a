import ArgumentParser
import Authenticator
import Doctor
import HostSystem
import PAMStacks
import UAFConfiguration
import UAFMessages
import UAFWire
import Wording

/// `uafctl join`.
struct JoinCommand: LocalCommand, JSONDocumentCommand {
  static var configuration: CommandConfiguration { CommandHelp.join.configuration("join") }

  @OptionGroup var conf: ConfigurationOption

  @Option(help: .text(.machinePayload, valueName: "file"), completion: .file())
  var payload: String

  @Option(help: .text(.fingerprint, valueName: "hex"))
  var fingerprint: String?

  @Option(help: .text(.group, valueName: "name"))
  var group: String?

  @Flag(help: .text(.jsonReport))
  var json = false

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    guard context.caller.isRoot else { throw .onlyRoot(.join) }
    let source = try CodeSource(argument: payload, of: .payload)
    let join = try JoinPayload(try source.read(in: context, as: .machine).bytes)
    try join.require(fingerprint: fingerprint, group: group)
    let chosen = try configurationPath(in: context)
    let run = JoinRun(
      context: context, configuration: chosen ?? context.installation.configurationPath,
      owner: context.installation.owner)
    let finished = try run.join(join)
    guard finished.pamCode == 0 else { return JSONLines.tellFailure(finished, asJSON: json, in: context) }
    let failure = firstCheckIn(chosen, in: context)
    let report = JoinReport(join, hasCheckedIn: failure == nil, findings: findings(chosen, in: context))
    if json {
      context.output.result(report.text(in: context.language))
    } else {
      context.note(ToolText.joined(server: join.payload.server, group: join.payload.group.name))
      context.note(ToolText.fingerprint(join.fingerprint))
      if let failure { context.failure(ToolText.notCheckedIn(failure), hint: ToolText.checkInLater) }
      for finding in report.open {
        context.output.flowingResult(finding.line(in: context.language, colours: context.usesColours), hanging: 5)
      }
    }
    return .success
  }

  /// Checks in for the first time.
  ///
  /// The machine stays joined even if this fails.
  ///
  /// - Returns: why the check-in failed; nil if it succeeded.
  private func firstCheckIn(_ configuration: String?, in context: ToolContext) -> String? {
    do throws(ToolError) {
      let finished = try CoreCall(context: context, configuration: configuration).run(Request(.checkIn))
      return finished.pamCode == 0 ? nil : ConversationEnd(finished).told(in: context.language).text
    } catch { return error.text(in: context.language).what }
  }

  private func findings(_ configuration: String?, in context: ToolContext) -> [Finding] {
    Examination(
      of: context.installation, core: StatusQuery(in: context, configuration: configuration),
      accounts: context.caller.accounts, isRoot: true, configuration: configuration, services: PAMFolderOption.standard
    ).run { _ in }
  }
}

/// `uafctl leave`.
struct LeaveCommand: LocalCommand, JSONDocumentCommand {
  static var configuration: CommandConfiguration { CommandHelp.leave.configuration("leave") }

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var pamFolder: PAMFolderOption

  @Flag(help: .text(.force))
  var force = false

  @Flag(help: .text(.jsonEnd))
  var json = false

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    guard context.caller.isRoot else { throw .onlyRoot(.join) }
    let asking = StackList(reader: PAMDirectory(path: pamFolder.path)).entries() ?? []
    guard force || asking.isEmpty else { throw .join(.servicesAsk(asking.map(\.name))) }
    let chosen = try configurationPath(in: context)
    let run = JoinRun(
      context: context, configuration: chosen ?? context.installation.configurationPath,
      owner: context.installation.owner)
    let (finished, hasRemoved) = try run.leave(chosen)
    // If the core knows of no join although the files of one existed, only these files were removed.
    guard finished.pamCode == 0 || hasRemoved else {
      return JSONLines.tellFailure(finished, asJSON: json, in: context)
    }
    let said = finished.pamCode == 0 ? ShownText.lines(finished.text ?? "") : ""
    let text = said.isEmpty ? ToolText.left.text(in: context.language) : said
    if json { JSONLines(in: context).done(text) } else { context.output.note(text) }
    return .success
  }
}

/// `uafctl check-in`.
struct CheckInCommand: CoreCommand, JSONDocumentCommand {
  static var configuration: CommandConfiguration { CommandHelp.checkIn.configuration("check-in") }
  static let done = ToolText.checkedIn

  @OptionGroup var conf: ConfigurationOption

  @Flag(help: .text(.ifJoined))
  var ifJoined = false

  @Flag(help: .text(.examine))
  var doctor = false

  @Flag(help: .text(.jsonAnswer))
  var json = false

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = Request(.checkIn)
    // Only root may check in: the core refuses everybody else.
    guard doctor, context.caller.isRoot else { return request }
    // In a sandbox with mounts of its own, files may be missing, or not writable, that are all right for a login.
    guard context.installation.seesFilesOfOthers() else {
      if !json { context.note(ToolText.notExamined) }
      return request
    }
    let chosen = try conf.path(in: context)
    let found = Examination(
      of: context.installation, core: StatusQuery(in: context, configuration: chosen),
      accounts: context.caller.accounts, isRoot: true, configuration: chosen, services: PAMFolderOption.standard,
      isForReport: true
    ).run { _ in }
    request.code = FindingList.json(Self.failures(found)).bytes
    return request
  }

  /// The IDs of the failures, each once, at most ``FindingList/most``.
  static func failures(_ found: [Finding]) -> [String] {
    let ids = found.compactMap { $0.level == .failure ? $0.id?.rawValue : nil }
    return Array(ids.indices.filter { ids.firstIndex(of: ids[$0]) == $0 }.map { ids[$0] }.prefix(FindingList.most))
  }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    if ifJoined, try hasNothingToTell(in: context) { return .success }
    let finished = try call(in: context).run(try request(in: context))
    guard finished.pamCode == 0, let document = finished.document else {
      return JSONLines.tellFailure(finished, asJSON: json, in: context)
    }
    if json {
      context.output.result(document)
    } else {
      context.note(Self.policy(in: document).map { ToolText.checkedInPolicy($0) } ?? Self.done)
    }
    return .success
  }

  /// Whether this machine has joined no server, or root's configuration forbids reports.
  ///
  /// If it cannot be looked up, the core is asked, which says what is wrong.
  private func hasNothingToTell(in context: ToolContext) throws(ToolError) -> Bool {
    guard context.caller.isRoot else { throw .onlyRoot(.checkIn) }
    let installation = context.installation
    let configuration: Configuration
    let chosen = try conf.path(in: context)
    do throws(ConfigurationError) {
      configuration = try Configuration.load(
        path: chosen, defaultPath: installation.configurationPath, requiredOwner: installation.owner)
    } catch { return false }
    if let server = configuration.server, !server.sendsDevice { return true }
    guard case .failure(let error) = FileState.of("\(configuration.state.directory)/\(JoinRecord.fileName)") else {
      return false
    }
    return error.isAbsence
  }

  /// The version of the policy that the server has named for this machine; nil if there is none.
  private static func policy(in document: String) -> Int64? {
    guard case .object(let members)? = try? JSONValue(parsing: Array(document.utf8)),
      case .integer(let version)? = members["policy"]
    else { return nil }
    return version
  }
}

/// `uafctl trust`.
struct TrustCommand: CoreCommand {
  static var configuration: CommandConfiguration { CommandHelp.trust.configuration("trust") }
  static let done = ToolText.trusted

  @OptionGroup var conf: ConfigurationOption

  @Option(
    name: [.customLong("code"), .customLong("payload")],
    help: .text(.code, valueName: "file"),
    completion: .file())
  var code: String

  func request(in context: ToolContext) throws(ToolError) -> Request {
    var request = Request(.trust)
    request.code = try CodeSource.read(code, in: context, as: .server)?.bytes
    return request
  }
}

/// `uafctl facet`.
struct FacetCommand: LocalCommand {
  static var configuration: CommandConfiguration { CommandHelp.facet.configuration("facet") }

  @OptionGroup var conf: ConfigurationOption

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let installation = context.installation
    let given = try configurationPath(in: context)
    let configuration: Configuration
    do throws(ConfigurationError) {
      configuration = try Configuration.load(
        path: given, defaultPath: installation.configurationPath, requiredOwner: installation.owner)
    } catch {
      throw .configuration(.unusable(error))
    }
    let path = given ?? installation.configurationPath
    guard !configuration.files.isEmpty else { throw .configuration(.unusable(.file(path: path, .missing))) }
    guard let facet = configuration.server?.facetID else { throw .configuration(.noServer(path: path)) }
    let list = TrustedFacetList(trustedFacets: UPV.supported.map { .init(version: $0, ids: [facet]) })
    context.output.result(facet)
    context.output.result(list.json.text)
    return .success
  }
}
