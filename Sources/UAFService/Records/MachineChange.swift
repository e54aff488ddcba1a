/// That a machine that had joined has left, was revoked, or has joined again after it left.
package struct MachineChange: Equatable, Sendable {
  /// Later changes have higher numbers.
  package let number: Int64
  /// The machine as it is now.
  package let machine: JoinedMachine

  package init(number: Int64, machine: JoinedMachine) {
    self.number = number
    self.machine = machine
  }
}
