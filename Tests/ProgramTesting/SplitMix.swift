/// A generator whose numbers are the same in every run (SplitMix64).
public struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  /// Begins with this state; equal states give equal numbers.
  public init(state: UInt64) { self.state = state }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }

  /// A number from 0 up to, but not including, a limit.
  public mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
