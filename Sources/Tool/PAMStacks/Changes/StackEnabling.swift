import Glibc
import Wording

/// Plans how a service will ask for the passcode: reads the files as they are, and changes nothing.
struct StackEnabling {
  let service: PAMService
  /// The folder of the services.
  let folder: PAMFolder
  /// The folders in which libpam looks if the first has no file for a service.
  let vendors: [PAMFolder]
  /// The template, as `fallback/sudo`.
  let template: String
  /// The folder of templates.
  let templates: String
  /// The last day on which people get to the password who never registered, as YYYY-MM-DD; nil if they never do.
  var until: String?

  /// - Throws: ``StackError``.
  func plan() throws(StackError) -> StackPlan {
    let body = try passing(try readTemplate())
    let (bytes, madeFrom) = try readService()
    let file = ServiceFile(bytes, in: reader)
    if let row = file.carriageReturn {
      throw .carriageReturn(path: folder.path(of: service.name), line: row + 1)
    }
    if let row = file.parting { throw .twoReadings(path: folder.path(of: service.name), line: row + 1) }
    try refuseProfile()
    let old = try folder.read(service.stackName)
    let known = old.flatMap { StackRecord.reading($0, in: reader) }
    let record: StackRecord
    var after = file
    let line: Int?
    let inclusions = file.inclusions(of: service.stackName)
    if inclusions.isEmpty {
      let index = try replaceableLine(of: file)
      record = StackRecord(service: service.name, template: template, replaced: file.text(index), madeFrom: madeFrom)
      after.replace(index, with: "@include " + service.stackName)
      line = index + 1
    } else {
      guard let known, known.record.service == service.name else {
        throw .byHand(path: folder.path(of: service.name))
      }
      record = StackRecord(
        service: service.name, template: template, replaced: known.record.replaced, madeFrom: known.record.madeFrom)
      line = nil
    }
    try refuseMissing(in: ServiceFile(body, in: reader), replaced: record.replaced)
    try refuseOthers(in: after)
    try checkPlace(of: ServiceFile(body), in: after)
    // A file without our header was written by an administrator.
    if old != nil, known == nil { throw .byHand(path: folder.path(of: service.stackName)) }
    let stack = try record.file(with: body)
    return StackPlan(
      service: service, record: record, stack: stack, before: bytes, after: after.bytes, line: line,
      oldStack: old, isEdited: known?.isEdited == true, until: until, isInPlace: line == nil && stack == old)
  }

  /// A template in which pam_uaf passes on people who never registered, up to the end of the last day; without such a day, the
  /// template unchanged.
  ///
  /// - Throws: ``StackError``: `noUntil` for a template in which that argument cannot be added to one line.
  private func passing(_ template: [UInt8]) throws(StackError) -> [UInt8] {
    guard let until else { return template }
    var file = ServiceFile(template)
    let asking = PAMFile(template).lines.filter { line in
      let parsed = PAMLine(line: line)
      return parsed.group == "auth" && parsed.asksOwnModule
    }
    let refusal = StackError.noUntil(path: templates + "/" + self.template)
    guard asking.count == 1, let line = asking.first, line.rows.count == 1, !PAMLine(line: line).passesUnregistered,
      PAMLine(line: line).action(of: "ignore").goesOn
    else { throw refusal }
    let index = line.rows.lowerBound
    file.replace(index, with: file.text(index) + " " + PAMLine.passing(until: until))
    // The line may end with a comment, or with a bracket that is not closed.
    guard PAMFile(file.bytes).parsed.contains(where: { $0.lastDayOfPassing == until }) else { throw refusal }
    let reason = """
      # "uafctl pam enable --until": up to the end of \(until) (UTC) this line passes on accounts that never registered here, and \
      refuses them from then on.
      """
    file.insert(reason, before: index)
    return file.bytes
  }

  private func readTemplate() throws(StackError) -> [UInt8] {
    let parts = template.split(separator: "/").map(String.init)
    let path = ([templates] + parts.dropLast()).joined(separator: "/")
    let missing = StackError.noTemplate(path: templates + "/" + template)
    var found: [UInt8]?
    do throws(StackError) {
      found = try parts.last.flatMap { name throws(StackError) in
        try PAMFolder(path, owner: folder.owner).read(name)
      }
    } catch {
      if case .folder(_, .system(ENOENT)) = error { throw missing }
      throw error
    }
    guard let body = found else { throw missing }
    return body.last == UInt8(ascii: "\n") ? body : body + [UInt8(ascii: "\n")]
  }

  private var reader: PAMDirectory { PAMDirectory(path: folder.path) }

