import ArgumentParser
import UAFCrypto
import UAFMessages
import UAFService

/// `uaf-server enrol-list`: makes a code for each person of a list.
struct EnrolListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol-list", abstract: "Make a one-time enrolment code for each person of a list.",
    discussion: """
      The list is CSV. Its first line names the columns: username, and lifetime (seconds) if wanted. A wrong line is \
      named by its number, and then nothing is done, unless --skip-wrong is given. Codes go into a new file, CSV too: \
      username, expires (seconds since 1970), code. Keep it as secret as the codes.
      """)

  /// Codes of one transaction: logins wait for it some 50 ms at most.
  private static let together = 250
  /// Wrong lines that are named.
  private static let mostNamed = 50

  @Argument(help: "The list of people.", completion: .file()) var list: String
  @Option(help: ArgumentHelp("The file to make for the codes.", valueName: "file"), completion: .file())
  var codes: String
  @OptionGroup var state: StateOption
  @Option(help: "Base URL for the clients (default: the one 'serve' was last started with).") var server: PublicURL?
  @Option(
    help: ArgumentHelp("Seconds a code is good for, 1 to 604800, if the list does not say.", valueName: "seconds"))
  var lifetime: Int64 = 86_400
  @Flag(help: "Make codes for the right lines although others are wrong.") var skipWrong = false

  func validate() throws {
    guard (1...PeopleList.longestLifetime).contains(lifetime) else {
      throw ValidationError("--lifetime must be 1 to \(PeopleList.longestLifetime) seconds.")
    }
  }

  func run() async throws {
    let people = try read()
    let directory = try state.open(create: false)
    let store = try state.openStore(in: directory)
    let stored = try await store.read { try $0.settings.value(of: .publicURL) }
    let url = server?.text ?? stored ?? "https://127.0.0.1:8443"
    let authority = try CertificateFiles.authority(of: directory, for: url)
    let file = try CodeFile(path: codes)
    try file.add([CodeFile.header])
    var done = 0
    while done < people.count {
      let part = Array(people[done..<min(people.count, done + Self.together)])
      do {
        try await open(part, at: url, authority, in: store, file)
      } catch {
        Terminal.note(
          "stopped after \(done) of \(people.count) codes, which are in \(codes): make a list of the others")
        throw error
      }
      done += part.count
      if done.isMultiple(of: 1000) || done == people.count { Terminal.note("\(done) of \(people.count) codes") }
    }
    Terminal.result("\(done) codes in \(codes)")
  }

  /// The people of the list; what is wrong with it is told.
  private func read() throws -> [PeopleList.Person] {
    guard let bytes = try StateFile.read(path: list, isSecret: false, maximumLength: PeopleList.maximumSize) else {
      throw ServerError.unusableFile(path: list, reason: "no such file")
    }
    let parsed: PeopleList
    do {
      parsed = try PeopleList(parsing: bytes)
    } catch {
      throw ServerError.unusableFile(path: list, reason: error.description)
    }
    for wrong in parsed.wrong.prefix(Self.mostNamed) { Terminal.note("\(list):\(wrong.line): \(wrong.problem)") }
    if parsed.wrong.count > Self.mostNamed { Terminal.note("and \(parsed.wrong.count - Self.mostNamed) further lines") }
    guard parsed.wrong.isEmpty || skipWrong else {
      throw ServerError.unusableFile(
        path: list,
        reason: "\(parsed.wrong.count) lines are wrong, so no code was made: mend them, or give --skip-wrong")
    }
    guard !parsed.people.isEmpty else { throw ServerError.unusableFile(path: list, reason: "names nobody") }
    return parsed.people
  }

  /// Opens codes in one transaction, and writes them into the file when they are open.
  ///
  /// If this ends between both, codes are open that nobody has; they expire, and the next list closes them.
  private func open(
    _ people: [PeopleList.Person], at url: String, _ authority: String?, in store: any ServerStore,
    _ file: borrowing CodeFile
  ) async throws {
    let now = Terminal.now
    let made = try people.map { person in
      EnrolmentPayload(
        op: .registration, server: url, username: person.username, authCode: Base64URL.encode(try RandomBytes.make(20)),
        expires: now + (person.lifetime ?? lifetime), ca: authority)
    }
    try await store.write { records in
      for payload in made {
        try records.accounts.add(payload.username, now: now)
        try records.enrolments.open(code: payload.authCode, for: payload.username, expiresAt: payload.expires)
      }
      try records.audit.append(
        made.map { payload in
          ServerEvents.command(
            .enrolmentCode, account: payload.username, detail: ["seconds": .integer(payload.expires - now)], now: now)
        })
    }
    try file.add(made.map { [$0.username, String($0.expires), $0.encoded] })
  }
}
