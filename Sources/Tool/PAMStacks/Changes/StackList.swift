import UAFCrypto

/// The services that ask for the passcode, and who enabled them.
package struct StackList {
  /// The folder that is examined.
  package let reader: PAMDirectory

  /// The list of a folder.
  package init(reader: PAMDirectory) { self.reader = reader }

  /// A file of the folder that contains the name of the module or of one of our stacks.
  package struct Entry: Equatable {
    /// Who made it ask for the passcode.
    package enum Origin: Equatable {
      /// `uafctl pam enable`, from a template; with or without edits by the administrator.
      case enabled(template: String, isEdited: Bool)
      /// A stack of ours that its service does not include.
      case unused
      /// pam-auth-update.
      case profile
      /// The administrator.
      case byHand
    }

    /// The name of the file.
    package let name: String
    /// Who made it ask for the passcode.
    package let origin: Origin
  }

  /// The line that lets somebody into a listed service before pam_uaf is asked; nil if there is none.
  package func passing(_ entry: Entry) -> StackLinePlace? {
    guard !PAMService.isPart(entry.name) else { return nil }
    return StackReading(reader.entries(of: entry.name, in: "auth"), of: entry.name).passing?.place
  }

  /// Whether a listed service lets in a person that pam_uaf has refused, without certainly asking for anything else.
  ///
  /// If somebody has edited a stack of `uafctl pam enable`, a line after pam_uaf that asks for something and lets people in
  /// counts as well: the template had no such line.
  package func letsInRefused(_ entry: Entry) -> Bool {
    guard !PAMService.isPart(entry.name) else { return false }
    let refusal = StackReading(reader.entries(of: entry.name, in: "auth"), of: entry.name).refusal
    if case .enabled(_, isEdited: true) = entry.origin { return refusal != .refuses }
    return refusal == .letsIn
  }

  /// The names of the people who use a service with their password.
  ///
  /// The ready stack of the service says what kind of program it is. A service without one counts as one at which everybody may
  /// log in.
  package func people(of service: String, among people: ServicePeople) -> [String] {
    if case .enabled(let template, _)? = origin(of: service) { return people.names(of: template) }
    return people.names(of: (try? PAMService(service))?.knownTemplate ?? service)
  }

  /// The last day on which a listed service leads people to the password who never registered, as it is written; nil if it does
  /// not, or does so always.
  package func lastDayOfPassing(_ entry: Entry) -> String? {
    guard !PAMService.isPart(entry.name) else { return nil }
    return reader.entries(of: entry.name, in: "auth").lazy.compactMap(\.line.lastDayOfPassing).first
  }

  /// The stack of `uafctl pam enable` that a service includes although no line of it asks pam_uaf at a login; nil if there is
  /// none.
  ///
  /// Somebody has edited such a stack. A stack that is missing is not meant: libpam then refuses everybody.
  package func silentStack(of service: String) -> String? {
    let stack = PAMService.prefix + service
    guard !PAMService.isPart(service), reader.inclusions(of: service).contains(stack), reader.bytes(of: stack) != nil
    else { return nil }
    return reader.entries(of: service, in: "auth").contains(where: \.line.asksOwnModule) ? nil : stack
  }

  /// The place at which a listed service lets somebody in without the right password; nil if it does not.
  package func passwordGap(of entry: Entry) -> PasswordGap? {
    guard !PAMService.isPart(entry.name) else { return nil }
    let reading = StackReading(reader.entries(of: entry.name, in: "auth"), of: entry.name)
    return reading.passwordGap(isSecondFactor: isSecondFactor(entry.origin, reading))
  }

  /// Whether a service has a stack that is meant to ask for a password first.
  ///
  /// For a stack of `uafctl pam enable` its template decides; for any other stack its lines do.
  package func isSecondFactor(_ name: String, _ reading: StackReading) -> Bool {
    isSecondFactor(origin(of: name), reading)
  }

  private func isSecondFactor(_ origin: Entry.Origin?, _ reading: StackReading) -> Bool {
    guard case .enabled(let template, _)? = origin else { return reading.looksLikeSecondFactor }
    return PAMShape.secondFactor.isOf(template)
  }

  /// The entries, in the order of the names; nil if the folder cannot be read.
  package func entries() -> [Entry]? {
    guard let names = reader.services() else { return nil }
    return names.compactMap { name in origin(of: name).map { Entry(name: name, origin: $0) } }
  }

  private func origin(of name: String) -> Entry.Origin? {
    if name.hasPrefix(PAMService.prefix) { return originOfStack(name) }
    let stack = PAMService.prefix + name
    let lines = reader.ownLines(of: name)
    if name.hasPrefix("common-") { return lines.contains(where: \.asksOwnModule) ? .profile : nil }
    let stacks = reader.inclusions(of: name).filter { $0.hasPrefix(PAMService.prefix) }
    if lines.contains(where: \.asksOwnModule) || stacks.contains(where: { $0 != stack }) { return .byHand }
    guard !stacks.isEmpty else { return nil }
    guard let known = record(stack, of: name) else { return .byHand }
    return .enabled(template: known.record.template, isEdited: known.isEdited)
  }

  private func originOfStack(_ stack: String) -> Entry.Origin? {
    let name = String(stack.dropFirst(PAMService.prefix.count))
    let isIncluded = reader.inclusions(of: name).contains(stack)
    if record(stack, of: name) != nil { return isIncluded ? nil : .unused }
    // A file that a service includes is reported with that service.
    return isIncluded || !reader.ownLines(of: stack).contains(where: \.asksOwnModule) ? nil : .byHand
  }

  private func record(_ stack: String, of name: String) -> (record: StackRecord, isEdited: Bool)? {
    guard let known = reader.bytes(of: stack).flatMap({ StackRecord.reading($0, in: reader) }),
      known.record.service == name
    else {
      return nil
    }
    return known
  }
}

