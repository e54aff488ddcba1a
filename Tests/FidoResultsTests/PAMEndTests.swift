import FidoResults
import Testing

@Suite struct PAMEndTests {
  private static let names: [PAMCode: String] = [
    .serviceError: "PAM_SERVICE_ERR", .systemError: "PAM_SYSTEM_ERR", .authenticationError: "PAM_AUTH_ERR",
    .authenticationInformationUnavailable: "PAM_AUTHINFO_UNAVAIL", .userUnknown: "PAM_USER_UNKNOWN",
    .maximumTries: "PAM_MAXTRIES", .credentialsUnavailable: "PAM_CRED_UNAVAIL", .conversationError: "PAM_CONV_ERR",
    .tokenError: "PAM_AUTHTOK_ERR", .ignore: "PAM_IGNORE",
  ]

  /// The rows for what the core says with a result.
  private func rows(_ code: PAMCode, _ result: FidoResult) -> [PAMEnd] {
    PAMEnd.all.filter { end in
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
    for end in PAMEnd.all where end.speaker == .core {
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

  @Test func `each row has a cause, and root chooses only codes that others can cause`() {
    for end in PAMEnd.all {
      #expect(!end.causes.isEmpty)
      #expect(end.choices.isEmpty || end.causes.contains { $0 != .root })
    }
  }
}
