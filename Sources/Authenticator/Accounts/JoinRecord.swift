import Glibc

/// By what a server knows this machine since it has joined, in a file of the state folder; readable only by root.
///
/// It opens nothing: at the server it is worth a place that strangers cannot take. So it is neither sealed nor marked.
public struct JoinRecord: Equatable, Sendable {
  /// By what, and where the server is.
  public let machine: MachineRecord
  /// The group that the machine joined.
  public let group: String

  private static let fileName = "machine.join"
  private static let maximumBytes = 512

  /// Makes a record.
  public init(_ machine: MachineRecord, group: String) {
    self.machine = machine
    self.group = group
  }

  /// The record of a state folder; nil if there is none, or one that cannot be read.
  ///
  /// - Throws: ``StateError`` for a folder or a file that somebody else could have written.
  public static func read(in path: String, owner: uid_t) throws(StateError) -> JoinRecord? {
    let folder = try TrustedDirectory(path, owner: owner)
    guard let bytes = try folder.bytes(fileName, owner: owner, capacity: maximumBytes) else { return nil }
    return try? JoinRecord(bytes)
  }

  private init(_ bytes: [UInt8]) throws(StateError) {
    var reader = try RecordReader(bytes, version: 1)
    let (machineID, secret) = (try reader.data(), try reader.data())
    machine = MachineRecord(machineID: machineID, secret: secret, place: try reader.data())
    group = try reader.text()
    try reader.finish()
  }

  /// Keeps the record in place of an earlier one.
  ///
  /// - Throws: ``StateError``; the earlier one is then as it was.
  public func store(in path: String, owner: uid_t) throws(StateError) {
    var writer = RecordWriter(version: 1)
    for part in [machine.machineID, machine.secret, machine.place, Array(group.utf8)] { writer.put(part) }
    let folder = try TrustedDirectory(path, owner: owner)
    try folder.replace(Self.fileName, with: writer.bytes)
  }

  /// Removes the record.
  ///
  /// - Returns: whether there was one.
  /// - Throws: ``StateError``.
  @discardableResult
  public static func remove(in path: String, owner: uid_t) throws(StateError) -> Bool {
    let folder = try TrustedDirectory(path, owner: owner)
    let wasThere = try folder.removeFile(fileName)
    try folder.synchronise()
    return wasThere
  }
}
