import FidoResults
import Testing

@Suite struct PAMMappingTests {
  /// Every result of the table, and some numbers that a server can choose.
  private let results = FidoResult.allListed + [10_000, 12_345, UInt32.max].map(FidoResult.init(code:))

  @Test func `every result gives the PAM code that the table lists for auth`() {
    for row in tableOfOutcomes {
      #expect(FidoResult(code: row.code).pamCode(PAMContext()) == row.pam, "\(row.name)")
    }
  }

  @Test func `PAM_SUCCESS comes only from result 0 in auth, and from 7100 and 7110 in password`() {
    for context in PAMContext.everyOne {
      let successes = results.filter { $0.pamCode(context) == .success }
      #expect(successes == (context.stage == .authentication ? [.success] : [.resetSuccess, .changeSuccess]))
    }
  }

  @Test func `PAM_IGNORE comes only from result 1009 with nouserok, for an account that never registered`() {
    for context in PAMContext.everyOne {
      let ignores = results.filter { $0.pamCode(context) == .ignore }
      let mayIgnore = context.nouserok && context.neverHadRow && !context.hideState && !context.spokenByServer
      #expect(ignores == (mayIgnore ? [.notRegistered] : []))
    }
  }

  @Test func `if changes are left to other modules, PAM_IGNORE in the password stage comes only from result 1009`() {
    for context in PAMContext.everyOne {
      var context = context
      context.leavesToOthers = true
      let ignores = results.filter { $0.pamCode(context) == .ignore }
      let isForOthers = context.stage == .password && !context.spokenByServer
      let mayIgnore = context.nouserok && context.neverHadRow && !context.hideState && !context.spokenByServer
      #expect(ignores == (isForOthers || mayIgnore ? [.notRegistered] : []))
    }
  }

  @Test func `every answer of the server except success gives PAM_AUTH_ERR`() {
    for context in PAMContext.everyOne where context.spokenByServer {
      for result in results where ![.success, .resetSuccess, .changeSuccess].contains(result) {
        #expect(result.pamCode(context) == .authenticationError, "\(result)")
      }
    }
  }

  @Test func `PAM_SERVICE_ERR comes only from results 1001 and 1012, if root made the mistake`() {
    for context in PAMContext.everyOne {
      let mistakes = results.filter { $0.pamCode(context) == .serviceError }
      let isRoots = context.isRootsFault && !context.spokenByServer
      #expect(mistakes == (isRoots ? [.invalidParameter, .invalidAuthenticatorType] : []))
    }
  }

  @Test func `PAM_AUTHINFO_UNAVAIL comes only from a server that cannot be reached`() {
    for context in PAMContext.everyOne {
      let unavailable = results.filter { $0.pamCode(context) == .authenticationInformationUnavailable }
      #expect(unavailable == (context.mustNotReportUnavailable || context.spokenByServer ? [] : [.noAnswer]))
    }
  }

  @Test
  func `with hide_state, a wrong secret, a lock, an unregistered and an unknown account give the same PAM code`() {
    for context in PAMContext.everyOne where context.hideState {
      let alike: [FidoResult] = [
        .wrongValue, .locked, .lockedForGood, .notRegistered, .invalidUsername, .emptyUsername,
      ]
      for result in alike { #expect(result.pamCode(context) == .authenticationError, "\(result)") }
    }
  }

  @Test func `hide_state changes no other PAM code`() {
    for context in PAMContext.everyOne where context.hideState {
      var shown = context
      shown.hideState = false
      let differing = results.filter { $0.pamCode(context) != $0.pamCode(shown) }
      let secret: [FidoResult] = [.notRegistered, .invalidUsername, .locked, .lockedForGood, .emptyUsername]
      #expect(differing == (context.spokenByServer ? [] : secret))
    }
  }

  @Test func `the numbers of PAM codes are those of Linux-PAM`() {
    #expect(PAMCode.allCases.map(\.rawValue) == [0, 3, 4, 7, 9, 10, 11, 12, 15, 19, 20, 25])
  }
}
