import FidoResults
import Foundation
import Testing

/// Tests/Vectors/pam-ends.json lists each end of a login by the module except success, and who can cause it.
///
/// A PAM stack sees nothing but the code. So if anybody but root can cause a code, it has to be a refusal in every stack that
/// we ship; `scripts/stacks.py` computes that from the same file.
@Suite struct PAMEndTests {
  /// One row of the file: an end of a login by the module.
  private struct End: Decodable {
    /// Which program produces the code: the core in *finished*, the module itself, or libpam because it could not call the
    /// module.
    enum Speaker: String, Decodable { case core, module, libpam }

    /// Who can cause the end: the person who logs in; another account of the machine; somebody remote; an attacker on the
    /// network; the server or an impostor; root; or a failure of memory, disk, kernel or power.
    enum Cause: String, Decodable { case person, localUser, afar, network, server, root, machine }

    /// The stacks that root can choose so that a login continues to the password, although others can cause the code.
    enum Choice: String, Decodable { case fallback, profile }

    /// The code's name in PAM.
    let code: String
    let speaker: Speaker
    /// The core's results that give this code; empty if any result can.
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

  /// The rows for a code that the core sends with a result.
  private func rows(_ code: PAMCode, _ result: FidoResult) -> [End] {
    ends.filter { end in
      end.speaker == .core && end.code == Self.names[code] && (end.results.isEmpty || end.results.contains(result.code))
    }
  }

  @Test func `each PAM code that a result can give in any context has exactly one row in pam-ends.json`() {
    for context in PAMContext.everyOne {
      for result in FidoResult.allListed {
        let code = result.pamCode(context)
        if code != .success { #expect(rows(code, result).count == 1, "\(result): \(code)") }
      }
    }
  }

  @Test func `each result that pam-ends.json lists gives its code in some context`() {
    for end in ends where end.speaker == .core {
      for number in end.results {
        let codes = PAMContext.everyOne.map { FidoResult(code: number).pamCode($0) }
        #expect(codes.contains { Self.names[$0] == end.code }, "\(end.code) \(number)")
      }
    }
  }

  @Test func `codes that only root can cause come only from a mistake of root or from nouserok`() {
    for context in PAMContext.everyOne where !context.isRootsFault && !context.nouserok {
      for result in FidoResult.allListed {
        let ends = rows(result.pamCode(context), result)
        #expect(!ends.contains { $0.causes == [.root] }, "\(result)")
      }
    }
  }

  @Test func `each code in pam-ends.json is one of PAM's, and those of the core are codes that it can send`() {
    for end in ends {
      #expect(end.code.hasPrefix("PAM_") && !end.meaning.isEmpty)
      #expect(end.speaker != .core || Self.names.values.contains(end.code), "\(end.code)")
    }
  }

  @Test func `each row of pam-ends.json has a cause, and no stack continues after a code that only root can cause`() {
    for end in ends {
      #expect(!end.causes.isEmpty)
      #expect(end.choices.isEmpty || end.causes.contains { $0 != .root })
    }
  }
}
