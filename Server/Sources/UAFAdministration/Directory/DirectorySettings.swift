import UAFDecoder
import UAFMessages
import UAFService

/// How a directory is asked for people, and which of its attributes the store keeps: an object of strict JSON in which an
/// unknown member is an error.
///
///     {
///       "source": "corp",
///       "url": "ldaps://ldap.example.org",
///       "bindDN": "cn=uaf,ou=services,dc=example,dc=org", "passwordFile": "/etc/uaf-server/ldap.password",
///       "base": "ou=people,dc=example,dc=org", "filter": "(objectClass=inetOrgPerson)",
///       "attributes": {"id": "entryUUID", "name": "uid", "displayName": ["displayName", "cn"], "mail": "mail"},
///       "groups": {"memberOf": "memberOf", "below": "ou=groups,dc=example,dc=org"}
///     }
///
/// docs/directory-sync.md describes each member.
package struct DirectorySettings: Equatable, Sendable {
  /// Where the names of a person's groups come from.
  package enum Groups: Equatable, Sendable {
    /// From an attribute of the person with the DNs of groups, of which those below a DN count.
    case ofPerson(attribute: String, below: DistinguishedName)
    /// From entries with a name and with members: DNs, or the names of accounts.
    case searched(base: String, filter: String, name: String, member: String)
  }

  /// The entry in whose name the directory is searched.
  package struct Bind: Equatable, Sendable {
    package let dn: String
    /// The path of a file with the password, which only its owner can read.
    package let passwordFile: String
  }

  package let source: DirectorySource
  /// `ldaps://HOST[:PORT]`, or `ldap://HOST[:PORT]`, which is used with StartTLS alone.
  package let url: String
  /// A file with the certificate authorities, PEM.
  package let authorities: String
  /// nil for a search without a name and password.
  package let bind: Bind?
  package let base: String
  package let filter: String
  /// How many entries the directory sends at a time.
  package let pageSize: Int64
  /// The attribute with an entry's ID, which never changes.
  package let id: String
  /// The attribute with the name of the account.
  package let name: String
  package let lowersNames: Bool
  /// The attributes of each field that the directory decides, in the order in which they are tried.
  package let fields: [ProfileField: [String]]
  /// nil if the directory does not decide about groups.
  package let groups: Groups?
  package let limit: DisableLimit

  /// The system's certificate authorities.
  package static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"
  /// The longest file in bytes.
  package static let maximumSize = 65_536

  /// Whether the connection begins without TLS, and changes to it before anything else is sent.
  package var startsTLS: Bool { url.hasPrefix("ldap://") }

  /// The attributes that are asked of a person's entry.
  package var personAttributes: [String] {
    var names = [id, name]
    for field in ProfileField.allCases { names += fields[field] ?? [] }
    if case .ofPerson(let attribute, _) = groups { names.append(attribute) }
    var seen: Set<String> = []
    return names.filter { seen.insert($0.lowercased()).inserted }
  }

  /// Reads the settings.
  ///
  /// - Throws: ``DirectorySettingsProblem``, which names the member.
  package init(parsing bytes: [UInt8]) throws(DirectorySettingsProblem) {
    guard let json = try? JSONValue(parsing: bytes), case .object(let object) = json else {
      throw DirectorySettingsProblem(member: "", reason: "it is not a JSON object, or has a member twice")
    }
    let file = SettingsMembers(object, within: "")
    try file.refuseOthers(than: [
      "source", "url", "authorities", "bindDN", "passwordFile", "base", "filter", "pageSize", "attributes",
      "lowerCaseNames", "groups", "limit",
    ])
    guard let source = DirectorySource(try file.text("source")) else {
      throw file.wrong("source", "must be 1 to 32 characters of a to z, 0 to 9 and '-'")
    }
    self.source = source
    url = try file.text("url")
    guard Self.isURL(url) else {
      throw file.wrong("url", "must be ldaps://HOST[:PORT], or ldap://HOST[:PORT], which is used with StartTLS")
    }
    authorities = try file.optionalText("authorities") ?? Self.systemAuthorities
    switch (try file.optionalText("bindDN"), try file.optionalText("passwordFile")) {
    case (nil, nil): bind = nil
    case (let dn?, let path?): bind = Bind(dn: dn, passwordFile: path)
    default: throw file.wrong("bindDN", "and passwordFile need each other")
    }
    base = try file.text("base")
    filter = try file.filter("filter")
    pageSize = try file.integer("pageSize", 1...10_000) ?? 500
    lowersNames = try file.flag("lowerCaseNames")
    let attributes = try file.members("attributes", allowed: ["id", "name"] + Self.fieldNames)
    id = try attributes.attribute("id")
    name = try attributes.attribute("name")
    var fields: [ProfileField: [String]] = [:]
    for field in Self.directoryFields { fields[field] = try attributes.attributes(field.rawValue) }
    self.fields = fields
    groups = try Self.groups(file)
    limit = try Self.limit(file)
  }

  /// The fields that a directory may decide; the external ID is always its own.
  private static let directoryFields = ProfileField.allCases.filter { $0 != .externalID }
  private static let fieldNames = directoryFields.map(\.rawValue)

  private static func groups(_ file: SettingsMembers) throws(DirectorySettingsProblem) -> Groups? {
    guard file.has("groups") else { return nil }
    let groups = try file.members("groups", allowed: ["memberOf", "below", "base", "filter", "name", "member"])
    guard groups.has("memberOf") else {
      guard !groups.has("below") else { throw groups.wrong("below", "is only for memberOf") }
      return .searched(
        base: try groups.text("base"), filter: try groups.filter("filter"), name: try groups.attribute("name"),
        member: try groups.attribute("member"))
    }
    for name in ["base", "filter", "name", "member"] where groups.has(name) {
      throw groups.wrong(name, "is not for memberOf")
    }
    guard let below = DistinguishedName(try groups.text("below")) else { throw groups.wrong("below", "must be a DN") }
    return .ofPerson(attribute: try groups.attribute("memberOf"), below: below)
  }

  private static func limit(_ file: SettingsMembers) throws(DirectorySettingsProblem) -> DisableLimit {
    guard file.has("limit") else { return .standard }
    let limit = try file.members("limit", allowed: ["accounts", "percent"])
    return DisableLimit(
      accounts: try limit.integer("accounts", 0...1_000_000) ?? DisableLimit.standard.accounts,
      percent: try limit.integer("percent", 0...100) ?? DisableLimit.standard.percent)
  }

  /// Whether a text is an address of a directory, and nothing that a program could take for anything else.
  private static func isURL(_ text: String) -> Bool {
    guard let scheme = ["ldaps://", "ldap://"].first(where: text.hasPrefix) else { return false }
    let place = text.dropFirst(scheme.count)
    guard place.utf8.count <= 255 else { return false }
    let (host, port): (Substring, Substring)
    if place.first == "[" {
      guard let end = place.firstIndex(of: "]") else { return false }
      (host, port) = (place[...end].dropFirst().dropLast(), place[place.index(after: end)...])
    } else {
      let end = place.firstIndex(of: ":") ?? place.endIndex
      (host, port) = (place[..<end], place[end...])
    }
    let isAddress = place.first == "["
    guard !host.isEmpty,
      host.utf8.allSatisfy({ AttributeName.isLetterOrDigit($0) || (isAddress ? ":." : "-.").utf8.contains($0) })
    else { return false }
    guard !port.isEmpty else { return true }
    let digits = port.dropFirst()
    guard port.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(digits) else {
      return false
    }
    return number > 0
  }
}

