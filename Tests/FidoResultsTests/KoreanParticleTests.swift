import Testing

@testable import FidoResults

@Suite struct KoreanParticleTests {
  @Test(arguments: [
    ("root", "는", "로"), ("mina", "는", "로"), ("alice", "는", "로"), ("bob", "은", "으로"), ("sudo", "는", "로"),
    ("sshd", "는", "로"),
    ("polkit", "은", "으로"), ("login", "은", "으로"), ("lightdm", "은", "으로"), ("URL", "은", "로"), ("PAM", "은", "으로"),
    ("pam_uaf.conf", "는", "로"), ("/etc/pam.d/", "는", "로"), ("/srv/code.txt", "는", "로"), ("desktop-file", "은", "로"),
    ("username", "은", "으로"), ("패스코드", "는", "로"), ("패턴", "은", "으로"), ("길", "은", "로"), ("'이름'", "은", "으로"),
    ("[lock]", "은", "으로"),
    ("0", "은", "으로"), ("1", "은", "로"), ("2", "는", "로"), ("3", "은", "으로"), ("4", "는", "로"), ("5", "는", "로"),
    ("6", "은", "으로"),
    ("7", "은", "로"), ("8", "은", "로"), ("9", "는", "로"), ("10", "은", "으로"), ("404", "는", "로"), ("7011", "은", "로"),
  ]) func `a Korean particle has the form that fits the pronunciation of the word before it`(
    word: String, topic: String, means: String
  ) {
    #expect(KoreanParticles.resolved("\(word)은(는) 있고 \(word)(으)로 한다.") == "\(word)\(topic) 있고 \(word)\(means) 한다.")
    let isVowel = topic == "는"
    #expect(KoreanParticles.resolved("\(word)이(가)") == word + (isVowel ? "가" : "이"))
    #expect(KoreanParticles.resolved("\(word)을(를)") == word + (isVowel ? "를" : "을"))
    #expect(KoreanParticles.resolved("\(word)와(과)") == word + (isVowel ? "와" : "과"))
    #expect(KoreanParticles.resolved("\(word)(이)라고") == word + (isVowel ? "라고" : "이라고"))
  }

  @Test(arguments: ["", "은(는)", "日本은(는)", "코드(한 줄)", "a (으)로 b", "(이)", "passcode (5541#0001): ready"])
  func `keeps both forms of a particle after a word that it cannot read, and changes no other text`(text: String) {
    #expect(KoreanParticles.resolved(text) == text)
  }
}
