import ArgumentParser
import UAFAdministration
import UAFCrypto
import UAFMessages
import UAFService

/// `uaf-server authority`: announces the authorities of the server's coming certificates to the machines that have joined.
struct AuthorityCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "authority",
    abstract: "Announce authorities of the server's certificate to machines before they are used.",
    subcommands: [
      AuthorityListCommand.self, AuthorityAnnounceCommand.self, AuthorityFinishCommand.self, AuthorityEndCommand.self,
    ])
}

/// `uaf-server authority list`.
struct AuthorityListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the announced authorities: fingerprint, announced, used from, ended, by whom.")

  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag

  func run() async throws {
    let store = try state.openStore()
    let found = try await store.read { try $0.machineTrusts.authorities() }
    json.title("fingerprint\tannounced\tused-from\tended\tby")
    for authority in found {
      var object: JSONObject = [
        "fingerprint": .string(authority.fingerprint), "announced": .integer(authority.announcedAt),
        "usedFrom": .integer(authority.usedFrom), "by": .string(authority.announcedBy),
      ]
      object.set("ended", authority.endedAt.map(JSONValue.integer))
      let times = [authority.announcedAt, authority.usedFrom].map(Terminal.time)
      let line = [authority.fingerprint] + times + [authority.endedAt.map(Terminal.time) ?? "-", authority.announcedBy]
      json.print(object, orElse: line.joined(separator: "\t"))
    }
  }
}

/// `uaf-server authority announce`.
struct AuthorityAnnounceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "announce",
    abstract: "Announce an authority: machines that have joined accept certificates of it from their next check-in on.",
    discussion: """
      Machines whose ca_file names authorities, at most 64, learn it; machines that use the authorities of their system do \
      not. Until its time, or until 'authority finish', the server refuses at a reload a certificate that this authority \
      has issued. An authority that was ended is announced again only with --again: that takes its end back, also on \
      machines that have heard of the end already.
      """)

  @Argument(help: "The authority's certificate, PEM.", completion: .file()) var file: String
  @OptionGroup var state: StateOption
  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("Seconds until it is used, 0 to 31622400 (default: a week).", valueName: "seconds"))
  var delay: Int64?
  @Flag(help: "Announce an authority that was ended.") var again = false
  @OptionGroup var json: JSONFlag

  func validate() throws {
    guard (0...31_622_400).contains(delay ?? 0) else { throw ValidationError("--in must be 0 to 31622400 seconds.") }
  }

  func run() async throws {
    let (certificate, fingerprint) = try read()
    let (store, now) = (try state.openStore(), Terminal.now)
    let from = now + (delay ?? 604_800)
    let authority = AnnouncedAuthority(
      fingerprint: fingerprint, certificate: certificate, announcedBy: ServerEvents.caller.text, announcedAt: now,
      usedFrom: from)
    let event = AuthorityEvents.row("announced", fingerprint, ["from": .integer(from)], now: now)
    let coming = try await store.write { [again] records in
      let all = try records.machineTrusts.authorities()
      if !again, let end = all.first(where: { $0.fingerprint == fingerprint })?.endedAt {
        throw ServerError.refusedRotation(
          "\(fingerprint) was ended at \(Terminal.time(end)): to have machines trust it again, give --again")
      }
      let others = all.filter { $0.endedAt == nil && $0.fingerprint != fingerprint }
      guard others.count < AnnouncedAuthority.most else {
        throw ServerError.refusedRotation(
          "\(AnnouncedAuthority.most) authorities are announced already: end one with 'authority end'")
      }
      try records.machineTrusts.announce(authority)
      try records.audit.append([event])
      return try ComingTrust(.authority(fingerprint), usedFrom: from, in: records, now: now)
    }
    json.print(
      [
        "fingerprint": .string(fingerprint), "usedFrom": .integer(from),
        "lacking": .integer(Int64(coming.lacking)),
      ],
      orElse: fingerprint)
    Terminal.note(
      "\(coming.lackingText) it; machines learn it by check-in, and 'keys status' counts those that lack it")
    if let text = coming.learningNoneText { Terminal.note(text) }
  }

  /// The certificate in the file, DER, and its fingerprint.
  private func read() throws -> (certificate: [UInt8], fingerprint: String) {
    guard let pem = try StateFile.read(path: file, isSecret: false) else {
      throw ServerError.unusableFile(path: file, reason: "no such file")
    }
    try PEMForm.require(pem, of: file)
    guard let found = try? X509.certificates(pem: pem), let certificate = found.first, found.count == 1 else {
      throw ServerError.unusableFile(path: file, reason: "must have exactly one certificate in PEM: the authority's")
    }
    // A server may also have a certificate that issued itself.
    guard X509.isAuthority(der: certificate) || (try? X509.isIssued(by: certificate, der: certificate)) == true else {
      throw ServerError.unusableFile(
        path: file, reason: "is the certificate of no authority (CA), such as the server's own: name that of its issuer"
      )
    }
    guard certificate.count <= TrustStatement.maximumAuthorityBytes else {
      throw ServerError.unusableFile(
        path: file, reason: "the certificate is longer than \(TrustStatement.maximumAuthorityBytes) bytes")
    }
    return (certificate, Hexadecimal.text(try SHA256.hash(certificate)))
  }
}

