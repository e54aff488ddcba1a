import UAFAdministration
import UAFMessages
import UAFService

/// Why somebody cannot log in, as the field of a query.
enum UnableCause: String, CaseIterable {
  case locked
  case disabled
  case lockedOnMachine
  case noKey
  case codeExpired
  case codeOpen

  init(_ cause: UnablePerson.Cause) {
    self =
      switch cause {
      case .locked: .locked
      case .disabled: .disabled
      case .lockedOnMachine: .lockedOnMachine
      case .noKey: .noKey
      case .codeExpired: .codeExpired
      case .codeOpen: .codeOpen
      }
  }

  var text: PageText {
    switch self {
    case .locked: .locked
    case .disabled: .disabled
    case .lockedOnMachine: .lockedOnMachine
    case .noKey: .keyless
    case .codeExpired: .codeExpired
    case .codeOpen: .invited
    }
  }
}

/// The page with the people who cannot log in now, why, and what would help.
enum UnablePage {
  static let path = "/console/unable"
  /// The most people on the page.
  private static let most = 200

  static func content(_ call: PageCall) async throws -> PageContent {
    let list = try await AttentionAdministration(call.administration).people(by: call.caller)
    let wanted = call.value("cause").map { UnableCause(rawValue: $0) }
    if case .some(nil) = wanted { throw AdministrationRefusal.invalid(field: "cause", .unknown) }
    let found = list.people.filter { person in wanted == nil || UnableCause(person.cause) == wanted }
    let chips =
      [PageSearch.Chip(text: call.text(.allOfThem), link: path, isChosen: wanted == nil)]
      + UnableCause.allCases.map { cause in
        let count = list.people.count { UnableCause($0.cause) == cause }
        return PageSearch.Chip(
          text: "\(call.text(cause.text)) (\(count))", link: PageCall.link(path, [("cause", cause.rawValue)]),
          isChosen: wanted == cause)
      }
    let table = PageTable(
      caption: call.text(.cannotLogIn), columns: [call.text(.account), call.text(.why), call.text(.expires), ""],
      rows: found.prefix(most).map { row($0, call) }, empty: call.text(.everybodyCan),
      count: count(found.count, isPart: list.isPart, call),
      order: call.order(columns: 3, keeping: ["cause"]), hidesCaption: true)
    return PageContent(
      title: call.text(.cannotLogIn),
      blocks: [.chips(chips, title: call.text(.why)), .table(table)])
  }

  /// How many people are shown, and how many there are.
  ///
  /// - Parameter isPart: whether there may be more than were found.
  private static func count(_ found: Int, isPart: Bool, _ call: PageCall) -> String {
    let number = call.language.grouped(found)
    if found > most {
      return call.language.text(isPart ? .rowsOfMore : .rowsOf, "1", call.language.grouped(most), number)
    }
    return isPart ? call.language.text(.rowsPerhapsMore, number) : call.count(found, hasMore: false)
  }

  private static func row(_ person: UnablePerson, _ call: PageCall) -> [PageCell] {
    let name = person.username
    let cause = UnableCause(person.cause)
    func step(_ word: PageText, _ what: String, _ permission: Permission, _ more: [(String, String)] = []) -> PageCell {
      guard call.allows(permission) else { return "" }
      return PageCell(
        call.text(word), link: PageCall.link("/console/person/\(what)", [("name", name)] + more))
    }
    func blocked(_ block: AccountBlock) -> String {
      call.language.text(.blockedBy, call.actor(block.actor), block.reason)
    }
    let who = PageCall.personLink(name)
    switch person.cause {
    case .locked(let block):
      return [
        who, call.state(cause.text, .warn, .lock, note: blocked(block)), call.moment(block.until),
        step(.enable, "enable", .manageAccounts),
      ]
    case .disabled(let block):
      return [
        who, call.state(cause.text, .bad, .ban, note: blocked(block)), "", step(.enable, "enable", .manageAccounts),
      ]
    case .lockedOnMachine(let id, let machine, let until):
      return [
        who, call.state(cause.text, .warn, .lock, note: machine ?? id), call.momentOrNothing(until),
        step(.unlockMachine, "unlock", .unlock, [("machine", id)]),
      ]
    case .noKey: return [who, call.state(cause.text, .warn, .key), "", step(.issueEnrolment, "enrol", .enrol)]
    case .codeOpen(let until):
      return [
        who, call.state(cause.text, .quiet, .clock), call.momentOrNothing(until),
        step(.issueEnrolment, "enrol", .enrol),
      ]
    case .codeExpired(let end):
      return [who, call.state(cause.text, .warn, .clock), call.moment(end), step(.issueEnrolment, "enrol", .enrol)]
    }
  }
}
