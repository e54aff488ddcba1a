import FidoResults
import Testing

@testable import UAFHelper

/// The rules for the order of a login.
///
/// Each row has a sequence of events and the action that follows.
@Suite struct LoginMachineTests {
  struct Row: CustomTestStringConvertible {
    let rule: String
    var rules = LoginRules()
    let events: [LoginEvent]
    let action: LoginAction

    init(_ rule: String, under rules: LoginRules = LoginRules(), _ events: [LoginEvent], _ action: LoginAction) {
      (self.rule, self.rules, self.events, self.action) = (rule, rules, events, action)
    }

    var testDescription: String { rule }
  }

  // MARK: Parts of rows

  private static let asked: [LoginEvent] = [.began, .questionSent]
  private static let here = LoginEvent.request(challenge: "c", hasText: false)
  private static let withText = LoginEvent.request(challenge: "c", hasText: true)
  private static let young = LoginEvent.age(isOld: false)
  private static let proved: [LoginEvent] = asked + [.verified, young]
  private static let received: [LoginEvent] = proved + [here]
  private static let signing: [LoginEvent] = received + [.wayOpen(signatures: 1), young, .frontEndThere]
  private static let sent: [LoginEvent] = signing + [.signed, .frontEndThere]
  private static let refused: [LoginEvent] = sent + [.refused(.no), .frontEndThere]
  private static let overtaken: [LoginEvent] = [.judged(.overtaken)]
  private static let overtakenThrice: [LoginEvent] = refused + overtaken + again + overtaken + again + overtaken
  private static let fourFurther: [LoginEvent] = sent + further + further + further + further
  private static let approval = LoginRules(isApproval: true)
  private static let divided = LoginRules(isDivided: true)
  private static let dividedHidden = LoginRules(isDivided: true, hidesState: true)
  private static let texts = LoginRules(takesServersText: true)
  private static let offline = LoginRules(allowsOffline: true)
  /// A login that starts again after the server has refused the challenge.
  private static let again: [LoginEvent] = [
    .questionSent, young, here, .wayOpen(signatures: 1), young, .frontEndThere, .signed, .frontEndThere,
    .refused(.no), .frontEndThere,
  ]
  /// A further request, which is signed like the first.
  private static let further: [LoginEvent] = [
    .furtherRequest, here, .wayOpen(signatures: 1), .frontEndThere, .signed, .frontEndThere,
  ]

  private static func end(
    _ outcome: LoginEnd.Outcome, asked: Bool = false, proved: Bool = false, reached: Bool = false,
    request: Bool = false, refused: Bool = false
  ) -> LoginAction {
    .finish(
      LoginEnd(
        outcome: outcome,
        standing: LoginStanding(
          wasAsked: asked, hasProved: proved, isReached: reached, hasRequest: request, isRefused: refused)))
  }

  // MARK: Rows

  private static let order: [Row] = [
    Row("the request is asked for before anybody is asked", [.began], .sendQuestion(isFirst: true)),
    Row("the value is asked for while the request travels", asked, .openFirst),
    Row("who has to choose is asked once the request is there", asked + [.leftToChoose, young], .receiveRequest),
    Row("a request is answered after the value", received, .openWay),
    Row(
      "each signature is made for a front end that is there", received + [.wayOpen(signatures: 1), young],
      .checkFrontEnd),
    Row("nothing is signed before that", signing, .sign),
    Row("the answer is sent for a front end that is there", signing + [.signed], .checkFrontEnd),
    Row("what is signed is sent", sent, .sendAnswer),
    Row("a yes is checked", sent + [.accepted(challenge: "c")], .believe),
    Row(
      "a yes that is believed is the end", sent + [.accepted(challenge: "c"), .believed],
      end(.accepted, asked: true, proved: true, reached: true, request: true)),
    Row(
      "two authenticators sign one after the other", under: LoginRules(authenticators: 2),
      received + [.wayOpen(signatures: 2), young, .frontEndThere, .signed, .frontEndThere], .sign),
  ]

