import ArgumentParser
import UAFMessages
import UAFWire

/// `uafctl check-in`.
struct CheckInCommand: CoreCommand, JSONDocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-in",
    abstract: "Tells the server how this machine is, and takes its policy; root only.",
    discussion: """
      Only for a machine that has joined its server. A login that has something to tell does the same. A timer may call it on \
      machines where nobody logs in for long.
      """)
  static let done = ToolText.checkedIn

  @OptionGroup var conf: ConfigurationOption

  @Flag(help: "Print what the server has answered as one JSON object.")
  var json = false

  func request(in context: ToolContext) throws(ToolError) -> Request { Request(.checkIn) }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let finished = try call(in: context).hold(try request(in: context))
    guard finished.pamCode == 0, let document = finished.document else {
      return JSONLines.tellFailure(finished, asJSON: json, in: context)
    }
    if json {
      context.output.result(document)
    } else {
      context.note(Self.policy(in: document).map { ToolText.checkedInPolicy($0) } ?? Self.done)
    }
    return .success
  }

  /// The version of the policy for this machine, as the server named it; nil if it has none.
  private static func policy(in document: String) -> Int64? {
    guard case .object(let members)? = try? JSONValue(parsing: Array(document.utf8)),
      case .integer(let version)? = members["policy"]
    else { return nil }
    return version
  }
}
