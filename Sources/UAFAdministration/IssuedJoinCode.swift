import UAFMessages

/// A join code as an administrator is given it; it is shown once, and the store has only its hash.
package struct IssuedJoinCode: Equatable, Sendable {
  package let number: Int64
  /// How many machines may join with it.
  package let machines: Int64
  package let payload: MachinePayload
  /// SHA-256 of what is trusted of the server, as 64 hexadecimal digits, for people to compare.
  package let fingerprint: String

  /// - Parameter fingerprint: 32 bytes.
  init(number: Int64, machines: Int64, payload: MachinePayload, fingerprint: [UInt8]) {
    self.number = number
    self.machines = machines
    self.payload = payload
    self.fingerprint = fingerprint.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
