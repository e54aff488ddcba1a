import UAFDecoder

/// Why a backup cannot be made or used; everything is as it was then.
enum BackupError: Error, Equatable, CustomStringConvertible {
  /// What is to be made is there already.
  case exists
  /// The folder to restore into has this.
  case notEmpty(String)
  /// The list is missing.
  case incomplete
  /// The list cannot be read.
  case unreadable
  /// The list has another form.
  case otherForm(Int64)
  /// The list names a file that no backup has.
  case unknownFile(String)
  /// A file is not as the list says.
  case changed(String)
  /// It has no store, and none was named.
  case withoutStore

  var description: String {
    switch self {
    case .exists: "is there already: name a folder that is not, or move this one away"
    case .notEmpty(let name):
      "is not empty: it has \(ShownValue.quoted(name, maximumCount: 80)): name an empty folder, or move what is there away"
    case .incomplete: "it has no backup.json: it was cut before its end, or is no backup: use another one"
    case .unreadable: "backup.json cannot be read: the backup was changed or cut: use another one"
    case .otherForm(let form): "its form is \(form): restore it with the uaf-server that made it"
    case .unknownFile(let name):
      "backup.json names \(ShownValue.quoted(name, maximumCount: 80)), which no backup has: use another one"
    case .changed(let name): "\(name) is not as it was backed up: the backup was changed or cut: use another one"
    case .withoutStore: "it has no server.db: it was made with --store; name that database, which you have brought back"
    }
  }
}
