import Foundation

/// What `uafctl status --json` says about the passcode.
struct Status: Decodable {
  let state: Int
  let permanent: Bool
  let remainingTries: Int
  let remainingLockSeconds: Int

  private struct Document: Decodable { let authenticators: [Entry] }

  private struct Entry: Decodable {
    let type: String
    let status: Status

    private enum Key: CodingKey { case type }

    init(from decoder: any Decoder) throws {
      type = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .type)
      status = try Status(from: decoder)
    }
  }

  init(_ document: String) throws {
    let entries = try JSONDecoder().decode(Document.self, from: Data(document.utf8)).authenticators
    guard let entry = entries.first(where: { $0.type == "passcode" }) else {
      throw Failure("no passcode in \(document)")
    }
    self = entry.status
  }
}