/// The name of a directory in this server: 1 to 32 characters of `a` to `z`, `0` to `9` and `-`.
package struct DirectorySource: Hashable, Sendable {
  package let name: String

  package init?(_ name: String) {
    let isName = name.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
    }
    guard isName, (1...32).contains(name.utf8.count) else { return nil }
    self.name = name
  }

  /// What the external IDs of this directory's people begin with.
  package var prefix: String { "\(Self.mark)\(name):" }

  /// What the external IDs of all directories begin with.
  private static let mark = "ldap:"

  /// Whether an external ID is one of some directory: then the directory's sync decides about the account.
  package static func isExternalID(_ id: String) -> Bool { id.hasPrefix(mark) }

  /// Who disables and enables accounts in the name of this directory.
  package var actor: AuditActor { .directory(name) }
}

/// How many accounts one run may disable: the larger of two numbers.
package struct DisableLimit: Equatable, Sendable {
  package let accounts: Int64
  /// Of the accounts of the directory that are not disabled.
  package let percent: Int64

  package static let standard = DisableLimit(accounts: 10, percent: 5)

  package init(accounts: Int64, percent: Int64) {
    self.accounts = accounts
    self.percent = percent
  }

  /// The limit for a number of accounts that are not disabled.
  func most(of active: Int) -> Int { max(Int(clamping: accounts), active * Int(clamping: percent) / 100) }
}

