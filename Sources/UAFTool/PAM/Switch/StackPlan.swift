/// What `uafctl pam enable` is about to write.
struct StackPlan {
  let service: PAMService
  /// What is said at the head of the stack.
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
  /// Whether somebody edited that.
  let isEdited: Bool
  /// Whether all of it is in place already.
  let isInPlace: Bool

  /// Puts it in place: the stack first, the line that includes it last, so that the service has a whole stack at every moment.
  ///
  /// Each file is read again before it is written: the plan may be older than it took to try it.
  ///
  /// - Throws: ``StackError``: `file`, `changed`.
  func apply(in folder: some ServiceFolder) throws(StackError) {
    // A service that only a vendor's folder has gets its file now.
    let read = FileBefore.known(record.madeFrom != nil && line != nil ? nil : before)
    try folder.check(service.name, is: read)
    try folder.check(service.stackName, is: .known(oldStack))
    if isEdited, let oldStack {
      try folder.write(oldStack, to: service.savedName, like: service.stackName, over: .any)
    }
    try folder.write(stack, to: service.stackName, like: nil, over: .known(oldStack))
    guard after != before else { return }
    try folder.write(before, to: service.backupName, like: service.name, over: .any)
    try folder.write(after, to: service.name, like: service.name, over: read)
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
