extension StateDirectory {
  /// Whether the device key is bound to a chip of this machine.
  public var isBoundToChip: Bool { false }
}
