import ArgumentParser
import UAFAdministration
import UAFMessages
import UAFService

/// `uaf-server keys status`: who lacks what is coming.
struct KeysStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract:
      "List verdict keys and authorities to come: kind, name, used from, machines that lack it, their first names.",
    discussion: """
      A machine counts if it has joined, and was seen in the last 30 days. A machine that has not reported what it knows, \
      as before its first check-in with this version, lacks everything. A machine that learns no authorities, because it \
      has no ca_file or one with more than 64 certificates, lacks none. 'machines --lacks NAME' lists all that lack one.
      """)

  @OptionGroup var place: AdministrationOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      let found = try await link.ask(APIRequest(.GET, ["coming-trust"]))
      json.title("kind\tname\tused-from\tlacking\tmachines")
      for coming in found.objects("coming") {
        json.print(coming, orElse: Self.line(coming))
        if let count = coming.integer("learningNone") {
          Terminal.note("not counted for \(coming.said("name")), because they learn no authorities: \(count)")
        }
      }
    }
  }

  static func line(_ coming: JSONObject) -> String {
    var names: [String] = []
    if case .array(let values)? = coming["machines"] {
      names = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
    return [
      coming.said("kind"), coming.said("name"), coming.time("usedFrom", orElse: "-"),
      coming.number("lacking") + (coming["more"] == .bool(true) ? "+" : ""),
      names.isEmpty ? "-" : names.joined(separator: ","),
    ].joined(separator: "\t")
  }
}

/// The override of a refusal that protects machines, which the audit records with a reason.
struct AnywayOptions: ParsableArguments {
  @Flag(
    help:
      "Go on despite this refusal: nobody can log in on machines that lack it until root repairs them. Needs --reason.")
  var anyway = false
  @Option(help: ArgumentHelp("Why, for the audit; 1 to 500 bytes.", valueName: "text")) var reason: String?

  func validate() throws {
    guard !anyway || reason.map({ (1...500).contains($0.utf8.count) }) == true else {
      throw ValidationError("--anyway needs --reason of 1 to 500 bytes.")
    }
    guard anyway || reason == nil else { throw ValidationError("--reason is only for --anyway.") }
  }

  /// Refuses while machines lack something, or while nobody knows whether they do, unless `--anyway` is given.
  ///
  /// - Throws: ``ServerError/refusedRotation(_:)``.
  func check(_ coming: ComingTrust, _ what: String) throws(ServerError) {
    guard !anyway else { return }
    guard coming.lacking > 0 else {
      guard let text = coming.learningNoneText else { return }
      throw .refusedRotation(
        "\(text). It is used from \(Terminal.time(coming.usedFrom)) on in any case, and --anyway with --reason uses it now"
      )
    }
    throw .refusedRotation(
      "\(coming.countText) joined machine\(coming.lacking == 1 ? "" : "s") seen in the last 30 days "
        + "\(coming.lacking == 1 ? "lacks" : "lack") \(what) \(coming.anchor.name): \(coming.namesText). "
        + "They learn it by check-in; it is used from \(Terminal.time(coming.usedFrom)) on in any case, "
        + "and --anyway with --reason uses it now")
  }

  /// What the audit records about an override.
  ///
  /// - Parameters:
  ///   - lacking: how many machines lack what is used; nil if that is not known.
  ///   - learningNone: how many machines learn no authorities.
  func add(_ lacking: Int?, learningNone: Int = 0, to detail: inout JSONObject) {
    guard anyway, lacking != 0 || learningNone > 0 else { return }
    detail.set("anyway", .bool(true))
    detail.set("lacking", lacking.map { .integer(Int64($0)) })
    if learningNone > 0 { detail.set("learningNone", .integer(Int64(learningNone))) }
    detail.set("reason", reason.map(JSONValue.string))
  }
}

/// `uaf-server keys finish`: uses a new key before its time.
struct KeysFinishCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "finish", abstract: "Use the new key from now on, before the time that 'keys rotate' set.",
    discussion: """
      For 'verdict' this is refused while machines that have joined and were seen in the last 30 days lack the new key. \
      Copy the file to the other servers of this store, and send each server SIGHUP, at once: they accept the new key \
      already.
      """)

  @Argument(help: "secret, verdict, audit or machine.") var kind: RotatedKey
  @OptionGroup var state: StateOption
  @OptionGroup var override: AnywayOptions
  @OptionGroup var json: JSONFlag

  func run() async throws {
    let directory = try state.openWithKeys()
    let now = Terminal.now
    let coming = try StateLock.wait(for: directory) {
      try ServerKeys(state: directory, now: { now }).comingVerdictKeys.last
    }
    var lacking: Int? = 0
    if kind == .verdict, let coming { lacking = try await check(coming, in: directory, now: now) }
    let keys = try StateLock.hold(directory) { try finished(coming?.id, in: directory, now: now) }
    json.print(keys, now: now)
    await record(keys, lacking, in: directory, now: now)
    Terminal.note("send SIGHUP to the server (systemctl reload uaf-server), and see uaf-server(8) for several servers")
  }

  /// How many machines lack the key; nil if the store could not say so, and `--anyway` is given.
  private func check(
    _ key: (id: String, from: Int64), in directory: ServerDirectory, now: Int64
  ) async throws -> Int? {
    let coming: ComingTrust
    do {
      coming = try await state.openStore(in: directory).read { records in
        try ComingTrust(.verdictKey(key.id), usedFrom: key.from, in: records, now: now)
      }
    } catch {
      // A stolen key must be replaceable even while the store is down.
      guard override.anyway else { throw error }
      return nil
    }
    try override.check(coming, "verdict key")
    return coming.lacking
  }

  /// Uses the new key, and returns all keys.
  ///
  /// - Parameter checked: the id of the verdict key that the machines were asked about.
  private func finished(_ checked: String?, in directory: ServerDirectory, now: Int64) throws -> ServerKeys {
    let keys = try ServerKeys(state: directory, now: { now })
    switch kind {
    case .secret: _ = try directory.secrets.finish(now: now)
    case .verdict:
      guard keys.comingVerdictKeys.last?.id == checked else {
        throw ServerError.refusedRotation("the keys were changed in the meantime: try again")
      }
      _ = try directory.verdictKeys.finish(now: now)
    case .audit: _ = try directory.auditKeys.finish(now: now)
    case .machine: _ = try directory.machineSecrets.finish(now: now)
    }
    try keys.reload(from: directory)
    return keys
  }

  private func record(_ keys: ServerKeys, _ lacking: Int?, in directory: ServerDirectory, now: Int64) async {
    var detail: JSONObject = [
      "kind": .string(kind.rawValue), "from": .integer(now), "keys": .string(KeyList.text(keys, now: now)),
    ]
    override.add(lacking, to: &detail)
    do {
      let event = ServerEvents.command(.keyRotation, detail: detail, now: now)
      try await state.openStore(in: directory).write { try $0.audit.append([event]) }
    } catch {
      Terminal.note("the audit has no row for this, because the store cannot be used")
    }
  }
}