  /// Refuses a stack whose own includes are missing: libpam would refuse everybody.
  private func refuseMissing(in stack: ServiceFile, replaced: String) throws(StackError) {
    for line in stack.parsed
    where PAMService.isPart(line.module) && line.isInclusion
      && reader.bytes(of: line.module) == nil
    {
      // If the service now includes a different file, that one has the password's lines.
      let today = line.module == "common-auth" ? PAMFile.firstLine(of: replaced) : nil
      let isThere = today.map { reader.bytes(of: reader.name(of: $0.module)) != nil } ?? false
      throw .noPart(path: folder.path(of: line.module), name: line.module, replaced: isThere ? replaced : nil)
    }
  }

  private func readService() throws(StackError) -> (bytes: [UInt8], madeFrom: String?) {
    if let target = linkedService { throw .follows(path: folder.path(of: service.name), service: target) }
    if let bytes = try folder.read(service.name) { return (bytes, nil) }
    for vendor in vendors {
      if let bytes = try vendor.read(service.name) { return (bytes, vendor.path(of: service.name)) }
    }
    throw .noService(service.name, folders: [folder.path] + vendors.map(\.path))
  }

  /// The service that this one is a link to; nil if it has its own file.
  var linkedService: String? {
    guard let target = reader.linked(from: service.name), !PAMService.isPart(target), (try? PAMService(target)) != nil,
      reader.bytes(of: target) != nil
    else { return nil }
    return target
  }

  private func replaceableLine(of file: ServiceFile) throws(StackError) -> Int {
    let path = folder.path(of: service.name)
    do throws(StackError) {
      return try file.replaceableLine(of: service, at: path)
    } catch {
      // su-l is su under a different name, and Debian's greetd takes all lines of login.
      let followed = file.parsed.first { line in
        guard line.isInclusion, let other = try? PAMService(reader.name(of: line.module)) else { return false }
        return line.group == "@include"
          ? other.knownTemplate != nil : line.group == "auth" && other.knownTemplate == service.knownTemplate
      }
      if case .noLine = error, service.knownTemplate != nil, let followed {
        throw .follows(path: path, service: reader.name(of: followed.module))
      }
      if case .noLine = error, !service.changesPasswords,
        StackReading(reader.entries(of: service.name, in: "auth"), of: service.name).asksNobody
      {
        throw .asksNobody(path: path)
      }
      throw error
    }
  }

  private func checkPlace(of stack: ServiceFile, in file: ServiceFile) throws(StackError) {
    guard let index = file.inclusions(of: service.stackName).first else { return }
    try StackPlace(
      file: file, index: index, stack: stack, group: service.changesPasswords ? "password" : "auth",
      reader: PAMDirectory(path: folder.path), path: folder.path(of: service.name)
    ).check()
  }

  /// Refuses if pam-auth-update's profile is on: the new stack would ask twice.
  private func refuseProfile() throws(StackError) {
    for shared in ["common-auth", "common-password"] {
      if reader.ownLines(of: shared).contains(where: \.asksOwnModule) {
        throw .profile(path: folder.path(of: shared))
      }
    }
  }

  /// Refuses if a line that stays in the file also asks pam_uaf.
  private func refuseOthers(in file: ServiceFile) throws(StackError) {
    for line in file.parsed where reader.name(of: line.module) != service.stackName {
      let asks =
        line.isInclusion
        ? reader.wholeStack(of: line.module).contains(where: \.asksOwnModule) : line.asksOwnModule
      if asks { throw .byHand(path: folder.path(of: service.name)) }
    }
  }
}

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
  /// - Returns: what was done, one line for each; empty if there was nothing to do.
  /// - Throws: ``StackError``.
  func run() throws(StackError) -> [StackText] {
    var done: [StackText] = []
    let stack = try folder.read(service.stackName)
    let backup = try folder.read(service.backupName)
    let reader = PAMDirectory(path: folder.path)
    var known = stack.flatMap { StackRecord.reading($0, in: reader) }
    if let found = known, found.record.service != service.name { known = nil }
    if let bytes = try folder.read(service.name) {
      done += try putBack(bytes, known: known?.record, backup: backup, hasStack: stack != nil)
    }
    // A stack without its header is still ours if there is a backup.
    if let stack, known != nil || backup != nil {
      done += try removeStack(stack, isEdited: known?.isEdited ?? true)
    }
    if let backup { try folder.remove(service.backupName, over: .known(backup)) }
    return done
  }

  private func putBack(
    _ bytes: [UInt8], known: StackRecord?, backup: [UInt8]?, hasStack: Bool
  ) throws(StackError) -> [StackText] {
    let file = ServiceFile(bytes, in: PAMDirectory(path: folder.path))
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
    let file = ServiceFile(backup, in: PAMDirectory(path: folder.path))
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
