import ArgumentParser
import Glibc
import HostSystem
import UAFAdministration
import UAFConsole
import UAFMessages

/// `uaf-server enrol`: prints a code with which a person can register.
struct EnrolCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol", abstract: "Print a one-time enrolment code, with which a person registers.",
    discussion: "Works while the server runs. An earlier code of the same account is closed.")

  @Argument(help: "The account's name at this server.", completion: AccountCompletion.accounts) var user: String
  @OptionGroup var place: AdministrationOptions
  @Option(
    help: ArgumentHelp(
      "Base URL for the client (default: the URL with which 'serve' was last started).")) var server: PublicURL?
  @Option(help: ArgumentHelp("How long the code is valid, in seconds, 1 to 604800.", valueName: "seconds"))
  var lifetime: Int64 = 900
  @Flag(help: "Also show the line as a QR code of block characters.") var qr = false
  @Option(
    help: ArgumentHelp("Write the line to this new file, readable only by its owner.", valueName: "file"),
    completion: .file())
  var payloadFile: String?
  @OptionGroup var json: JSONFlag

  func validate() throws {
    try Terminal.check(username: user)
    guard (1...604_800).contains(lifetime) else { throw ValidationError("--lifetime must be 1 to 604800 seconds.") }
  }

  func run() async throws {
    let body: JSONObject = ["account": .string(user), "lifetime": .integer(lifetime)]
    try await place.link(server: server) { link in
      try await PayloadFile.filling(payloadFile) { file in
        let issued = try await link.ask(APIRequest(.POST, ["enrolment-codes"], body: body))
        do {
          try show(issued, in: file)
        } catch {
          // The code could not be shown or written, so it is closed.
          _ = try? await link.ask(APIRequest(.DELETE, ["accounts", user, "enrolment-code"]))
          throw error
        }
        if !json.isOn { try await AccountStateChange.warn(about: user, link) }
      }
    }
  }

  /// Shows the issued code: first the characters to be typed, then the payload.
  ///
  /// Only the payload goes to standard output, so that a script gets one line. The payload is either printed or written to the
  /// file, not both, and with a file the code is not shown at all.
  private func show(_ issued: JSONObject, in file: CodeFile?) throws {
    if !json.isOn { try notes(on: issued, file: file?.path, atTerminal: Terminal.showsNotes).forEach(Terminal.note) }
    let payload = try PayloadFile.show(issued, in: file, json)
    if qr, !json.isOn, let picture = QRCode(payload) { Terminal.result(picture.terminalText) }
  }

  /// What is told about the issued code.
  ///
  /// - Parameters:
  ///   - file: the path of the file that gets the payload; nil if it is printed.
  ///   - atTerminal: whether the notes are shown at a terminal. Elsewhere the characters of the code are left out: standard error
  ///     of a job often goes to a log or into a mail, and whoever reads it could register.
  func notes(on issued: JSONObject, file: String?, atTerminal: Bool) throws -> [String] {
    let what = "lets \(user) register once within \(Terminal.length(lifetime)); hand it over in private"
    if let file {
      return [
        "the line in \(file) \(what)",
        "on the machine, run 'uafctl register --code FILE' with a copy of \(file)",
      ]
    }
    let line = "the line below, which names the server too"
    guard atTerminal else {
      return ["\(line), \(what)", "the code to be typed is shown only at a terminal; --json has it as 'code'"]
    }
    return [
      "enrolment code: \(try Self.code(in: issued))", "it \(what)",
      "on a machine that knows this server, run 'uafctl register --code -' and enter the code",
      "for any other machine, save \(line), and give that file",
    ]
  }

  /// The characters to be typed.
  ///
  /// A server that is still running with an earlier version has them only in the payload.
  private static func code(in issued: JSONObject) throws -> String {
    let payload = issued.text("payload").flatMap { try? EnrolmentPayload(encoded: $0) }
    guard let code = issued.text("code") ?? payload?.code?.text else { throw LinkError.unexpected }
    return code
  }
}

