/// What a JSON text may cost before it is refused.
public struct JSONLimits: Equatable, Sendable {
  /// Longest text in bytes; checked before anything is read.
  public var maximumBytes: Int

  /// Deepest nesting of arrays and objects.
  public var maximumDepth: Int

  /// Makes limits; the defaults are those of a UAF message, 256 KiB and 16 levels.
  public init(maximumBytes: Int = 262_144, maximumDepth: Int = 16) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = maximumDepth
  }
}
