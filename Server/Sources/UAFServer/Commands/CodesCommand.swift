import ArgumentParser
import UAFConsole
import UAFMessages

/// `uaf-server codes`: lists the enrolment codes that were issued.
struct CodesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "codes",
    abstract: "List the enrolment codes that were issued: number, user, issuer, when, end, state, when used.",
    discussion: "The newest is first; the codes themselves are never shown. A code with the state 'closed' was not "
      + "used, and no longer works.")

  @OptionGroup var place: AdministrationOptions
  @Flag(help: "Only codes with which somebody can register now.") var open = false
  @OptionGroup var json: JSONFlag

  func run() async throws {
    try await place.link { link in
      try await link.forEach(
        APIRequest(.GET, ["enrolment-codes"], query: [("open", open ? "true" : nil)]), "codes",
        begin: { json.title("number\tuser\tissued-by\tissued\tend\tstate\tused") }
      ) { json.print($0, orElse: Self.line($0)) }
    }
  }

  static func line(_ code: JSONObject) -> String {
    let state = code.isTrue("isOpen") ? "open" : code["used"] == nil ? "closed" : "used"
    return [
      code.number("number"), code.said("account"), code.said("issuedBy"), code.time("issued", orElse: "-"),
      code.time("expires", orElse: "-"), state, code.time("used", orElse: "-"),
    ].joined(separator: "\t")
  }
}

/// The options that say where the codes for a list of people are written.
struct CodePlaces: ParsableArguments {
  @Option(help: ArgumentHelp("The new file for the codes: CSV.", valueName: "file"), completion: .file())
  var codes: String?
  @Option(
    help: ArgumentHelp("The new folder for payload files, one for each person.", valueName: "folder"),
    completion: .directory)
  var payloads: String?
  @Option(
    help: ArgumentHelp("The new file for sheets to print, one for each person: HTML.", valueName: "file"),
    completion: .file())
  var sheets: String?
  @Option(help: "The language of the sheets: en or ko.") var language = PageLanguage.english

  func validate() throws {
    guard codes != nil || payloads != nil || sheets != nil else {
      throw ValidationError("Give --codes FILE, --payloads FOLDER or --sheets FILE.")
    }
    // Standard output may end up in logs or on screens, and these are the codes of many people.
    for case "-"? in [codes, payloads, sheets] {
      throw ValidationError(
        "Give a file name: the codes of a list are never written to standard output. For a file called '-', "
          + "write './-'.")
    }
    guard sheets != nil || language == .english else { throw ValidationError("--language is only for --sheets.") }
  }

  /// Creates the files and the folder; if one of them cannot be created, none is.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``, ``ServerError/unusableDirectory(path:reason:)``.
  func make() throws -> [any CodeOutput] {
    var made: [any CodeOutput] = []
    do {
      if let codes { made.append(try CodeTable(path: codes)) }
      if let payloads { made.append(try PayloadFolder(path: payloads)) }
      if let sheets {
        let document = SheetDocument(language: language)
        made.append(try SheetFile(path: sheets, document: document))
      }
    } catch {
      for output in made { output.remove() }
      throw error
    }
    return made
  }

  /// The JSON object that says what was created.
  func object(codes count: Int) -> JSONObject {
    var object: JSONObject = ["codes": .integer(Int64(count))]
    object.set("file", codes.map(JSONValue.string))
    object.set("payloads", payloads.map(JSONValue.string))
    object.set("sheets", sheets.map(JSONValue.string))
    return object
  }
}
