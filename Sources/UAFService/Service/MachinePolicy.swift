/// A workstation policy as a machine is given it.
package struct MachinePolicy: Equatable, Sendable {
  /// Another one than before for another policy.
  package let version: Int64
  /// A JSON web token, at most 24 KiB.
  package let document: String

  package init(version: Int64, document: String) {
    self.version = version
    self.document = document
  }
}