/// `uaf-server authority finish`.
struct AuthorityFinishCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "finish", abstract: "Accept a certificate of an announced authority at the next reload.",
    discussion: """
      This is refused while machines that have joined and were seen in the last 30 days lack the authority, or learn no \
      authorities: nobody knows whether those accept it.
      """)

  @Argument(help: "The authority's fingerprint: SHA-256, 64 hexadecimal digits.") var fingerprint: Fingerprint
  @OptionGroup var state: StateOption
  @OptionGroup var override: AnywayOptions

  func run() async throws {
    let (store, now) = (try state.openStore(), Terminal.now)
    let coming = try await store.write { [fingerprint = fingerprint.text, override] records in
      guard
        let found = try records.machineTrusts.authorities().first(where: {
          $0.fingerprint == fingerprint && $0.endedAt == nil
        })
      else { throw AuthorityEvents.unknown(fingerprint) }
      let coming = try ComingTrust(.authority(fingerprint), usedFrom: found.usedFrom, in: records, now: now)
      try override.check(coming, "authority")
      _ = try records.machineTrusts.use(fingerprint, from: min(now, found.usedFrom))
      var detail: JSONObject = ["from": .integer(now)]
      override.add(coming.lacking, learningNone: coming.learningNone, to: &detail)
      try records.audit.append([AuthorityEvents.row("finished", fingerprint, detail, now: now)])
      return coming
    }
    if let text = coming.learningNoneText { Terminal.note(text) }
    Terminal.note("install the certificate, and reload the server (systemctl reload uaf-server)")
  }
}

/// `uaf-server authority end`.
struct AuthorityEndCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "end", abstract: "End an announced authority: machines stop accepting it at their next check-in.",
    discussion: """
      Only what machines have learned by check-in ends. An authority in a machine's own ca_file stays, because root has put \
      it there. An authority that has issued the certificate of a server of this store is refused, even with --anyway; so is \
      one of the same name and key, such as a renewed root. The authority that was used last is refused without --anyway: it \
      may issue the next certificate.
      """)

  @Argument(help: "The authority's fingerprint: SHA-256, 64 hexadecimal digits.") var fingerprint: Fingerprint
  @OptionGroup var state: StateOption
  @OptionGroup var override: AnywayOptions

  func run() async throws {
    let (store, now) = (try state.openStore(), Terminal.now)
    try await store.write { [fingerprint = fingerprint.text, override] records in
      guard try !ServedAuthorities(in: records).fingerprints.contains(fingerprint) else {
        throw ServerError.refusedRotation(
          "a server of this store has a certificate of \(fingerprint): install one of another authority, reload, and try "
            + "again after \(ServedAuthorities.lately / 60) minutes")
      }
      let used = try records.machineTrusts.authorities().filter { $0.endedAt == nil && $0.usedFrom <= now }
      let own = used.first { $0.fingerprint == fingerprint }
      // Two that were used from the same second on are both the last.
      let isLast = own.map { own in used.allSatisfy { $0.usedFrom <= own.usedFrom } } ?? false
      guard !isLast || override.anyway else {
        throw ServerError.refusedRotation(
          "\(fingerprint) is the authority that was used last: machines would refuse a certificate that it has issued. "
            + "Announce and use another one first, or give --anyway with --reason")
      }
      guard try records.machineTrusts.end(fingerprint, now: now) else { throw AuthorityEvents.unknown(fingerprint) }
      var detail: JSONObject = [:]
      if isLast { override.add(nil, to: &detail) }
      try records.audit.append([AuthorityEvents.row("ended", fingerprint, detail, now: now)])
    }
    Terminal.note("\(fingerprint.text) has ended: machines stop accepting it at their next check-in")
  }
}

/// An authority's fingerprint on the command line, in either case and with or without colons.
struct Fingerprint: ExpressibleByArgument {
  /// 64 lower-case hexadecimal digits.
  let text: String

  init?(argument: String) {
    guard case .authority(let name)? = TrustAnchor(typed: argument) else { return nil }
    text = name
  }
}

/// The rows and refusals of these commands.
private enum AuthorityEvents {
  static func row(_ what: String, _ fingerprint: String, _ more: JSONObject, now: Int64) -> AuditEntry {
    var detail = more
    detail.set("kind", .string("authority"))
    detail.set("change", .string(what))
    detail.set("fingerprint", .string(fingerprint))
    return ServerEvents.command(.keyRotation, detail: detail, now: now)
  }

  static func unknown(_ fingerprint: String) -> ServerError {
    .refusedRotation("no announced authority has the fingerprint \(fingerprint): 'authority list' has them")
  }
}
