import UAFDecoder
import UAFMessages
import UAFService

/// The people of a directory, as its entries arrive: first the groups, then the people.
package struct DirectoryPeople {
  /// The most people, as in a list of people.
  package static let maximumCount = PeopleList.maximumCount
  /// The most groups: as many as a server has.
  package static let mostGroups = ProfileRules.mostGroupsOfServer
  /// The most members of all groups together.
  package static let mostMembers = 2_000_000
  /// The longest ID of an entry, in bytes: an external ID has at most 128 characters, and begins with the directory's name.
  private static let longestID = 88

  private let settings: DirectorySettings
  private let mostMembers: Int
  /// The names of the groups that an entry is a member of, for groups that name entries.
  private var groupsOfEntries: [DistinguishedName: [String]] = [:]
  /// The same for groups that name accounts.
  private var groupsOfNames: [String: [String]] = [:]
  private var people: [DirectoryPerson] = []
  private var unusable: [UnusableEntry] = []
  private var unusableGroups: [String: EntryProblem] = [:]
  /// The DN of each ID.
  private var owners: [String: String] = [:]
  private var groupCount = 0
  private var memberCount = 0

  package init(_ settings: DirectorySettings, mostMembers: Int = Self.mostMembers) {
    self.settings = settings
    self.mostMembers = mostMembers
  }

  /// Reads a group's entry, if groups are searched for.
  ///
  /// A group whose name cannot be used is left out, and named.
  ///
  /// - Throws: ``DirectoryProblem`` if not all members have arrived, or if the groups are too many or too large.
  package mutating func add(group entry: DirectoryEntry) throws(DirectoryProblem) {
    guard case .searched(_, _, let nameAttribute, let memberAttribute) = settings.groups else { return }
    guard !entry.incomplete.contains(memberAttribute.lowercased()) else { throw .incompleteGroup(dn: entry.dn) }
    let members = entry.values[memberAttribute.lowercased()] ?? []
    (groupCount, memberCount) = (groupCount + 1, memberCount + members.count)
    guard groupCount <= Self.mostGroups else { throw .tooManyGroups(Self.mostGroups) }
    guard memberCount <= mostMembers else { throw .tooManyMembers(mostMembers) }
    let name: String
    do throws(EntryProblem) {
      guard let text = try Self.text(entry, nameAttribute) else { throw .noValue(nameAttribute) }
      name = try Self.checked(group: text)
    } catch {
      unusableGroups[entry.dn] = error
      return
    }
    for member in members {
      guard let text = String(validating: member, as: UTF8.self) else { continue }
      // A member whose name is no DN is the name of an account (memberUid), or nobody.
      if let dn = DistinguishedName(text) {
        groupsOfEntries[dn, default: []].append(name)
      } else {
        // RFC 2307 compares memberUid exactly (caseExactIA5Match), unless the settings say that case does not matter here.
        groupsOfNames[settings.lowersNames ? text.lowercased() : text, default: []].append(name)
      }
    }
  }

  /// Reads a person's entry.
  ///
  /// An entry that cannot be used is left out, and named.
  ///
  /// - Throws: ``DirectoryProblem`` if it is not clear which person of an earlier run this is: somebody could be taken for gone.
  package mutating func add(person entry: DirectoryEntry) throws(DirectoryProblem) {
    guard owners.count < Self.maximumCount else { throw .tooMany(Self.maximumCount) }
    guard unusableGroups.count <= Self.mostGroups else { throw .tooManyGroups(Self.mostGroups) }
    let id = settings.source.prefix + (try id(of: entry))
    if let other = owners[id] { throw .sameID(dn: entry.dn, other: other) }
    owners[id] = entry.dn
    do throws(EntryProblem) {
      people.append(try person(entry, id))
    } catch {
      unusable.append(UnusableEntry(dn: entry.dn, externalID: id, problem: error))
    }
  }

  /// Ends the directory's answer.
  ///
  /// - Throws: ``DirectoryProblem/nobody`` if there are no people: that is a wrong base, filter or permission, and no company
  ///   without people.
  package consuming func finished() throws(DirectoryProblem) -> DirectorySnapshot {
    guard !owners.isEmpty else { throw .nobody }
    let sameName = Dictionary(grouping: people, by: \.username).filter { $0.value.count > 1 }
    let twice = sameName.values.joined().map {
      UnusableEntry(dn: $0.dn, externalID: $0.externalID, problem: .sameName($0.username))
    }
    return DirectorySnapshot(
      people: people.filter { sameName[$0.username] == nil },
      unusable: (unusable + twice).sorted { $0.dn < $1.dn },
      unusableGroups: unusableGroups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  // MARK: One person

  private func id(of entry: DirectoryEntry) throws(DirectoryProblem) -> String {
    let values = entry.values[settings.id.lowercased()] ?? []
    guard values.count == 1 else { throw .noID(dn: entry.dn, attribute: settings.id) }
    if settings.id.lowercased() == "objectguid", let text = Self.guid(values[0]) { return text }
    guard (1...Self.longestID).contains(values[0].count), values[0].allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .noID(dn: entry.dn, attribute: settings.id)
    }
    return String(decoding: values[0], as: UTF8.self)
  }

  /// The text of a GUID as Windows stores it: unlike those of a UUID (RFC 9562), its first three numbers are little-endian.
  ///
  /// - Returns: nil for anything but 16 bytes.
  private static func guid(_ bytes: [UInt8]) -> String? {
    guard bytes.count == 16 else { return nil }
    let parts: [[UInt8]] = [
      bytes[0..<4].reversed(), bytes[4..<6].reversed(), bytes[6..<8].reversed(), Array(bytes[8..<10]),
      Array(bytes[10...]),
    ]
    return parts.map { Hexadecimal.text($0) }.joined(separator: "-")
  }

  private mutating func person(_ entry: DirectoryEntry, _ id: String) throws(EntryProblem) -> DirectoryPerson {
    guard let written = try Self.text(entry, settings.name) else { throw .noValue(settings.name) }
    guard entry.values[settings.name.lowercased()]?.count == 1 else { throw .severalNames(settings.name) }
    let username = settings.lowersNames ? written.lowercased() : written
    guard Username.isValid(username) else { throw .badName(written) }
    var texts: [ProfileField: String] = [.externalID: id]
    for (field, attributes) in settings.fields {
      texts[field] = ""
      for attribute in attributes {
        guard let text = try Self.text(entry, attribute), !text.isEmpty else { continue }
        texts[field] = text
        break
      }
    }
    let groups = try groups(of: entry, username)
    do throws(AdministrationRefusal) {
      return DirectoryPerson(
        dn: entry.dn, externalID: id, username: username, change: try ProfileChange(texts, groups: groups))
    } catch {
      guard case .invalid(let field, let problem) = error else { throw .noValue(settings.name) }
      throw .field(field, problem)
    }
  }

  /// The names of a person's groups, as they are written; nil if the directory does not decide about them.
  private mutating func groups(of entry: DirectoryEntry, _ username: String) throws(EntryProblem) -> [String]? {
    switch settings.groups {
    case nil: return nil
    case .searched:
      guard let dn = DistinguishedName(entry.dn) else { throw .notADN(entry.dn) }
      return (groupsOfEntries[dn] ?? []) + (groupsOfNames[username] ?? [])
    case .ofPerson(let attribute, let below):
      guard !entry.incomplete.contains(attribute.lowercased()) else { throw .incomplete(attribute) }
      var names: [String] = []
      for value in entry.values[attribute.lowercased()] ?? [] {
        guard let text = String(validating: value, as: UTF8.self), let dn = DistinguishedName(text) else {
          throw .notADN(attribute)
        }
        guard dn.isBelow(below), let name = dn.ownValue else { continue }
        do throws(EntryProblem) { names.append(try Self.checked(group: name)) } catch { unusableGroups[text] = error }
      }
      return names
    }
  }

  private static func checked(group: String) throws(EntryProblem) -> String {
    do throws(FieldProblem) { return try ProfileRules.checked(group: group) } catch { throw .field("groups", error) }
  }

  /// The first value of an attribute; nil if it has none.
  private static func text(_ entry: DirectoryEntry, _ attribute: String) throws(EntryProblem) -> String? {
    guard let value = entry.values[attribute.lowercased()]?.first else { return nil }
    guard let text = String(validating: value, as: UTF8.self) else { throw .notText(attribute) }
    return text
  }
}

/// The people of a directory at one time.
package struct DirectorySnapshot: Sendable {
  package let people: [DirectoryPerson]
  /// The people whose entries cannot be used.
  ///
  /// They are not gone.
  package let unusable: [UnusableEntry]
  /// The DNs of the groups that are left out.
  package let unusableGroups: [(dn: String, problem: EntryProblem)]

  package init(
    people: [DirectoryPerson], unusable: [UnusableEntry] = [],
    unusableGroups: [(dn: String, problem: EntryProblem)] = []
  ) {
    self.people = people
    self.unusable = unusable
    self.unusableGroups = unusableGroups
  }
}

/// A person of a directory.
package struct DirectoryPerson: Equatable, Sendable {
  package let dn: String
  /// The directory's name and the entry's ID (``DirectorySource/prefix``).
  package let externalID: String
  package let username: String
  /// What the directory says about the person, with the external ID; an attribute without a value clears its field.
  package let change: ProfileChange

  package init(dn: String, externalID: String, username: String, change: ProfileChange) {
    self.dn = dn
    self.externalID = externalID
    self.username = username
    self.change = change
  }
}

/// An entry that is left out.
package struct UnusableEntry: Equatable, Sendable {
  package let dn: String
  package let externalID: String
  package let problem: EntryProblem

  package init(dn: String, externalID: String, problem: EntryProblem) {
    self.dn = dn
    self.externalID = externalID
    self.problem = problem
  }
}

/// Why an entry is left out.
package enum EntryProblem: Error, Equatable, CustomStringConvertible, Sendable {
  case noValue(_ attribute: String)
  case severalNames(_ attribute: String)
  case notText(_ attribute: String)
  case notADN(_ attribute: String)
  /// The directory has sent only some values of this attribute.
  case incomplete(_ attribute: String)
  /// The name cannot be the name of an account.
  case badName(String)
  /// A different entry has the same name.
  case sameName(String)
  /// This field of the profile breaks a rule.
  case field(String, FieldProblem)
  /// The entry's account has a different name: accounts keep their names.
  case renamed(account: String, to: String)
  /// An account with this name was not made for this entry, which has the external ID.
  case otherAccount(String, externalID: String)

  package var description: String {
    switch self {
    case .noValue(let attribute): "it has no \(attribute)"
    case .severalNames(let attribute): "it has more than one \(attribute)"
    case .notText(let attribute): "its \(attribute) is not text in UTF-8"
    case .notADN(let attribute): "its \(Self.shown(attribute)) is not a DN"
    case .incomplete(let attribute): "the directory has sent only a part of its \(attribute)"
    case .badName(let name):
      "\(Self.shown(name)) is not the name of an account: 1 to 128 printable ASCII characters without white space"
    case .sameName(let name): "another entry has the name \(Self.shown(name)) too"
    case .field(let field, let problem): "\(field) \(problem)"
    case .renamed(let account, let name):
      "the directory calls \(Self.shown(account)) now \(Self.shown(name)), and accounts keep their names"
    case .otherAccount(let name, let id):
      "there is an account \(Self.shown(name)) that was not made for this entry: to hand it over to the directory, give it the "
        + "external ID \(ShownValue.quoted(id, maximumCount: 128)) with 'uaf-server person'"
    }
  }

  private static func shown(_ text: String) -> String { ShownValue.quoted(text, maximumCount: 80) }
}

/// Why the answer of a directory cannot be used at all; nothing is changed then.
package enum DirectoryProblem: Error, Equatable, CustomStringConvertible, Sendable {
  /// A line is not LDIF, or is too long.
  case notLDIF(line: Int)
  case tooMany(Int)
  case tooManyGroups(Int)
  /// The groups have more members than this together.
  case tooManyMembers(Int)
  /// An entry has more values or more bytes than a reader keeps.
  case largeEntry(dn: String, values: Int, bytes: Int)
  /// No entry was found.
  case nobody
  /// An entry has no ID, or one that cannot be used.
  case noID(dn: String, attribute: String)
  case sameID(dn: String, other: String)
  /// Not all members of a group have arrived.
  case incompleteGroup(dn: String)

  package var description: String {
    switch self {
    case .notLDIF(let line): "line \(line) of the directory's answer is not an entry in LDIF, or is too long"
    case .tooMany(let most): "the directory has more than \(most) people: use a narrower base or filter"
    case .tooManyGroups(let most):
      "the directory has more than \(most) groups: use a narrower base or filter for groups"
    case .tooManyMembers(let most):
      "the groups of the directory have more than \(most) members together: use a narrower base or filter for groups"
    case .largeEntry(let dn, let values, let bytes):
      "\(Self.shown(dn)): the entry has more than \(values) values or \(bytes) bytes: leave it out with the filter"
    case .nobody: "the directory has nobody: check base and filter, and what bindDN may read"
    case .noID(let dn, let attribute):
      "\(Self.shown(dn)): the entry needs one \(attribute), of visible ASCII: without it, its person could be taken for gone"
    case .sameID(let dn, let other): "\(Self.shown(dn)) has the same ID as \(Self.shown(other))"
    case .incompleteGroup(let dn):
      "\(Self.shown(dn)): the directory sends only some members of this group at a time: use memberOf instead"
    }
  }

  private static func shown(_ text: String) -> String { ShownValue.quoted(text, maximumCount: 256) }
}
