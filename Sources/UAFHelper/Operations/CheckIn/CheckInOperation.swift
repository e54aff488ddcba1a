import FidoResults
import UAFClient
import UAFMessages

/// Tells the server now how this machine is, whether something has changed or not; only root may.
struct CheckInOperation: CallOperation {
  let folder: StateFolder
  let server: ServerAccess
  let checkIn: CheckIn

  func run() throws(Ending) -> Success {
    _ = try folder.open()
    let settings = try server.settings()
    let answer = try checkIn.atOnce(settings)
    var document: JSONObject = ["device": .string(answer.statement.deviceID)]
    document.set("policy", answer.statement.policy.map(JSONValue.integer))
    document.set("news", answer.statement.news.map(JSONValue.integer))
    document.set("time", .integer(answer.statement.issuedAt))
    return Success(document: JSONValue.object(document).text)
  }
}
