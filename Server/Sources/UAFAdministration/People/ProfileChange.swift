import FidoResults
import UAFMessages
import UAFService

/// A change of what the server knows about the person of an account; checked, and in the form in which it is stored.
package struct ProfileChange: Equatable, Sendable {
  /// The new value of each field that changes; nil for a field that is cleared.
  package let texts: [ProfileField: String?]
  /// The names of all groups of the person; nil if the groups do not change.
  package let groups: [String]?

  /// - Parameters:
  ///   - texts: the new values; an empty text clears its field.
  ///   - groups: replaces all groups of the person; nil leaves them as they are.
  /// - Throws: ``AdministrationRefusal/invalid(field:_:)``.
  package init(_ texts: [ProfileField: String] = [:], groups: [String]? = nil) throws(AdministrationRefusal) {
    var checked: [ProfileField: String?] = [:]
    for field in ProfileField.allCases {
      guard let text = texts[field] else { continue }
      do throws(FieldProblem) {
        checked[field] = .some(try ProfileRules.checked(text, field))
      } catch { throw .invalid(field: field.rawValue, error) }
    }
    self.texts = checked
    do throws(FieldProblem) {
      self.groups = try groups.map { names throws(FieldProblem) in try ProfileRules.checked(groups: names) }
    } catch { throw .invalid(field: "groups", error) }
  }

  /// Whether nothing is to change.
  package var isEmpty: Bool { texts.isEmpty && groups == nil }

  /// The same change, but fields that it would clear stay as they are.
  var withoutClearing: ProfileChange {
    ProfileChange(checked: texts.filter { $0.value != nil }, groups: groups)
  }

  /// A change of nothing.
  static let nothing = ProfileChange(checked: [:], groups: nil)

  /// The same change without what a profile already has.
  ///
  /// Groups are compared without a difference of case: a group has one name at this server, however a change writes it.
  func beyond(_ profile: AccountProfile) -> ProfileChange {
    let keys = { (names: [String]) in Set(names.map(SearchText.key)) }
    return ProfileChange(
      checked: texts.filter { profile[$0.key] != $0.value },
      groups: groups.flatMap { keys($0) == keys(profile.groups) ? nil : $0 })
  }

  /// The same change, after which the external ID is this one.
  ///
  /// - Parameter externalID: in the form in which it is stored.
  func keeping(externalID: String) -> ProfileChange {
    ProfileChange(checked: texts.merging([.externalID: externalID]) { _, new in new }, groups: groups)
  }

  private init(checked texts: [ProfileField: String?], groups: [String]?) {
    self.texts = texts
    self.groups = groups
  }

  /// The profile after the change.
  func applied(to profile: AccountProfile) -> AccountProfile {
    var changed = profile
    for (field, text) in texts { changed[field] = text }
    if let groups { changed.groups = groups }
    return changed
  }
}

/// The rules for the values of a profile.
package enum ProfileRules {
  /// The most groups of one person.
  package static let mostGroups = 64
  /// The most groups of a server.
  package static let mostGroupsOfServer = 10_000
  /// The longest text that is searched for.
  static let longestSearch = TextLimit(characters: 64, bytes: 256)
  static let groupLimit = TextLimit(characters: 64, bytes: 256)
  /// The character between the names of groups in a list of people; no name contains it.
  package static let groupSeparator: Character = "|"

  static func limit(_ field: ProfileField) -> TextLimit {
    switch field {
    case .displayName, .department: TextLimit(characters: 128, bytes: 512)
    // What a mail server accepts as an address (RFC 5321, section 4.5.3.1.3).
    case .mail: TextLimit(characters: 254, bytes: 254)
    case .externalID: TextLimit(characters: 128, bytes: 256)
    }
  }

  /// The value of a field in the form in which it is stored; nil if nothing is left without white space at the ends.
  static func checked(_ text: String, _ field: ProfileField) throws(FieldProblem) -> String? {
    guard let value = try line(text, limit(field)) else { return nil }
    if field == .mail, !isMail(value) { throw .notMail }
    return value
  }

  /// The names of a person's groups in the form in which they are stored, each once.
  static func checked(groups: [String]) throws(FieldProblem) -> [String] {
    guard groups.count <= mostGroups else { throw .tooMany(mostGroups) }
    var names: [String: String] = [:]
    for group in groups {
      let name = try checked(group: group)
      let key = SearchText.key(name)
      if names[key] == nil { names[key] = name }
    }
    return names.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
  }

  static func checked(group: String) throws(FieldProblem) -> String {
    guard let name = try line(group, groupLimit) else { throw .emptyGroup }
    guard !name.contains(groupSeparator) else { throw .barInGroup }
    return name
  }

  /// A text on one line, in Unicode's form NFC, without white space at its ends; nil if nothing is left.
  static func line(_ text: String, _ limit: TextLimit) throws(FieldProblem) -> String? {
    // Before anything else is done with it: a text of a megabyte is not worth the work.
    guard text.utf8.count <= 4 * limit.bytes else { throw .longText(limit) }
    if let hidden = Text.firstHidden(in: text) { throw .hidden(character: hidden) }
    let scalars = SearchText.composed(text).unicodeScalars
    let begun = scalars.drop { $0.properties.isWhitespace }
    let end = begun.lastIndex { !$0.properties.isWhitespace }
    guard let end else { return nil }
    let line = String(String.UnicodeScalarView(begun[...end]))
    guard line.count <= limit.characters, line.utf8.count <= limit.bytes else { throw .longText(limit) }
    return line
  }

  /// Whether a text has one `@` with something on both sides, and no white space.
  ///
  /// Only a mail can show whether an address exists.
  private static func isMail(_ text: String) -> Bool {
    let sides = text.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
    return sides.count == 2 && sides.allSatisfy { !$0.isEmpty }
      && !text.unicodeScalars.contains { $0.properties.isWhitespace }
  }
}

/// How long a text may be.
package struct TextLimit: Equatable, Sendable {
  package let characters: Int
  /// In UTF-8; a character may consist of any number of bytes.
  package let bytes: Int
}
