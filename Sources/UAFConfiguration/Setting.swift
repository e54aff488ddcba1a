// Purpose: one row of the table of keys: name, type, range. A section's rows are its whole grammar; a key without a row is
// refused.

/// A key of a section, and how its value is stored.
struct Setting<Section> {
  let name: String
  let store: (TOMLNode.Value, inout Section) throws(SettingRefusal) -> Void

  /// `true` or `false`.
  static func boolean(_ name: String, _ path: WritableKeyPath<Section, Bool>) -> Setting {
    Setting(name: name) { value, section throws(SettingRefusal) in section[keyPath: path] = try Self.boolean(value) }
  }

  /// `true` or `false`, where leaving it out means something else.
  static func boolean(_ name: String, _ path: WritableKeyPath<Section, Bool?>) -> Setting {
    Setting(name: name) { value, section throws(SettingRefusal) in section[keyPath: path] = try Self.boolean(value) }
  }

  /// A whole number in a range.
  static func integer(
    _ name: String, _ path: WritableKeyPath<Section, Int>, _ range: ClosedRange<Int>
  ) -> Setting {
    Setting(name: name) { value, section throws(SettingRefusal) in
      section[keyPath: path] = try Self.integer(value, range)
    }
  }

  /// A whole number in a range, where leaving it out means something else.
  static func integer(
    _ name: String, _ path: WritableKeyPath<Section, Int?>, _ range: ClosedRange<Int>
  ) -> Setting {
    Setting(name: name) { value, section throws(SettingRefusal) in
      section[keyPath: path] = try Self.integer(value, range)
    }
  }

  /// Whole seconds in a range.
  static func seconds(
    _ name: String, _ path: WritableKeyPath<Section, Duration>, _ range: ClosedRange<Int>
  ) -> Setting {
    Setting(name: name) { value, section throws(SettingRefusal) in
      section[keyPath: path] = .seconds(try Self.integer(value, range))
    }
  }

  /// One of the names of an enumeration.
  static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ path: WritableKeyPath<Section, Choice>
  ) -> Setting {
    Setting(name: name) { value, section throws(SettingRefusal) in section[keyPath: path] = try Self.choice(value) }
  }

  /// A text that `parse` understands; `allowed` says what that is.
  static func text<Parsed>(
    _ name: String, _ path: WritableKeyPath<Section, Parsed>, allowed: String, _ parse: @escaping (String) -> Parsed?
  ) -> Setting {
    Setting(name: name) { value, section throws(SettingRefusal) in
      guard let parsed = parse(try Self.text(value)) else { throw SettingRefusal(problem: "must be \(allowed)") }
      section[keyPath: path] = parsed
    }
  }

  /// A list of 1 to 16 texts that `parse` understands, none of them twice; `allowed` says what the list is.
  static func texts<Parsed: Equatable>(
    _ name: String, _ path: WritableKeyPath<Section, [Parsed]>, allowed: String, _ parse: @escaping (String) -> Parsed?
  ) -> Setting {
    Setting(name: name) { value, section throws(SettingRefusal) in
      let refusal = SettingRefusal(problem: "must be \(allowed)")
      guard case .array(let nodes) = value, (1...16).contains(nodes.count) else { throw refusal }
      var elements: [Parsed] = []
      for node in nodes {
        guard let parsed = parse(try Self.text(node.value)), !elements.contains(parsed) else { throw refusal }
        elements.append(parsed)
      }
      section[keyPath: path] = elements
    }
  }

  // MARK: Types

  static func boolean(_ value: TOMLNode.Value) throws(SettingRefusal) -> Bool {
    guard case .boolean(let boolean) = value else {
      throw SettingRefusal(problem: "must be true or false, without quotes")
    }
    return boolean
  }

  static func integer(_ value: TOMLNode.Value, _ range: ClosedRange<Int>) throws(SettingRefusal) -> Int {
    guard case .integer(let number) = value, let exact = Int(exactly: number), range.contains(exact) else {
      throw SettingRefusal(problem: "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return exact
  }

  static func text(_ value: TOMLNode.Value) throws(SettingRefusal) -> String {
    guard case .string(let text) = value else { throw SettingRefusal(problem: "must be a text in quotes") }
    guard text.utf8.count <= 4096 else { throw SettingRefusal(problem: "must be at most 4096 bytes long") }
    return text
  }

  static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ value: TOMLNode.Value
  ) throws(SettingRefusal) -> Choice {
    let allowed = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    guard case .string(let text) = value, let choice = Choice(rawValue: text) else {
      throw SettingRefusal(problem: "must be one of \(allowed)")
    }
    return choice
  }
}
