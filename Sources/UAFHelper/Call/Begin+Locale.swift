import UAFWire

extension Begin {
  /// The person's locale, where it is text.
  var localeText: String? { locale.flatMap { String(validating: $0, as: UTF8.self) } }
}
