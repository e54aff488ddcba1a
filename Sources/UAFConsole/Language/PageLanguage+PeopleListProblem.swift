import UAFAdministration

extension PageLanguage {
  /// What is wrong with a list of people, or with a line of it.
  func text(_ problem: PeopleListProblem) -> String {
    switch problem {
    case .empty: text(.listEmpty)
    case .notUTF8: text(.listNotUTF8)
    case .utf16: text(.listUTF16)
    case .separator(.semicolon): text(.listSemicolons)
    case .separator(.tab): text(.listTabs)
    case .tooMany: text(.listTooMany, String(PeopleList.maximumCount))
    case .noUsername: text(.listNoUsername)
    case .unknownColumn(let name): text(.listUnknownColumn, name)
    case .columnTwice(let name): text(.listColumnTwice, name)
    case .emptyLine: text(.lineEmpty)
    case .tooLong: text(.lineTooLong, String(PeopleList.maximumLine))
    case .controlCharacter: text(.lineControl)
    case .openQuote: text(.lineOpenQuote)
    case .afterQuote: text(.lineAfterQuote)
    case .innerQuote: text(.lineInnerQuote)
    case .fields(let found, let wanted): text(.lineFields, String(found), String(wanted))
    case .emptyUsername: text(.lineNoName)
    case .longUsername: text(.lineLongName)
    case .invalidUsername(let name): text(.lineBadName, name)
    case .usernameTwice(let name, let first): text(.lineTwice, name, String(first))
    case .notANumber(let text): self.text(.lineNoNumber, text)
    case .lifetimeRange(let seconds): text(.lineLifetime, String(seconds), String(PeopleList.longestLifetime))
    case .privileged(let name): text(.linePrivileged, name)
    }
  }
}
