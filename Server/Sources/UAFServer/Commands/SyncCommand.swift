import ArgumentParser
import Glibc
import Invocation
import UAFAdministration
import UAFMessages
import UAFService

/// `uaf-server sync`: takes the people of a directory into the store.
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Take the people of a directory into the store.",
    subcommands: [SyncLDAPCommand.self])
}

/// `uaf-server sync ldap`: takes the people of an LDAP directory into the store.
struct SyncLDAPCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ldap",
    abstract: "Take the people of an LDAP directory into the store.",
    discussion: """
      New people get accounts. Changed people are changed. People who are gone are disabled and never deleted; if they \
      come back, they are enabled, unless somebody else has disabled them. Accounts that were not made for an entry of \
      this directory stay as they are, and so do people with a role. First try it with --dry-run. Nothing is done if more \
      accounts would be disabled than the limit of the settings allows: 10, or 5 percent if that is more. \
      docs/directory-sync.md describes the settings. Works while the server runs.
      """)

  @Option(help: ArgumentHelp("The settings, a file of JSON.", valueName: "file"), completion: .file())
  var config = "/etc/uaf-server/directory.json"
  @Flag(help: "Only print what would be changed.") var dryRun = false
  @Option(
    help: ArgumentHelp("Disable up to this many accounts in this run, whatever the settings say.", valueName: "n"))
  var mayDisable: Int?
  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func validate() throws {
    if let mayDisable, mayDisable < 0 { throw ValidationError("--may-disable must not be negative.") }
  }

  func run() async throws {
    let settings = try settings()
    let directory = try DirectoryAnswer.read(settings)
    try await place.link { link in
      let accounts = try await StoreAnswer.read(link)
      let plan = DirectoryPlan(settings.source, directory, accounts, limit: settings.limit, most: mayDisable)
      for group in directory.unusableGroups { Self.note("group left out", group.dn, group.problem) }
      for entry in plan.unusable { Self.note("left out", entry.dn, entry.problem) }
      for name in plan.administrators {
        Terminal.note("\(name) is gone from the directory, but has a role, and stays: see 'uaf-server admin'")
      }
      for name in plan.keptAdministrators {
        Terminal.note("\(name) has a role, so a change in the directory is not taken over: see 'uaf-server admin'")
      }
      for step in plan.steps { json.print(DirectoryRoutes.json(step), orElse: Self.line(step)) }
      guard !plan.isOverLimit else {
        Terminal.note(
          "\(plan.disabling) accounts would be disabled, and at most \(plan.mostDisabled) may be: nothing was done. If "
            + "they are really gone: --may-disable \(plan.disabling)")
        throw ExitCode(ExitStatus.overLimit.rawValue)
      }
      if !dryRun { try await carryOut(plan.steps, settings.source, link) }
      let counts = DirectoryStep.Action.allCases.map { "\($0.rawValue) \(plan.count($0))" }.joined(separator: ", ")
      Terminal.note("\(dryRun ? "would be done" : "done"): \(counts); left out \(plan.unusable.count)")
    }
  }

  private func settings() throws -> DirectorySettings {
    guard
      let bytes = try StateFile.read(path: config, isSecret: false, maximumLength: DirectorySettings.maximumSize)
    else { throw ServerError.unusableFile(path: config, reason: "there is no such file") }
    do throws(DirectorySettingsProblem) { return try DirectorySettings(parsing: bytes) } catch {
      throw ServerError.unusableFile(path: config, reason: error.description)
    }
  }

  private func carryOut(_ steps: [DirectoryStep], _ source: DirectorySource, _ link: any AdministrationLink)
    async throws
  {
    var done = 0
    for batch in StepBatches.batches(of: steps) {
      let body: JSONObject = [
        "directory": .string(source.name), "steps": .array(batch.map { .object(DirectoryRoutes.json($0)) }),
      ]
      do {
        _ = try await link.ask(APIRequest(.POST, ["directory-steps"], body: body))
      } catch {
        Terminal.note("stopped after \(done) of \(steps.count) steps; the next run continues")
        throw error
      }
      done += batch.count
    }
  }

  private static func note(_ what: String, _ dn: String, _ problem: EntryProblem) {
    Terminal.note("\(what): \(JSONObject.cleaned(dn, limit: 256)): \(problem)")
  }

  /// What is done, the account, and the new values of what changes.
  static func line(_ step: DirectoryStep) -> String {
    let object = DirectoryRoutes.json(step)
    var fields = ProfileField.allCases.filter { $0 != .externalID && object.text($0.rawValue) != nil }
      .map { "\($0.rawValue)=\(JSONObject.cleaned(object.text($0.rawValue) ?? "", limit: 256))" }
    if let groups = step.change.groups {
      fields.append("groups=" + groups.map { JSONObject.cleaned($0, limit: 128) }.joined(separator: "|"))
    }
    return ([step.action.rawValue, step.username] + fields).joined(separator: "\t")
  }
}