/// The header of a stack that `uafctl pam enable` wrote: its template, and the line that it replaces.
struct StackRecord: Equatable {
  /// The service's name.
  let service: String
  /// The template, as `fallback/sudo`.
  let template: String
  /// The line of the service's file that was there before.
  let replaced: String
  /// The vendor's file that the service's file was copied from; nil if the folder had its own file.
  let madeFrom: String?

  private static let mark = "# pam-uaf: "
  private static let digestKey = "sha256 "

  /// The stack's file: a header, and `body` unchanged.
  ///
  /// - Throws: ``StackError/outOfMemory``.
  func file(with body: [UInt8]) throws(StackError) -> [UInt8] {
    var head = """
      # Made by "uafctl pam enable \(service)"; "uafctl pam disable \(service)" takes it away again. What is edited here is kept \
      then.
      \(Self.mark)service \(service)
      \(Self.mark)template \(template)
      \(Self.mark)replaces \(replaced)

      """
    if let madeFrom { head += "\(Self.mark)made-from \(madeFrom)\n" }
    head += "\(Self.mark)\(Self.digestKey)\(try Self.digest(body))\n"
    return Array(head.utf8) + body
  }

  /// The record of a stack, and whether somebody edited the lines after it; nil without a record.
  ///
  /// - Parameter reader: the folder of the services.
  static func reading(_ file: [UInt8], in reader: PAMDirectory) -> (record: StackRecord, isEdited: Bool)? {
    var rest = file[...]
    var values: [String: String] = [:]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      guard line.hasPrefix("#") else { break }
      rest = rest[(end + 1)...]
      guard line.hasPrefix(mark) else { continue }
      let pair = line.dropFirst(mark.count)
      guard let space = pair.firstIndex(of: " ") else { return nil }
      values[String(pair[..<space])] = String(pair[pair.index(after: space)...])
      if line.hasPrefix(mark + digestKey) { break }
    }
    guard let service = values["service"], let template = values["template"], let replaced = values["replaces"],
      let line = PAMFile.firstLine(of: replaced), let digest = values["sha256"],
      ServiceFile([], in: reader).leadsToPassword(line)
    else { return nil }
    let record = StackRecord(service: service, template: template, replaced: replaced, madeFrom: values["made-from"])
    return (record, (try? Self.digest(Array(rest))) != digest)
  }

  private static func digest(_ body: [UInt8]) throws(StackError) -> String {
    guard let hash = try? SHA256.hash(body) else { throw .outOfMemory }
    return hash.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
