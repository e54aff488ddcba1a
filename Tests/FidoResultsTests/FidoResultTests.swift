import FidoResults
import Testing

@Suite struct FidoResultTests {
  @Test func `the results have the numbers, names and order of the table of outcomes`() {
    #expect(FidoResult.allListed.map(\.code) == tableOfOutcomes.map(\.code))
    #expect(FidoResult.allListed.map(\.name) == tableOfOutcomes.map(\.name))
  }

  @Test func `no two results have the same number or name`() {
    #expect(Set(FidoResult.allListed.map(\.code)).count == FidoResult.allListed.count)
    #expect(Set(FidoResult.allListed.map(\.name)).count == FidoResult.allListed.count)
  }

  @Test func `a number of the table that is received becomes the table's result`() {
    for row in tableOfOutcomes {
      #expect(FidoResult(code: row.code).name == row.name)
    }
  }

  @Test func `a result number that the server chose itself is kept, and shown in the text`() {
    let result = FidoResult(code: 12_345)
    #expect(result.code == 12_345 && result.isServers && result.name == "SERVER_12345")
    #expect(result.text(in: .english).contains("12345") && result.text(in: .korean).contains("12345"))
  }

  @Test func `a number that is not in the table refuses the login`() {
    for code: UInt32 in [1, 11, 1003, 3009, 6999, 9998, 10_000, .max] {
      for context in PAMContext.everyOne { #expect(FidoResult(code: code).pamCode(context) == .authenticationError) }
    }
    #expect(!FidoResult(code: 9998).isServers && FidoResult(code: 10_000).isServers)
  }

  @Test(arguments: Language.allCases) func `every result has a text in each language`(_ language: Language) {
    for result in FidoResult.allListed {
      #expect(!result.text(in: language).isEmpty)
      #expect(!result.text(in: language).contains(String(result.code)), "\(result) has no text of its own")
      #expect(result.nextStep(in: language) != "")
    }
  }

  @Test func `a result has advice in both languages or in neither`() {
    for result in FidoResult.allListed {
      #expect((result.nextStep(in: .english) == nil) == (result.nextStep(in: .korean) == nil), "\(result)")
    }
  }

  @Test func `in each language no two results have the same text`() {
    for language in Language.allCases {
      #expect(Set(FidoResult.allListed.map { $0.text(in: language) }).count == FidoResult.allListed.count)
    }
  }

  @Test func `the description of a result has its name and its number`() {
    #expect("\(FidoResult.notRegistered)" == "ERROR_NOT_REG_USER (1009)")
  }

  @Test func `each UAF status code gives the result that the table names`() {
    let expected: [Int: UInt32] = [
      1200: 0, 1202: 9000, 1400: 1001, 1401: 13_006, 1403: 9000, 1404: 13_006, 1408: 4001, 1480: 13_006, 1481: 13_006,
      1490: 1002, 1491: 1100, 1492: 2002, 1497: 1007, 1498: 1001, 1500: 9000,
    ]
    for status in 0...2000 { #expect(FidoResult(uafStatus: status).code == expected[status] ?? 9999, "\(status)") }
    for status in [Int.min, -1, Int.max] { #expect(FidoResult(uafStatus: status) == .unknown) }
  }

  @Test func `deregistering something that is not registered has a result of its own`() {
    for status in 0...2000 {
      let usual = FidoResult(uafStatus: status)
      let expected = usual == .serverNoRegistration ? .serverDeregistrationUnknown : usual
      #expect(FidoResult(uafStatus: status, deregistering: true) == expected)
    }
  }

  @Test func `each error code of the UAF client gives the result that the table names`() {
    let expected: [Int: UInt32] = [
      0: 0, 2: 1002, 3: 999, 4: 2003, 5: 2002, 6: 1005, 7: 2001, 9: 1009, 0x0c: 3012, 0x10: 3013, 0x11: 3007,
    ]
    for code in -1...300 { #expect(FidoResult(clientErrorCode: code).code == expected[code] ?? 9999, "\(code)") }
  }
}
