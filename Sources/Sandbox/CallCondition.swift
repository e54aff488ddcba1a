/// What a number among a system call's arguments must be for the call to be allowed.
public struct CallCondition: Sendable {
  let argument: UInt32
  let mask: UInt64
  let value: UInt64

  /// The bits of `mask` in an argument must be `value`.
  public init(_ argument: UInt32, mask: UInt64, is value: UInt64) {
    self.argument = argument
    self.mask = mask
    self.value = value
  }

  /// An argument must be `value` in all 64 bits: for pointers and numbers of that size.
  public init(_ argument: UInt32, is value: UInt64) { self.init(argument, mask: .max, is: value) }

  /// An argument of 32 bits must be `value`; the upper half of its register does not count.
  public init(_ argument: UInt32, isWord value: UInt32) {
    self.init(argument, mask: 0xFFFF_FFFF, is: UInt64(value))
  }
}
