import Wording

/// How a service stops asking for the passcode.
struct StackDisabling {
  let service: PAMService
  /// The folder of the services.
  let folder: any ServiceFolder

  /// Restores the service's line and removes the stack; continues an earlier run that was interrupted.
  ///
  /// The include is removed first, so that a service never includes a missing file. Only that line of the service's file is
  /// changed. An edited stack is kept under a hidden name.
  ///
  /// - Returns: what was done, a line each; empty where there was nothing to do.
  /// - Throws: ``StackError``.
  func run() throws(StackError) -> [StackText] {
    var done: [StackText] = []
    let stack = try folder.read(service.stackName)
    let backup = try folder.read(service.backupName)
    var known = stack.flatMap(StackRecord.reading)
    if let found = known, found.record.service != service.name { known = nil }
    if let bytes = try folder.read(service.name) {
      done += try putBack(bytes, known: known?.record, backup: backup, hasStack: stack != nil)
    }
    // A stack without its head is still ours if there is a backup.
    if let stack, known != nil || backup != nil {
      done += try removeStack(stack, isEdited: known?.isEdited ?? true)
    }
    if let backup { try folder.remove(service.backupName, over: .known(backup)) }
    return done
  }

  private func putBack(
    _ bytes: [UInt8], known: StackRecord?, backup: [UInt8]?, hasStack: Bool
  ) throws(StackError) -> [StackText] {
    let file = ServiceFile(bytes)
    let path = folder.path(of: service.name)
    let inclusions = file.inclusions(of: service.stackName)
    guard let index = inclusions.first else { return [] }
    guard inclusions.count == 1 else { throw .severalLines(path: path, include: service.stackName) }
    var recorded = known?.replaced
    if recorded == nil { recorded = try replacedLine(of: backup) }
    guard let replaced = recorded else {
      if hasStack { throw .byHand(path: path) }
      throw .nothingRecorded(path: path, include: service.stackName)
    }
    var restored = file
    restored.replace(index, with: replaced)
    if known?.madeFrom != nil, restored.bytes == backup {
      try folder.remove(service.name, over: .known(bytes))
      return [.vendorAgain(path: path, vendor: known?.madeFrom ?? "")]
    }
    try folder.write(restored.bytes, to: service.name, like: service.name, over: .known(bytes))
    return [.putBack(path: path, line: ShownText.line(replaced))]
  }

  private func replacedLine(of backup: [UInt8]?) throws(StackError) -> String? {
    guard let backup else { return nil }
    let file = ServiceFile(backup)
    return file.text(try file.replaceableLine(of: service, at: folder.path(of: service.backupName)))
  }

  private func removeStack(_ stack: [UInt8], isEdited: Bool) throws(StackError) -> [StackText] {
    let path = folder.path(of: service.stackName)
    let reader = PAMDirectory(path: folder.path)
    let users = (reader.services() ?? []).filter { reader.inclusions(of: $0).contains(service.stackName) }
    guard users.isEmpty else {
      return [.stackStays(path: path, users: users)]
    }
    if isEdited {
      try folder.move(service.stackName, to: service.savedName, over: .known(stack))
      return [.stackSaved(path: path, saved: folder.path(of: service.savedName))]
    }
    try folder.remove(service.stackName, over: .known(stack))
    return [.stackRemoved(path: path)]
  }
}
