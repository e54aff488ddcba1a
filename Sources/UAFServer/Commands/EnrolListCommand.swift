import ArgumentParser
import UAFAdministration
import UAFConsole
import UAFMessages

/// `uaf-server enrol-list`: makes a code for each person of a list.
struct EnrolListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol-list", abstract: "Make a one-time enrolment code for each person of a list.",
    discussion: """
      The list is CSV. Its first line names the columns: username, and lifetime (seconds) if wanted. A wrong line is \
      named by its number, and then nothing is done, unless --skip-wrong is given. Codes go where --codes, --payloads and \
      --sheets say, at least one of them; nothing is written over. Keep it all as secret as the codes.
      """)

  /// Wrong lines that are named.
  private static let mostNamed = 50

  @Argument(help: "The list of people; - is standard input.", completion: .file()) var list: String
  @OptionGroup var places: CodePlaces
  @OptionGroup var state: StateOption
  @OptionGroup var json: JSONFlag
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
    let local = try state.link(server: server)
    let codes = EnrolListAdministration(local.environment)
    let outputs = try places.make()
    let names = outputs.map(\.path).joined(separator: ", ")
    var done = 0
    while done < people.count {
      let part = people[done..<min(people.count, done + EnrolListAdministration.together)]
      do {
        try await hand(part, to: outputs, codes, by: local.caller)
      } catch {
        Terminal.note(
          "stopped after \(done) of \(people.count) codes, which are in \(names): make a list of the others")
        throw error
      }
      done += part.count
      if done.isMultiple(of: 1000) || done == people.count { Terminal.note("\(done) of \(people.count) codes") }
    }
    for output in outputs { try output.finish() }
    json.print(places.object(codes: done), orElse: "\(done) codes in \(names)")
  }

  /// Makes codes and writes them; those that cannot be written are closed again.
  func hand(
    _ people: ArraySlice<PeopleList.Person>, to outputs: [any CodeOutput], _ codes: EnrolListAdministration,
    by caller: Caller
  ) async throws {
    // If the process ends before all is written, codes are open that nobody has; they expire, and the next list closes them.
    let made = try await codes.issue(people, lifetime: lifetime, reachesPrivileged: true, by: caller)
    do {
      for output in outputs { try output.add(made) }
    } catch {
      do {
        try await codes.withdraw(made)
        Terminal.note("the \(made.count) codes that were being written are closed: what there is of them is of no use")
      } catch {
        Terminal.note("the \(made.count) codes that were being written stay open until they expire")
      }
      throw error
    }
  }

  /// The people of the list; what is wrong with it is told.
  private func read() throws -> [PeopleList.Person] {
    let bytes = try ListInput.read(list, maximumLength: PeopleList.maximumSize)
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
        reason: "wrong lines: \(parsed.wrong.count), so no code was made: mend them, or give --skip-wrong")
    }
    guard !parsed.people.isEmpty else { throw ServerError.unusableFile(path: list, reason: "names nobody") }
    return parsed.people
  }
}
