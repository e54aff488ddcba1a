/// The fields of one type of packet: their tags, named as in PROTOCOL.md, and what each may hold.
protocol PacketField: RawRepresentable<UInt8>, CaseIterable, Sendable {
  /// One rule for each field, in the order of tags.
  static var rules: [FieldRule] { get }
}

extension PacketField {
  /// The tag.
  var tag: UInt8 { rawValue }

  /// What the field may hold.
  func rule(_ form: FieldRule.Form, required: Bool = false, repeats: Int = 1) -> FieldRule {
    FieldRule(tag: tag, form: form, isRequired: required, repeats: repeats)
  }
}
