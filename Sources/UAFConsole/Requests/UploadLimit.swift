/// Which forms have a file, and how long they may be.
package enum UploadLimit {
  static let checkPath = "/console/enrol-list/check"
  static let issuePath = "/console/enrol-list/issue"
  /// The paths of those forms.
  package static let paths: Set = [checkPath, issuePath]
  /// The longest list in bytes: 10,000 people whose names have 100 characters.
  static let list = 1 << 20
  /// The longest such form in bytes: the longest list, and its other fields.
  package static let form = list + 8192
}