  private static let beforeTheValue: [Row] = [
    Row("the text of an approval is waited for", under: approval, asked, .receiveRequest),
    Row("it is shown before the value is asked for", under: approval, asked + [withText], .takeText),
    Row("then the value is asked for", under: approval, asked + [withText, .textTaken], .openFirst),
    Row(
      "without the text of an approval nobody is asked", under: approval, asked + [here],
      end(.outOfTurn, reached: true, request: true)),
    Row(
      "a refusal in place of that text is told at once", under: approval, asked + [.refused(.no)],
      end(.refused, reached: true, refused: true)),
    Row("where root takes the server's texts, the request is waited for", under: texts, asked, .receiveRequest),
    Row("such a text is shown before the value is asked for", under: texts, asked + [withText], .takeText),
    Row("without one, the value is asked for", under: texts, asked + [here], .openFirst),
    Row(
      "a refusal in place of it is kept until the value was entered", under: texts, asked + [.refused(.no)], .openFirst),
    Row("elsewhere a text of the server's is not shown", asked + [.leftToChoose, young, withText], .openWay),
    Row("a divided login has the request before it pauses", under: divided, asked, .receiveRequest),
    Row("it pauses then", under: divided, asked + [here], .awaitResume),
    Row(
      "without one it ends before anybody is asked", under: divided, asked + [.refused(.no)],
      end(.noRequest, reached: true, refused: true)),
    Row(
      "also where the server is silent", under: divided, asked + [.refused(.silence)], end(.noRequest)),
    Row("and where the question could not be sent", under: divided, [.began, .refused(.local)], end(.noRequest)),
    Row(
      "the server's last success may stand for the request", under: LoginRules(isDivided: true, allowsOffline: true),
      asked + [.refused(.silence)], .awaitResume),
    Row(
      "which a refusal does not", under: LoginRules(isDivided: true, allowsOffline: true), asked + [.refused(.no)],
      end(.noRequest, reached: true, refused: true)),
    Row(
      "where states are hidden, a refusal is not told by the end either", under: dividedHidden,
      asked + [.refused(.no)], .awaitResume),
    Row("a silent server is", under: dividedHidden, asked + [.refused(.silence)], end(.noRequest)),
    Row("it asks once it goes on", under: divided, asked + [here, .resumed], .openFirst),
    Row(
      "a refusal is told to who has entered the value", under: dividedHidden,
      asked + [.refused(.no), .resumed, .verified, young],
      .checkFrontEnd),
    Row(
      "a kept refusal is judged after the value", under: dividedHidden,
      asked + [.refused(.no), .resumed, .verified, young, .frontEndThere], .judgeRefusal),
    Row(
      "who has entered nothing enters a value before the refusal",
      asked + [.leftToChoose, young, .refused(.no), .frontEndThere], .openAny),
    Row(
      "the refusal comes then",
      asked + [.leftToChoose, young, .refused(.no), .frontEndThere, .verified], .judgeRefusal),
  ]

  private static let secondAttempts: [Row] = [
    Row("an old request is read and dropped", asked + [.verified, .age(isOld: true)], .dropAnswer),
    Row(
      "it is asked for anew", asked + [.verified, .age(isOld: true), .dropped(isReached: true)],
      .sendQuestion(isFirst: false)),
    Row(
      "its age counts once", asked + [.verified, .age(isOld: true), .dropped(isReached: true), .questionSent],
      .receiveRequest),
    Row(
      "a request that grew old with another prompt is asked for anew",
      received + [.wayOpen(signatures: 1), .age(isOld: true)], .sendQuestion(isFirst: false)),
    Row(
      "the request of an approval does not grow old", under: approval, asked + [withText, .textTaken, .verified],
      .openWay),
    Row(
      "a challenge that the server knows no more is replaced", refused + [.judged(.expired)],
      .sendQuestion(isFirst: false)),
    Row(
      "once", refused + [.judged(.expired)] + again + [.judged(.expired)],
      end(.refused, asked: true, proved: true, reached: true, request: true, refused: true)),
    Row(
      "but not that of an approval", under: approval,
      asked + [withText, .textTaken, .verified, .wayOpen(signatures: 1), .frontEndThere, .signed, .frontEndThere]
        + [.refused(.no), .frontEndThere, .judged(.expired)],
      end(.refused, asked: true, proved: true, reached: true, request: true, refused: true)),
    Row(
      "a login that others overtook is sent three times more",
      overtakenThrice,
      .sendQuestion(isFirst: false)),
    Row(
      "and no more",
      overtakenThrice + again + overtaken,
      end(.refused, asked: true, proved: true, reached: true, request: true, refused: true)),
    Row(
      "a login that was overtaken replaces no challenge", refused + [.judged(.overtaken)] + again + [.judged(.expired)],
      end(.refused, asked: true, proved: true, reached: true, request: true, refused: true)),
    Row(
      "an older state is not tried again", refused + [.judged(.stateIsOlder)],
      end(.stateIsOlder, asked: true, proved: true, reached: true, request: true, refused: true)),
    Row("a further request is read", sent + [.furtherRequest], .receiveRequest),
    Row(
      "it is signed without a look at its age", sent + [.furtherRequest, here, .wayOpen(signatures: 1)], .checkFrontEnd),
    Row("four of them are answered", fourFurther, .sendAnswer),
    Row(
      "a fifth is the end", fourFurther + [.furtherRequest],
      end(.outOfTurn, asked: true, proved: true, reached: true, request: true)),
  ]