/// `uaf-server enrol-list`: issues a code for each person of a list.
struct EnrolListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol-list", abstract: "Make a one-time enrolment code for each person in a list.",
    discussion: """
      The list is CSV. Its first line names the columns in any order: username, and if wanted displayName, mail, \
      department, externalID, groups (with | between them) and lifetime (seconds). Commas, semicolons or tabs separate \
      them, and an empty field changes nothing. If a line is wrong, its number is shown and nothing is done, unless --skip-wrong is given. The codes go where --codes, \
      --payloads and --sheets say, at least one of which is needed; no existing file is overwritten. All of these \
      files are as secret as the codes.
      """)

  /// The most wrong lines that are reported.
  private static let mostNamed = 50

  @Argument(help: "The list of people; - is standard input.", completion: .file()) var list: String
  @OptionGroup var places: CodePlaces
  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag
  @Option(
    help: ArgumentHelp(
      "Base URL for the clients (default: the URL with which 'serve' was last started).")) var server: PublicURL?
  @Option(
    help: ArgumentHelp(
      "How long a code is valid, in seconds, 1 to 604800, unless the list says otherwise.", valueName: "seconds"))
  var lifetime: Int64 = 86_400
  @Flag(help: "Make codes for the right lines even if others are wrong.") var skipWrong = false

  func validate() throws {
    guard (1...PeopleList.longestLifetime).contains(lifetime) else {
      throw ValidationError("--lifetime must be 1 to \(PeopleList.longestLifetime) seconds.")
    }
  }

  func run() async throws {
    let parsed = try parse()
    let local = try state.link(server: server)
    let codes = EnrolListAdministration(local.environment)
    let people = try people(of: await codes.checkedProfiles(parsed, by: local.caller))
    let outputs = try places.make()
    let names = outputs.map(\.path).joined(separator: ", ")
    var done = 0
    while done < people.count {
      let part = people[done..<min(people.count, done + EnrolListAdministration.together)]
      do {
        try await hand(part, to: outputs, codes, by: local.caller)
      } catch {
        Terminal.note(
          "stopped after \(done) of \(Self.counted(people.count)), which are in \(names): make a list of the "
            + "remaining people"
        )
        throw error
      }
      done += part.count
      if done.isMultiple(of: 1000) || done == people.count { Terminal.note("\(done) of \(Self.counted(people.count))") }
    }
    for output in outputs { try output.finish() }
    json.print(places.object(codes: done), orElse: "\(Self.counted(done)) in \(names)")
  }

  private static func counted(_ codes: Int) -> String { codes == 1 ? "1 code" : "\(codes) codes" }

  /// Issues codes, and writes them to the outputs; if they cannot be written, they are closed again.
  func hand(
    _ people: ArraySlice<PeopleList.Person>, to outputs: [any CodeOutput], _ codes: EnrolListAdministration,
    by caller: Caller
  ) async throws {
    // If the process is killed before everything is written, some open codes have reached nobody. They expire, and the next
    // list for the same people closes them.
    let made = try await codes.issue(people, lifetime: lifetime, reachesPrivileged: true, by: caller)
    let which = "the batch that was being written (\(Self.counted(made.count)))"
    do {
      for output in outputs { try output.add(made) }
    } catch {
      do {
        try await codes.withdraw(made)
        Terminal.note("\(which) is closed: its codes are useless, even those that were written")
      } catch {
        Terminal.note("\(which) stays open until it expires")
      }
      throw error
    }
  }

  private func parse() throws -> PeopleList {
    let bytes = try ListInput.read(list, maximumLength: PeopleList.maximumSize)
    do throws(PeopleListProblem) {
      return try PeopleList(parsing: bytes)
    } catch {
      throw ServerError.unusableFile(path: list, reason: error.description)
    }
  }

  /// The people of the list; reports what is wrong with it.
  private func people(of parsed: PeopleList) throws -> [PeopleList.Person] {
    for wrong in parsed.wrong.prefix(Self.mostNamed) { Terminal.note("\(list):\(wrong.line): \(wrong.problem)") }
    if parsed.wrong.count > Self.mostNamed { Terminal.note("and \(parsed.wrong.count - Self.mostNamed) further lines") }
    guard parsed.wrong.isEmpty || skipWrong else {
      throw ServerError.unusableFile(
        path: list,
        reason: "wrong lines: \(parsed.wrong.count), so no code was made: correct them, or give --skip-wrong")
    }
    guard !parsed.people.isEmpty else { throw ServerError.unusableFile(path: list, reason: "names nobody") }
    return parsed.people
  }
}

/// Reads a list that a command is given, from a file or through a pipe.
enum ListInput {
  /// Reads a complete list.
  ///
  /// - Parameter path: `-` for standard input. `/dev/stdin` and the names that a shell gives a pipe, such as `/dev/fd/63`, are
  ///   accepted too: they are descriptors of this process, which only its caller can have opened. Any other path, even of a
  ///   named pipe, must follow the rules of a ``StateFile``.
  /// - Throws: ``ServerError/unusableFile(path:reason:)``.
  static func read(_ path: String, maximumLength: Int) throws(ServerError) -> [UInt8] {
    if let descriptor = descriptor(path) { return try read(descriptor, path, maximumLength) }
    guard let file = try TrustedPath.open(path, followsLinks: true) else {
      throw .unusableFile(path: path, reason: "no such file")
    }
    guard file.status.st_mode & S_IFMT == S_IFIFO else {
      guard let bytes = try StateFile.read(path: path, isSecret: false, maximumLength: maximumLength) else {
        throw .unusableFile(path: path, reason: "no such file")
      }
      return bytes
    }
    // A named pipe was opened without waiting for a writer. This waits until a writer has come: before that, a read would
    // return nothing.
    var poll = pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0)
    // SAFETY: `poll` is one pollfd.
    while unsafe Glibc.poll(&poll, 1, -1) < 0, errno == EINTR {}
    guard fcntl(file.descriptor, F_SETFL, 0) == 0 else { throw failure(path) }
    return try read(file.descriptor, path, maximumLength)
  }

  /// The descriptor of this process that a path names; nil for any other path.
  static func descriptor(_ path: String) -> CInt? {
    if path == "-" || path == "/dev/stdin" { return STDIN_FILENO }
    for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
      let name = path.dropFirst(folder.count)
      guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      return CInt(name)
    }
    return nil
  }

  private static func read(_ descriptor: CInt, _ path: String, _ limit: Int) throws(ServerError) -> [UInt8] {
    guard let bytes = DescriptorReader.read(descriptor, atMost: limit + 1) else { throw failure(path) }
    guard bytes.count <= limit else { throw .unusableFile(path: path, reason: "is longer than \(limit) bytes") }
    return bytes
  }

  private static func failure(_ path: String) -> ServerError {
    // SAFETY: strerror's text is copied immediately.
    .unusableFile(path: path, reason: unsafe "cannot be read: \(String(cString: strerror(errno)))")
  }
}