/// The people whom a directory has now.
enum DirectoryAnswer {
  /// - Throws: ``ServerError``.
  static func read(_ settings: DirectorySettings) throws(ServerError) -> DirectorySnapshot {
    let search = DirectorySearch(settings: settings, now: milliseconds)
    var people = DirectoryPeople(settings)
    if case .searched(let base, let filter, let name, let member) = settings.groups {
      try search.entries(base: base, filter: filter, attributes: [name, member]) {
        (entry) throws(DirectoryProblem) in try people.add(group: entry)
      }
    }
    try search.entries(base: settings.base, filter: settings.filter, attributes: settings.personAttributes) {
      (entry) throws(DirectoryProblem) in try people.add(person: entry)
    }
    do throws(DirectoryProblem) { return try people.finished() } catch { throw .unusableDirectoryAnswer(error) }
  }

  private static func milliseconds() -> Int64 {
    var time = timespec()
    // SAFETY: `time` lives for the call.
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}

/// The accounts that the store has now.
enum StoreAnswer {
  static func read(_ link: any AdministrationLink) async throws -> [KnownAccount] {
    let roles = try await link.ask(APIRequest(.GET, ["administrators"])).objects("administrators")
    // The directory decides about people who have a role by the mapping of a group alone.
    let administrators = Set(roles.filter { $0["group"] == nil }.compactMap { $0.text("name") })
    var accounts: [KnownAccount] = []
    try await link.forEach(APIRequest(.GET, ["accounts"]), "accounts") { account in
      guard let known = known(account, administrators) else { return }
      accounts.append(known)
    }
    return accounts
  }

  static func known(_ account: JSONObject, _ administrators: Set<String>) -> KnownAccount? {
    guard let name = account.text("name") else { return nil }
    var profile = AccountProfile(groups: account.texts("groups"))
    for field in ProfileField.allCases { profile[field] = account.text(field.rawValue) }
    // A block with an end is a lock, which ends by itself.
    let block = account.object("block").flatMap { $0.integer("until") == nil ? $0 : nil }
    return KnownAccount(
      username: name, profile: profile, disabledBy: block.map { $0.text("by") ?? "" },
      isAdministrator: administrators.contains(name))
  }
}

/// Divides steps into requests.
enum StepBatches {
  /// The most bytes of the steps of a request, which has at most 65,536.
  static let maximumSize = 60_000

  static func batches(of steps: [DirectoryStep]) -> [[DirectoryStep]] {
    var (batches, size) = ([[DirectoryStep]](), 0)
    for step in steps {
      let length = JSONValue.object(DirectoryRoutes.json(step)).bytes.count + 1
      if let last = batches.last, last.count < DirectoryAdministration.together, size + length <= maximumSize {
        batches[batches.count - 1].append(step)
        size += length
      } else {
        batches.append([step])
        size = length
      }
    }
    return batches
  }
}
