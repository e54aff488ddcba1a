import FidoResults
import UAFConfiguration
import UAFMessages

/// Makes the server and the authority of a payload those of this machine; only root may.
struct TrustOperation: CallOperation {
  let configuration: Configuration
  let folder: StateFolder
  let codes: EnrolmentCodes

  func run() throws(Ending) -> Success {
    let payload = try codes.payload()
    if let configured = configuration.server?.urls.first {
      throw Ending(
        .invalidParameter, detail: "the configuration names a server already (\(configured.text)): change it there",
        log: "trust: the configuration names a server")
    }
    _ = try folder.open()
    try TrustedServer.store(payload, in: folder.path)
    return Success(detail: "trusting \(payload.server)")
  }
}
