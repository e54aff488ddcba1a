/// The services that ask for the passcode, and who enabled them.
package struct StackList {
  /// The folder that is looked at.
  package let reader: PAMDirectory

  /// The list of a folder.
  package init(reader: PAMDirectory) { self.reader = reader }

  /// A file of the folder that names the module or a stack of ours.
  package struct Entry: Equatable {
    /// Who made it ask.
    package enum Origin: Equatable {
      /// `uafctl pam enable`, from a template; with edits of the administrator's or without.
      case enabled(template: String, isEdited: Bool)
      /// A stack of ours that its service does not include.
      case unused
      /// pam-auth-update.
      case profile
      /// The administrator.
      case byHand
    }

    /// The file.
    package let name: String
    /// Who made it ask.
    package let origin: Origin
  }

  /// The line that lets somebody into a listed service before pam_uaf is asked; nil if there is none.
  package func passing(_ entry: Entry) -> StackLinePlace? {
    PAMService.isPart(entry.name) ? nil : StackReading(reader.entries(of: entry.name, in: "auth")).passing?.place
  }

  /// In the order of the names; nil if the folder cannot be read.
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
    // Reported with the service that includes it.
    return isIncluded || !reader.ownLines(of: stack).contains(where: \.asksOwnModule) ? nil : .byHand
  }

  private func record(_ stack: String, of name: String) -> (record: StackRecord, isEdited: Bool)? {
    guard let known = reader.bytes(of: stack).flatMap(StackRecord.reading), known.record.service == name else {
      return nil
    }
    return known
  }
}