/// What is wrong with the settings of a directory.
package struct DirectorySettingsProblem: Error, Equatable, CustomStringConvertible {
  /// The name of the member, with the objects around it; empty for the whole file.
  package let member: String
  package let reason: String

  package var description: String { member.isEmpty ? reason : "\(member) \(reason)" }
}

/// The names of attributes of a directory (RFC 4512, section 1.4), without options.
enum AttributeName {
  static func isValid(_ name: String) -> Bool {
    guard let first = name.utf8.first, isLetterOrDigit(first), name.utf8.count <= 128 else { return false }
    return name.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
  }

  static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}

/// The members of an object of the settings.
private struct SettingsMembers {
  private let object: JSONObject
  private let path: String

  init(_ object: JSONObject, within path: String) {
    self.object = object
    self.path = path
  }

  func wrong(_ name: String, _ reason: String) -> DirectorySettingsProblem {
    DirectorySettingsProblem(member: path + name, reason: reason)
  }

  func has(_ name: String) -> Bool { object[name] != nil }

  func refuseOthers(than names: [String]) throws(DirectorySettingsProblem) {
    for member in object.members where !names.contains(member.name) {
      throw DirectorySettingsProblem(
        member: path.isEmpty ? "" : String(path.dropLast()),
        reason: "has the unknown member \(ShownValue.quoted(member.name, maximumCount: 64)); known members are "
          + names.joined(separator: ", "))
    }
  }

  func members(_ name: String, allowed names: [String]) throws(DirectorySettingsProblem) -> SettingsMembers {
    guard case .object(let inner)? = object[name] else { throw wrong(name, "must be an object") }
    let members = SettingsMembers(inner, within: "\(path)\(name).")
    try members.refuseOthers(than: names)
    return members
  }

  func optionalText(_ name: String) throws(DirectorySettingsProblem) -> String? {
    guard let value = object[name] else { return nil }
    // Such a text becomes an argument of a program, or a path.
    guard case .string(let text) = value, !text.isEmpty, text.utf8.count <= 1024,
      text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
    else { throw wrong(name, "must be a text of one line, with at most 1024 bytes") }
    return text
  }

  func text(_ name: String) throws(DirectorySettingsProblem) -> String {
    guard let text = try optionalText(name) else { throw wrong(name, "is missing") }
    return text
  }

  func filter(_ name: String) throws(DirectorySettingsProblem) -> String {
    let filter = try text(name)
    guard filter.hasPrefix("("), filter.hasSuffix(")") else {
      throw wrong(name, "must be a filter in parentheses (RFC 4515)")
    }
    return filter
  }

  func integer(_ name: String, _ range: ClosedRange<Int64>) throws(DirectorySettingsProblem) -> Int64? {
    guard let value = object[name] else { return nil }
    guard case .integer(let number) = value, range.contains(number) else {
      throw wrong(name, "must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func flag(_ name: String) throws(DirectorySettingsProblem) -> Bool {
    guard let value = object[name] else { return false }
    guard case .bool(let isOn) = value else { throw wrong(name, "must be true or false") }
    return isOn
  }

  func attribute(_ name: String) throws(DirectorySettingsProblem) -> String {
    let names = try attributes(name) ?? []
    guard names.count == 1 else { throw wrong(name, "must be the name of one attribute") }
    return names[0]
  }

  /// The names of attributes: one text, or a list of up to four; nil if there is no such member.
  func attributes(_ name: String) throws(DirectorySettingsProblem) -> [String]? {
    let values: [JSONValue] =
      switch object[name] {
      case nil: []
      case .array(let values)?: values
      case let value?: [value]
      }
    guard has(name) else { return nil }
    var names: [String] = []
    for value in values {
      guard case .string(let attribute) = value, AttributeName.isValid(attribute) else {
        throw wrong(name, "must be the name of an attribute without options, or a list of names")
      }
      names.append(attribute)
    }
    guard (1...4).contains(names.count) else { throw wrong(name, "must be 1 to 4 names of attributes") }
    return names
  }
}
