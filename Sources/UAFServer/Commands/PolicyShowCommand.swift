import ArgumentParser
import UAFMessages

/// `uaf-server policy show`: prints a saved policy.
struct PolicyShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print the saved policy that is in force, or an earlier one, as it was given.")

  @OptionGroup var options: PolicyOptions
  @OptionGroup var json: JSONFlag
  @Option(help: "An earlier one, by its number: see 'policy list'.") var number: Int64?

  func run() async throws {
    try await options.link { link in
      let found =
        if let number {
          try await PolicyOptions.version(number, link)
        } else {
          try await PolicyOptions.current(link)
        }
      guard let version = found else {
        return Terminal.note("no policy was saved: everybody may use each authenticator by itself")
      }
      json.print(version, orElse: Self.shown(version.text("policy") ?? ""))
      guard number == nil else { return }
      Terminal.note("policy \(version.number("number")), saved \(version.time("time", orElse: "-"))")
    }
  }

  /// The policy without the end of its last line, which every result gets.
  private static func shown(_ text: String) -> String { text.hasSuffix("\n") ? String(text.dropLast()) : text }
}
