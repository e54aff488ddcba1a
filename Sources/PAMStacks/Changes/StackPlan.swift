import Wording

/// What `uafctl pam enable` will write.
struct StackPlan {
  let service: PAMService
  /// The head of the stack.
  let record: StackRecord
  /// The file that the service includes, with its head.
  let stack: [UInt8]
  /// The service's file as it is.
  let before: [UInt8]
  /// The service's file as it will be; the same where it includes the stack already.
  let after: [UInt8]
  /// The line of it that changes, from 1; nil where none does.
  let line: Int?
  /// The stack that is there; nil if there is none.
  let oldStack: [UInt8]?
  /// Whether somebody edited that stack.
  let isEdited: Bool
  /// Whether all of it is in place already.
  let isInPlace: Bool

  /// Writes the plan: the stack first, the line that includes it last, so that the service always has a whole stack.
  ///
  /// Each file is read again before it is written: somebody may have changed it while the plan was tried.
  ///
  /// - Throws: ``StackError``: `file`, `changed`.
  func apply(in folder: some ServiceFolder) throws(StackError) {
    try check(in: folder)
    try prepare(in: folder)
    try switchOver(in: folder)
  }

  /// What the service's file must still contain; no file if only a vendor's folder has one.
  private var read: FileBefore { .known(record.madeFrom != nil && line != nil ? nil : before) }

  /// - Throws: ``StackError``: `file`, `changed`.
  func check(in folder: some ServiceFolder) throws(StackError) {
    try folder.check(service.name, is: read)
    try folder.check(service.stackName, is: .known(oldStack))
  }

  /// Writes everything but the service's own line.
  ///
  /// A service that already includes the stack uses the new one from now on.
  ///
  /// - Throws: ``StackError``: `file`, `changed`.
  func prepare(in folder: some ServiceFolder) throws(StackError) {
    if isEdited, let oldStack {
      try folder.write(oldStack, to: service.savedName, like: service.stackName, over: .any)
    }
    try folder.write(stack, to: service.stackName, like: nil, over: .known(oldStack))
    guard after != before else { return }
    try folder.write(before, to: service.backupName, like: service.name, over: .any)
  }

  /// Writes the service's line, if it changes.
  ///
  /// - Throws: ``StackError``: `file`, `changed`.
  func switchOver(in folder: some ServiceFolder) throws(StackError) {
    guard after != before else { return }
    try folder.write(after, to: service.name, like: service.name, over: read)
  }

  /// Undoes what was written, the service's line first.
  ///
  /// Files that somebody else has changed since are left alone.
  ///
  /// - Throws: ``StackError``: `file`, `changed`.
  func undo(in folder: some ServiceFolder) throws(StackError) {
    if after != before, try folder.read(service.name) == after {
      if case .known(nil) = read {
        try folder.remove(service.name, over: .known(after))
      } else {
        try folder.write(before, to: service.name, like: service.name, over: .known(after))
      }
    }
    if try folder.read(service.stackName) == stack {
      if let oldStack {
        try folder.write(oldStack, to: service.stackName, like: service.stackName, over: .known(stack))
      } else {
        try folder.remove(service.stackName, over: .known(stack))
      }
    }
    // If something else has the backup's name, that is the reason for undoing; it is left alone.
    if after != before, let backup = try? folder.read(service.backupName) {
      try folder.remove(service.backupName, over: .known(backup))
    }
  }

  /// What would change, as diff(1) shows it.
  func difference(in folder: some ServiceFolder) -> String {
    var text: [String] = []
    if let line {
      let place = folder.path(of: service.name)
      text += ["--- \(record.madeFrom ?? place)", "+++ \(place)", "@@ -\(line) +\(line) @@", "-" + record.replaced]
      text.append("+" + ServiceFile(after).text(line - 1))
    }
    let lines = ServiceFile(stack).lines.dropLast()
    text += ["--- /dev/null", "+++ \(folder.path(of: service.stackName))", "@@ -0,0 +1,\(lines.count) @@"]
    text += lines.map { "+" + String(decoding: $0, as: UTF8.self) }
    return ShownText.verbatim(text.joined(separator: "\n"))
  }
}
