import Testing

@testable import Authenticator
import AuthenticatorTypes

@Suite struct LastAnswerTests {
  private let terms = [UInt8](repeating: 1, count: 32)

  private func at(_ seconds: Int64, boot: UInt8 = 1, wall: Int64? = nil) -> BootTime {
    BootTime(bootID: [boot], nanoseconds: seconds * 1_000_000_000, wallSeconds: wall ?? 1_000_000 + seconds)
  }

  /// A success that the server gave at second 100, for the passcode.
  private func yes(_ types: [AuthenticatorType] = [.passcode]) -> LastAnswer {
    var answer = LastAnswer()
    answer.note(LastAnswer.Yes(asked: at(100), types: types, terms: terms), since: 0)
    return answer
  }

  private func judge(
    _ answer: inout LastAnswer, at now: BootTime, opened: [AuthenticatorType] = [.passcode], terms: [UInt8]? = nil
  ) -> OfflineJudgement {
    answer.judge(at: now, maximumAge: .seconds(60), opened: opened, terms: terms ?? self.terms)
  }

  @Test func `the server's last success is valid until its maximum age`() {
    for (seconds, judgement) in [
      (100, .holds(age: .zero)), (159, .holds(age: .seconds(59))), (160, .refused(.tooOld)),
    ] as [(Int64, OfflineJudgement)] {
      var answer = yes()
      #expect(judge(&answer, at: at(seconds)) == judgement)
    }
  }

  @Test func `without a success of the server, or after a refusal, no offline login is possible`() {
    var none = LastAnswer()
    #expect(judge(&none, at: at(100)) == .refused(.noYes))
    var refused = yes()
    refused.noteRefusal(at: at(101))
    #expect(judge(&refused, at: at(101)) == .refused(.noYes))
  }

  @Test func `refuses an offline login after a reboot, whatever the clocks say`() {
    for now in [at(100, boot: 2), at(1, boot: 2, wall: 1_000_101)] {
      var answer = yes()
      #expect(judge(&answer, at: now) == .refused(.otherBoot))
    }
  }

  @Test func `refuses an offline login if the boot clock shows a time before the server's success`() {
    var answer = yes()
    #expect(judge(&answer, at: at(99, wall: 1_000_100)) == .refused(.clockSetBack))
    var extreme = yes()
    #expect(judge(&extreme, at: BootTime(bootID: [1], nanoseconds: .min, wallSeconds: .max)) == .refused(.clockSetBack))
  }

  @Test func `refuses an offline login if the wall clock shows a time before the success or before the last check`() {
    var answer = yes()
    #expect(judge(&answer, at: at(110, wall: 1_000_099)) == .refused(.clockSetBack))
    var looked = yes()
    #expect(judge(&looked, at: at(130)) == .holds(age: .seconds(30)))
    #expect(judge(&looked, at: at(131, wall: 1_000_129)) == .refused(.clockSetBack))
    #expect(judge(&looked, at: at(132, wall: 1_000_130)) == .holds(age: .seconds(32)))
  }

  @Test
  func `refuses an offline login if the wall clock is past the maximum age, and remembers the clock's latest time`() {
    var answer = yes()
    #expect(judge(&answer, at: at(110, wall: 1_000_160)) == .refused(.tooOld))
    #expect(judge(&answer, at: at(111)) == .refused(.clockSetBack))
  }

  @Test func `remembers the latest time of the wall clock across a refusal and a next success`() {
    var answer = yes()
    answer.noteRefusal(at: at(110, wall: 2_000_000))
    answer.note(LastAnswer.Yes(asked: at(120), types: [.passcode], terms: terms), since: 1)
    #expect(judge(&answer, at: at(121)) == .refused(.clockSetBack))
  }

  @Test
  func `refuses an offline login if addresses, keys or authenticators differ from those of the server's success`() {
    var answer = yes()
    #expect(judge(&answer, at: at(101), terms: [UInt8](repeating: 2, count: 32)) == .refused(.otherTerms))
    #expect(judge(&answer, at: at(101), opened: [.pattern]) == .refused(.otherAuthenticator))
    #expect(judge(&answer, at: at(101), opened: []) == .refused(.otherAuthenticator))
    #expect(judge(&answer, at: at(101), opened: [.pattern, .passcode]) == .holds(age: .seconds(1)))
    var both = yes([.passcode, .pattern])
    #expect(judge(&both, at: at(101)) == .refused(.otherAuthenticator))
    var nothing = yes([])
    #expect(judge(&nothing, at: at(101)) == .refused(.otherAuthenticator))
  }

  @Test func `does not store a success whose request was sent before a later refusal`() {
    var answer = LastAnswer()
    answer.noteRefusal(at: at(101))
    answer.note(LastAnswer.Yes(asked: at(100), types: [.passcode], terms: terms), since: 0)
    #expect(judge(&answer, at: at(102)) == .refused(.noYes))
  }

  @Test func `the record of the server's last answer has a fixed size, and reads back what was stored`() throws {
    var refused = yes()
    refused.noteRefusal(at: at(101))
    var longest = yes([.passcode, .pattern])
    longest.yes?.asked.bootID = [UInt8](repeating: 7, count: 64)
    for answer in [LastAnswer(), yes(), refused, longest] {
      #expect(answer.record.count == LastAnswer.recordSize)
      #expect(try LastAnswer(record: answer.record) == answer)
    }
  }

  @Test func `refuses a record of the server's last answer that was cut, extended or changed`() {
    let record = yes().record
    #expect(throws: StateError.damaged) { try LastAnswer(record: Array(record.dropLast())) }
    #expect(throws: StateError.damaged) { try LastAnswer(record: record + [0]) }
    for (place, byte) in [(0, 2), (17, 2), (record.count - 1, 1)] as [(Int, UInt8)] {
      var bent = record
      bent[place] = byte
      #expect(throws: StateError.damaged) { try LastAnswer(record: bent) }
    }
  }
}
