import Wording

/// What doctor says about single lines of stacks, and about names of one program; `file` is the service's file.
enum PAMLineText: FindingCatalogue {
  case nouserok(file: String)
  case noPasswordLine(file: String)
  case accountAlone(file: String)
  case include(file: String, service: String, stack: String)
  case unusedStack(file: String, service: String, stack: String)
  case twoReadings(file: String, line: Int)
  case carriageReturn(file: String, line: Int)
  case otherName(file: String, service: String, asking: String)
  case openOthers([String])
  case profile

  var english: FindingText {
    switch self {
    case .nouserok(let file):
      FindingText(
        "pam: \(file): nouserok is set: whoever never registered is not asked for a passcode",
        do: "take it out once everybody has one")
    case .noPasswordLine(let file):
      FindingText(
        "pam: \(file): an account line without a password line: whose passcode is stale is asked for a new password instead",
        do: "take both lines or none: a stack of pam.d/")
    case .accountAlone(let file):
      FindingText(
        "pam: \(file): no account line but pam_uaf's, which lets nobody in by itself: uaf-rescue is refused, too",
        do: "write '@include common-account', or whatever 'other' has for account, into it")
    case .include(let file, let service, let stack):
      FindingText(
        "pam: \(file): includes \(stack), which is not there: everybody is refused", do: "uafctl pam disable \(service)"
      )
    case .unusedStack(let file, let service, let stack):
      FindingText(
        "pam: \(file): does not include \(stack), which was made for it, and asks without it",
        do: "uafctl pam enable \(service), or uafctl pam disable \(service)")
    case .twoReadings(let file, let line):
      FindingText(
        "pam: \(file):\(line): libpam 1.5 reads this line in another way than libpam 1.6 and newer: who gets in cannot be told",
        do: "write lines of plain text, at most 1,000 bytes each, and none with '\\' at its end")
    case .carriageReturn(let file, let line):
      FindingText(
        "pam: \(file):\(line): the line ends with a carriage return (CRLF), which libpam takes for part of its last word",
        do: "sed -i 's/\\r$//' \(file)")
    case .otherName(let file, let service, let asking):
      FindingText(
        "pam: \(file): asks without the passcode, and is the same program as \(asking)",
        do: "uafctl pam enable \(service)")
    case .openOthers(let names): FindingText("pam: without the passcode ask: \(names.joined(separator: ", "))")
    case .profile:
      FindingText(
        "pam: pam-auth-update's profile is on: the passcode decides in every service; the password lets in whoever never "
          + "registered",
        do: "pam-auth-update to take it out, and uafctl pam enable SERVICE, where that is too much")
    }
  }

  var korean: FindingText {
    switch self {
    case .nouserok(let file):
      FindingText(
        "pam: \(file): nouserok이 있어, 등록한 적이 없는 사람에게는 패스코드를 묻지 않습니다",
        do: "모두 등록한 뒤에 지우십시오")
    case .noPasswordLine(let file):
      FindingText(
        "pam: \(file): account 줄만 있고 password 줄이 없습니다. 패스코드를 바꿔야 하는 사람에게 새 비밀번호를 묻게 됩니다",
        do: "pam.d/의 스택처럼 두 줄을 모두 쓰거나 모두 지우십시오")
    case .accountAlone(let file):
      FindingText(
        "pam: \(file): account 줄이 pam_uaf의 것뿐이며, 그것만으로는 uaf-rescue를 포함해 아무도 들어올 수 없습니다",
        do: "'@include common-account'나 'other'의 account 줄을 넣으십시오")
    case .include(let file, let service, let stack):
      FindingText(
        "pam: \(file): 없는 파일 \(stack)을(를) 포함하므로 모두 거부됩니다", do: "uafctl pam disable \(service)")
    case .unusedStack(let file, let service, let stack):
      FindingText(
        "pam: \(file): 이 서비스용으로 만든 \(stack)을(를) 포함하지 않으므로 패스코드를 묻지 않습니다",
        do: "uafctl pam enable \(service) 또는 uafctl pam disable \(service)")
    case .twoReadings(let file, let line):
      FindingText(
        "pam: \(file):\(line): libpam 1.5와 1.6 이후 버전이 다르게 읽는 줄이어서, 누구를 들이는지 알 수 없습니다",
        do: "각 줄을 1,000바이트 이하의 일반 텍스트로 쓰고, 줄 끝에 '\\'를 쓰지 마십시오")
    case .carriageReturn(let file, let line):
      FindingText(
        "pam: \(file):\(line): 줄이 캐리지 리턴(CRLF)으로 끝나며, libpam은 이를 마지막 단어의 일부로 읽습니다",
        do: "sed -i 's/\\r$//' \(file)")
    case .otherName(let file, let service, let asking):
      FindingText(
        "pam: \(file): \(asking)와(과) 같은 프로그램이지만 패스코드를 묻지 않습니다", do: "uafctl pam enable \(service)")
    case .openOthers(let names): FindingText("pam: 패스코드를 묻지 않는 서비스: \(names.joined(separator: ", "))")
    case .profile:
      FindingText(
        "pam: pam-auth-update의 프로필이 켜져 있어 모든 서비스에서 패스코드가 결정합니다. 등록한 적이 없는 사람은 비밀번호로 "
          + "들어옵니다", do: "지나치다면 pam-auth-update로 끄고 uafctl pam enable SERVICE를 쓰십시오")
    }
  }
}