  private static let ends: [Row] = [
    Row("a wrong or locked or cancelled entry is the end", asked + [.stopped], end(.stopped, asked: true)),
    Row(
      "a pause that is cancelled is the end, and nobody was asked", under: divided, asked + [here, .stopped],
      end(.stopped, reached: true, request: true)),
    Row(
      "a yes that is not believed is the end", sent + [.accepted(challenge: "c"), .stopped],
      end(.stopped, asked: true, proved: true, reached: true, request: true)),
    Row(
      "a yes to another challenge is none", sent + [.accepted(challenge: "d")],
      end(.outOfTurn, asked: true, proved: true, reached: true, request: true)),
    Row(
      "a yes to a challenge of before is none",
      sent + [.furtherRequest, .request(challenge: "d", hasText: false)]
        + [.wayOpen(signatures: 1), .frontEndThere, .signed, .frontEndThere, .accepted(challenge: "c")],
      end(.outOfTurn, asked: true, proved: true, reached: true, request: true)),
    Row(
      "a yes without an answer is none", received + [.accepted(challenge: "c")],
      end(.outOfTurn, asked: true, proved: true, reached: true, request: true)),
    Row(
      "nothing is signed for a front end that is gone", received + [.wayOpen(signatures: 1), young, .frontEndGone],
      end(.frontEndGone, asked: true, proved: true, reached: true, request: true)),
    Row(
      "nothing is sent for one", signing + [.signed, .frontEndGone],
      end(.frontEndGone, asked: true, proved: true, reached: true, request: true)),
    Row(
      "an answer that nobody waits for is said to be unused", sent + [.refused(.no), .frontEndGone],
      end(.answerUnused, asked: true, proved: true, reached: true, request: true)),
    Row(
      "a way without an authenticator is none", received + [.wayOpen(signatures: 0)],
      end(.outOfTurn, asked: true, proved: true, reached: true, request: true)),
    Row(
      "a way with more authenticators than the account has is none", received + [.wayOpen(signatures: 2)],
      end(.outOfTurn, asked: true, proved: true, reached: true, request: true)),
    Row("a question that cannot be sent is the end", [.began, .refused(.local)], end(.refused)),
    Row("a login begins with its beginning", [.stopped], end(.outOfTurn)),
    Row(
      "who chooses so registers anew", asked + [.leftToChoose, young, here, .registerAnewChosen], .registerAnew),
    Row(
      "which is not a login", asked + [.leftToChoose, young, here, .registerAnewChosen, .verified],
      end(.outOfTurn, asked: true, reached: true, request: true)),
    Row("nothing begins again after the end", [.began, .refused(.local), .began], end(.outOfTurn)),
  ]

  private static let withoutServer: [Row] = [
    Row(
      "a silent server is told to who has proved something",
      proved + [.refused(.silence), .frontEndThere, .judged(.final)],
      end(.refused, asked: true, proved: true)),
    Row(
      "where root allows it, the last yes may do", under: offline,
      proved + [.refused(.silence), .frontEndThere, .judged(.final)], .judgeLastYes),
    Row(
      "a last yes that holds is a success", under: offline,
      proved + [.refused(.silence), .frontEndThere, .judged(.final), .lastYesHolds],
      end(.acceptedOffline, asked: true, proved: true)),
    Row(
      "one that does not hold is none", under: offline,
      proved + [.refused(.silence), .frontEndThere, .judged(.final), .stopped],
      end(.stopped, asked: true, proved: true)),
    Row(
      "a server that was reached is not away", under: offline,
      proved + [.refused(.brokenOff), .frontEndThere, .judged(.final)],
      end(.refused, asked: true, proved: true, reached: true)),
    Row(
      "nor is one that was reached before", under: offline,
      sent + [.refused(.silence), .frontEndThere, .judged(.final)],
      end(.refused, asked: true, proved: true, reached: true, request: true)),
    Row(
      "nor is one whose old answer was dropped", under: offline,
      asked + [.verified, .age(isOld: true), .dropped(isReached: true), .questionSent]
        + [.refused(.silence), .frontEndThere, .judged(.final)],
      end(.refused, asked: true, proved: true, reached: true)),
    Row(
      "a fault of this machine is not the server's absence", under: offline,
      proved + [.refused(.local), .frontEndThere, .judged(.final)], end(.refused, asked: true, proved: true)),
    Row(
      "an approval needs the server", under: LoginRules(isApproval: true, allowsOffline: true),
      asked + [.refused(.silence)],
      end(.refused)),
  ]

  @Test(arguments: order + beforeTheValue + secondAttempts + ends + withoutServer)
  func `each sequence of events in a login leads to the action that its row names`(_ row: Row) {
    var machine = LoginMachine(row.rules)
    var action: LoginAction?
    for event in row.events { action = machine.received(event) }
    #expect(action == row.action)
  }

  @Test(arguments: [
    (FidoResult.wrongValue, false), (.userCancel, false), (.applicationCancel, false), (.noAnswer, false),
    (.cannotUse, true), (.noSuitableAuthenticator, true),
  ])
  func `a failed request counts as a refusal of the server, unless the person or the machine ended it`(
    _ result: FidoResult, _ isNo: Bool
  ) {
    #expect(LoginStanding(hasRequest: true).isServersNo(result) == isNo)
    #expect(!LoginStanding().isServersNo(result) && LoginStanding(isRefused: true).isServersNo(result))
  }
}
