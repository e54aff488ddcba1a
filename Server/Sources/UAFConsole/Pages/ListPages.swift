import UAFAdministration
import UAFMessages

/// The pages for codes for a list of people: the form, the faults of the list, and the codes as a file or as sheets for
/// printing.
enum ListPages {
  static let path = "/console/enrol-list"

  /// How long a code is valid, in seconds, unless the list or the form says otherwise.
  private static let standardLifetime: Int64 = 86_400
  /// The most wrong lines that are listed.
  private static let mostNamed = 1000
  /// The most sheets on one page: so many codes can be issued in one transaction, and a browser can still print the page of
  /// some ten megabytes.
  static let mostSheets = EnrolListAdministration.together

  static func form(_ call: PageCall) async throws -> PageContent {
    try call.caller.require(.enrol)
    let fields = [
      PageField(name: FormFields.fileName, label: call.text(.listFile), kind: .file, isRequired: true),
      call.lengthField("lifetime", .lifetime, standardLifetime),
    ]
    let form = PageForm(
      title: call.text(.enrolList), action: UploadLimit.checkPath, button: call.text(.listCheck), fields: fields,
      isUpload: true)
    return PageContent(
      title: call.text(.enrolList), blocks: [.paragraph(call.text(.listHow)), .form(form)])
  }

  /// The page with the faults of a list, and a form that issues codes for the other lines.
  ///
  /// Nothing is changed yet.
  static func check(_ call: PageCall) async throws -> PageContent {
    let list = try await read(call)
    var blocks: [PageBlock] = [
      .facts([
        (call.text(.listRight), String(list.people.count)), (call.text(.listWrong), String(list.wrong.count)),
      ])
    ]
    if !list.wrong.isEmpty {
      let rows = list.wrong.prefix(mostNamed).map { wrong in
        [PageCell(String(wrong.line)), PageCell(call.language.text(wrong.problem))]
      }
      blocks.append(
        .table(
          PageTable(
            caption: call.text(.listWrong), columns: [.line, .listProblem].map(call.text), rows: rows, empty: "")))
      if list.wrong.count > mostNamed {
        blocks.append(.paragraph(call.language.text(.listMoreWrong, String(list.wrong.count - mostNamed))))
      }
    }
    guard !list.people.isEmpty else {
      return PageContent(title: call.text(.listChecked), blocks: blocks + [.warning(call.text(.listNobody))])
    }
    return PageContent(
      title: call.text(.listChecked),
      blocks: blocks + [.paragraph(call.text(.listSecret)), .form(issuing(list, call))])
  }

  private static func issuing(_ list: PeopleList, _ call: PageCall) -> PageForm {
    // The form contains the whole list, unchanged; when it is sent, the faults are found again.
    var fields: [PageField] = [
      .hidden(FormFields.fileName, String(decoding: call.fields.file, as: UTF8.self)),
      .hidden("lifetime", call.fields["lifetime"]),
      .hidden("lifetimeUnit", call.fields["lifetimeUnit"]),
    ]
    if !list.wrong.isEmpty {
      fields.append(
        PageField(
          name: "wrong", label: call.text(.listWrongAsk),
          kind: .choice([("refuse", call.text(.listRefuse)), ("skip", call.text(.listSkip))]), value: "refuse"))
    }
    if list.people.count <= mostSheets {
      let sheets = call.language.text(.listFormSheets, String(mostSheets))
      fields += [
        PageField(
          name: "form", label: call.text(.listForm),
          kind: .choice([("file", call.text(.listFormFile)), ("sheets", sheets)]), value: "file"),
        PageField(
          name: "language", label: call.text(.sheetLanguage),
          kind: .choice(PageLanguage.allCases.map { ($0.rawValue, $0.name) }), value: call.language.rawValue),
      ]
    }
    return PageForm(
      title: call.language.text(.listIssue, String(list.people.count)), action: UploadLimit.issuePath,
      button: call.text(.issueCode), fields: fields, isUpload: true)
  }

  /// Issues the codes for a list.
  ///
  /// - Returns: the codes as CSV, or as a page with a sheet for each person.
  static func issue(_ call: PageCall) async throws -> FormRoutes.Answer {
    let list = try await read(call)
    guard list.wrong.isEmpty || call.fields["wrong"] == "skip" else {
      throw AdministrationRefusal.conflict(.wrongLines(list.wrong.count))
    }
    guard !list.people.isEmpty else { throw AdministrationRefusal.conflict(.nobodyListed) }
    let language = try sheetLanguage(call)
    guard language == nil || list.people.count <= mostSheets else {
      throw AdministrationRefusal.conflict(.tooManySheets(most: mostSheets))
    }
    let made = try await EnrolListAdministration(call.administration).issueAll(
      list.people, lifetime: try lifetime(call), by: call.caller)
    guard let language else { return .file(name: "codes.csv", CodeList.header + CodeList.lines(made)) }
    return .page(try await sheets(made, language, call))
  }

  /// The language of the sheets; nil if a file was requested.
  private static func sheetLanguage(_ call: PageCall) throws(AdministrationRefusal) -> PageLanguage? {
    switch call.fields["form"] {
    case "", "file": return nil
    case "sheets":
      guard let language = PageLanguage(rawValue: call.fields["language"]) else {
        throw .invalid(field: "language", .unknown)
      }
      return language
    default: throw .invalid(field: "form", .unknown)
    }
  }

  private static func sheets(
    _ codes: [ListedCode], _ language: PageLanguage, _ call: PageCall
  ) async throws -> PageContent {
    var blocks: [PageBlock] = [.aside(call.text(.sheetsHow))]
    for code in codes {
      blocks.append(.sheet(try EnrolmentSheet(code, language: language, time: ViewerZone.utc.text)))
      // A QR code takes some milliseconds, and other requests must not wait for all of them.
      await Task.yield()
    }
    return PageContent(title: call.text(.sheetsTitle), blocks: blocks)
  }

  private static func read(_ call: PageCall) async throws -> PeopleList {
    _ = try lifetime(call)
    // The list must fit into the form that sends it a second time, in which browsers end each line with two bytes.
    guard call.fields.file.count + call.fields.file.count(where: { $0 == 10 }) <= UploadLimit.list else {
      throw AdministrationRefusal.conflict(.listTooLong)
    }
    do {
      return try await EnrolListAdministration(call.administration).check(call.fields.file, by: call.caller)
    } catch let problem as PeopleListProblem {
      throw AdministrationRefusal.conflict(.list(problem))
    }
  }

  private static func lifetime(_ call: PageCall) throws(AdministrationRefusal) -> Int64 {
    let lifetime = try call.length("lifetime")
    guard EnrolmentAdministration.lifetimes.contains(lifetime) else {
      throw .invalid(field: "lifetime", .outOfRange(EnrolmentAdministration.lifetimes, nil))
    }
    return lifetime
  }
}
