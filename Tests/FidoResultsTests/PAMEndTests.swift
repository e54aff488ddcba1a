import FidoResults
import Foundation
import Testing

/// Every end of a login by the module except success, and who can cause it: Tests/Vectors/pam-ends.json.
///
/// Stacks decide by the code alone. So a code that anybody but root can cause has to refuse in every stack that is shipped:
/// `scripts/stacks.py` computes that from the same file.
@Suite struct PAMEndTests {
  /// One way in which a login by the module ends.
  private struct End: Decodable {
    /// Who returns the code: the core in *finished*, the module itself, or libpam, which could not call the module.
    enum Speaker: String, Decodable { case core, module, libpam }

    /// The person who logs in; another account of the machine; a remote caller; an attacker between the machine and the server;
    /// the server or an impostor; root; and memory, disk, kernel or power.
    enum Cause: String, Decodable { case person, localUser, afar, network, server, root, machine }

    /// The stacks in which root lets a code that others can cause continue to the password.
    enum Choice: String, Decodable { case fallback, profile }

    /// PAM's name of the code.
    let code: String
    let speaker: Speaker
    /// The results that the core sends with it; empty for any.
    let results: [UInt32]
    let causes: [Cause]
    let choices: [Choice]
    let meaning: String
  }

  private let ends: [End]

  init() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    ends = try JSONDecoder().decode([End].self, from: Data(contentsOf: tests.appending(path: "Vectors/pam-ends.json")))
  }

  private static let names: [PAMCode: String] = [
    .serviceError: "PAM_SERVICE_ERR", .systemError: "PAM_SYSTEM_ERR", .authenticationError: "PAM_AUTH_ERR",
    .authenticationInformationUnavailable: "PAM_AUTHINFO_UNAVAIL", .userUnknown: "PAM_USER_UNKNOWN",
    .maximumTries: "PAM_MAXTRIES", .credentialsUnavailable: "PAM_CRED_UNAVAIL", .conversationError: "PAM_CONV_ERR",
    .tokenError: "PAM_AUTHTOK_ERR", .ignore: "PAM_IGNORE",
  ]

  /// The rows for what the core sends with a result.
  private func rows(_ code: PAMCode, _ result: FidoResult) -> [End] {
    ends.filter { end in
      end.speaker == .core && end.code == Self.names[code] && (end.results.isEmpty || end.results.contains(result.code))
    }
  }

  @Test func `each PAM code of each result in each situation is in the table once`() {
    for context in PAMContext.everyOne {
      for result in FidoResult.allListed {
        let code = result.pamCode(context)
        if code != .success { #expect(rows(code, result).count == 1, "\(result): \(code)") }
      }
    }
  }

  @Test func `each result of the table occurs in some situation`() {
    for end in ends where end.speaker == .core {
      for number in end.results {
        let codes = PAMContext.everyOne.map { FidoResult(code: number).pamCode($0) }
        #expect(codes.contains { Self.names[$0] == end.code }, "\(end.code) \(number)")
      }
    }
  }

  @Test func `codes that only root can cause come only from root's mistake or nouserok`() {
    for context in PAMContext.everyOne where !context.isRootsFault && !context.nouserok {
      for result in FidoResult.allListed {
        let ends = rows(result.pamCode(context), result)
        #expect(!ends.contains { $0.causes == [.root] }, "\(result)")
      }
    }
  }

  @Test func `each code is one of PAM's, and the core uses only those that it has a number for`() {
    for end in ends {
      #expect(end.code.hasPrefix("PAM_") && !end.meaning.isEmpty)
      #expect(end.speaker != .core || Self.names.values.contains(end.code), "\(end.code)")
    }
  }

  @Test func `each row has a cause, and root chooses only codes that others can cause`() {
    for end in ends {
      #expect(!end.causes.isEmpty)
      #expect(end.choices.isEmpty || end.causes.contains { $0 != .root })
    }
  }
}
