/// `[policy]`: what root lends to the server that this machine has joined.
public struct PolicySettings: Equatable, Sendable {
  /// The parts in which the server's policy counts; none unless root says so.
  public internal(set) var followed: [LentSection] = []

  static var settings: [Setting<PolicySettings>] {
    [
      Setting(name: "follow") { value, section throws(SettingRefusal) in
        let allowed = LentSection.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        let refusal = SettingRefusal(problem: "must be a list of \(allowed), none twice; empty for none")
        guard case .array(let nodes) = value else { throw refusal }
        var followed: [LentSection] = []
        for node in nodes {
          guard case .string(let name) = node.value, let part = LentSection(rawValue: name), !followed.contains(part)
          else { throw refusal }
          followed.append(part)
        }
        section.followed = followed
      }
    ]
  }
}
