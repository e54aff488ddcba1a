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
  /// The stack that is there, if somebody edited it.
  let edited: [UInt8]?
  /// Whether all of it is in place already.
  let isInPlace: Bool

  /// Puts it in place: the stack first, the line that includes it last, so that the service has a whole stack at every moment.
  ///
  /// - Throws: ``StackError/file(path:_:)``.
  func apply(in folder: PAMFolder) throws(StackError) {
    if let edited { try folder.write(edited, to: service.savedName, like: service.stackName) }
    try folder.write(stack, to: service.stackName, like: nil)
    guard after != before else { return }
    try folder.write(before, to: service.backupName, like: service.name)
    try folder.write(after, to: service.name, like: service.name)
  }

  /// What would change, as diff(1) shows it.
  func difference(in folder: PAMFolder) -> String {
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
