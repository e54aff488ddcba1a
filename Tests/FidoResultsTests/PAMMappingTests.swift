import FidoResults
import Testing

@Suite struct PAMMappingTests {
  /// Every listed result and some of the server's.
  private let results = FidoResult.allListed + [10_000, 12_345, UInt32.max].map(FidoResult.init(code:))

  @Test func `every result has the PAM code of the table in auth`() {
    for row in tableOfOutcomes {
      #expect(FidoResult(code: row.code).pamCode(PAMContext()) == row.pam, "\(row.name)")
    }
  }

  @Test func `success comes only from 0 in auth and from 7100 and 7110 in password`() {
    for context in PAMContext.everyOne {
      let successes = results.filter { $0.pamCode(context) == .success }
      #expect(successes == (context.stage == .authentication ? [.success] : [.resetSuccess, .changeSuccess]))
    }
  }

  @Test func `ignore comes only from 1009 with nouserok for an account that never registered`() {
    for context in PAMContext.everyOne {
      let ignores = results.filter { $0.pamCode(context) == .ignore }
      let mayIgnore = context.nouserok && context.neverHadRow && !context.hideState && !context.spokenByServer
      #expect(ignores == (mayIgnore ? [.notRegistered] : []))
    }
  }

  @Test func `if a change is left to other modules, ignore in the password stage comes only from 1009`() {
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

  @Test func `a service error comes only from 1001 and 1012, if root made the mistake`() {
    for context in PAMContext.everyOne {
      let mistakes = results.filter { $0.pamCode(context) == .serviceError }
      let isRoots = context.isRootsFault && !context.spokenByServer
      #expect(mistakes == (isRoots ? [.invalidParameter, .invalidAuthenticatorType] : []))
    }
  }

  @Test func `unavailable means only that the server is away`() {
    for context in PAMContext.everyOne {
      let unavailable = results.filter { $0.pamCode(context) == .authenticationInformationUnavailable }
      #expect(unavailable == (context.mustNotReportUnavailable || context.spokenByServer ? [] : [.noAnswer]))
    }
  }

  @Test func `with hide_state, wrong, locked, unregistered and unknown have the same code`() {
    for context in PAMContext.everyOne where context.hideState {
      let alike: [FidoResult] = [
        .wrongValue, .locked, .lockedForGood, .notRegistered, .invalidUsername, .emptyUsername,
      ]
      for result in alike { #expect(result.pamCode(context) == .authenticationError, "\(result)") }
    }
  }

  @Test func `hiding states changes nothing else`() {
    for context in PAMContext.everyOne where context.hideState {
      var shown = context
      shown.hideState = false
      let differing = results.filter { $0.pamCode(context) != $0.pamCode(shown) }
      let secret: [FidoResult] = [.notRegistered, .invalidUsername, .locked, .lockedForGood, .emptyUsername]
      #expect(differing == (context.spokenByServer ? [] : secret))
    }
  }

  @Test func `the numbers are those of Linux-PAM`() {
    #expect(PAMCode.allCases.map(\.rawValue) == [0, 3, 4, 7, 9, 10, 11, 12, 15, 19, 20, 25])
  }
}
