import UAFAdministration
import UAFMessages
import UAFService

/// What rows of the audit, actors and models are called on pages.
///
/// The audit itself, the API and the commands have the short names, which never change.
extension PageLanguage {
  /// What happened, in words; the name itself for a kind of a newer server.
  func text(_ kind: AuditKind) -> String {
    guard let words = AuditWords.kinds[kind] else { return kind.rawValue }
    return self == .korean ? words.korean : words.english
  }

  /// How it ended: done, or why it was refused.
  func outcome(_ outcome: String) -> String {
    guard outcome != AuditEntry.done else { return text(.outcomeDone) }
    guard let words = AuditWords.outcomes[outcome] else {
      return self == .korean ? outcome : outcome.replacing("-", with: " ")
    }
    return self == .korean ? words.korean : words.english
  }

  /// Who did it.
  func actor(_ text: String) -> String {
    switch AuditActor(text: text) {
    case .person: self.text(.actorPerson)
    case .server: self.text(.actorServer)
    case .machine: self.text(.machine)
    case .token(let name): self.text(.actorToken, name)
    case .administrator(let name): self.text(.actorAdministrator, name)
    case .directory(let name): self.text(.actorDirectory, name)
    case .commandLine(let uid, let login):
      login.map { self.text(.actorCommandLogin, String(uid), String($0)) } ?? self.text(.actorCommand, String(uid))
    case nil: text
    }
  }

  /// What an authenticator of a row is called: the name of the model, or the text itself for a model without a name.
  func usedAuthenticator(_ text: String) -> String {
    if text == "passkey" { return self.text(.modelPasskey) }
    return (try? AAID(text)).flatMap(model) ?? text
  }

  /// The name of one of this project's models; nil for any other model.
  func model(_ aaid: AAID) -> String? {
    ModelAdministration.type(of: aaid).map(authenticator)
  }

  /// The word for a type of authenticators, by the name with which machines report it.
  func authenticator(_ type: String) -> String {
    switch type {
    case "passcode": text(.modelPasscode)
    case "pattern": text(.modelPattern)
    case "fingerprint": text(.modelFingerprint)
    case "face": text(.modelFace)
    default: type
    }
  }

  /// The word for those whose attempts a machine has locked out or counted.
  func text(_ origin: ReportedLock.Origin) -> String {
    switch origin {
    case .local: text(.originLocal)
    case .remote: text(.originRemote)
    case .otherUser: text(.originOtherUser)
    }
  }
}

extension PageCall {
  func actor(_ text: String) -> String { language.actor(text) }

  /// A model in a cell: its name with the AAID below, or only the AAID.
  func model(_ aaid: AAID) -> PageCell {
    language.model(aaid).map { PageCell($0, note: aaid.text) } ?? PageCell(aaid.text)
  }
}

enum AuditWords {
  typealias Words = (english: String, korean: String)

  static let kinds: [AuditKind: Words] = [
    .login: ("Login", "로그인"),
    .confirmation: ("Text confirmed", "글 확인"),
    .denial: ("Text denied", "글 거부"),
    .registration: ("Key registered", "키 등록"),
    .deregistration: ("Key removed by the person", "사용자가 키 삭제"),
    .refusals: ("Refusals, counted together", "거부 횟수 합계"),
    .enrolmentCode: ("Enrolment code issued", "등록 코드 발급"),
    .enrolmentClosure: ("Enrolment code closed", "등록 코드 닫음"),
    .approvalCode: ("Text sent for confirmation", "글 확인 요청"),
    .approvalClosure: ("Text closed", "글 닫음"),
    .accountCreation: ("Account added", "계정 추가"),
    .accountDeletion: ("Account deleted", "계정 삭제"),
    .accountChange: ("Person's data changed", "사용자 정보 변경"),
    .groupCreation: ("Group of people added", "사용자 그룹 추가"),
    .groupChange: ("Group of people changed", "사용자 그룹 변경"),
    .groupRemoval: ("Group of people removed", "사용자 그룹 삭제"),
    .groupMapping: ("Group of people mapped", "사용자 그룹 연결"),
    .groupMappingRemoval: ("Mapping of a group removed", "사용자 그룹 연결 해제"),
    .revocation: ("Keys revoked", "키 폐기"),
    .accountDisabled: ("Account disabled", "계정 비활성화"),
    .accountLocked: ("Account locked", "계정 잠금"),
    .accountEnabled: ("Account enabled", "계정 활성화"),
    .unlock: ("Unlock issued", "잠금 해제 코드 발급"),
    .joinCode: ("Join code issued", "가입 코드 발급"),
    .joinCodeClosure: ("Join code closed", "가입 코드 닫음"),
    .machineJoin: ("Machine joined", "기기 가입"),
    .directorySync: ("People taken from a directory", "디렉터리에서 사용자 가져옴"),
    .machineLeave: ("Machine left", "기기 탈퇴"),
    .machineCheckIn: ("Machine reported a change", "기기 변경 보고"),
    .machineCopied: ("Copy of a machine found", "기기 복제 발견"),
    .machineLock: ("Lock on a machine reported", "기기의 잠금 보고"),
    .machineWrongValues: ("Wrong values in a row reported", "잇따른 틀린 값 보고"),
    .offlineLogin: ("Login without the server", "서버 없는 로그인"),
    .machinePolicy: ("Workstation policy saved", "워크스테이션 정책 저장"),
    .tokenCreation: ("API token made", "API 토큰 만듦"),
    .tokenRevocation: ("API token revoked", "API 토큰 폐기"),
    .administratorChange: ("Role given", "관리자 역할 지정"),
    .administratorRemoval: ("Role taken", "관리자 역할 제거"),
    .consoleSignIn: ("Signed in to the console", "콘솔 로그인"),
    .consoleSignOut: ("Signed out of the console", "콘솔 로그아웃"),
    .serverStart: ("Server started", "서버 시작"),
    .serverStop: ("Server stopped", "서버 종료"),
    .keysRead: ("Server keys read", "서버 키 읽음"),
    .policy: ("Policy saved", "정책 저장"),
    .keyRotation: ("Server key rotated", "서버 키 교체"),
    .decoysReplaced: ("Decoys replaced", "위장 키 교체"),
    .backup: ("Backup made", "백업"),
    .storeExport: ("Store exported", "저장소 내보내기"),
    .storeImport: ("Store imported", "저장소 가져오기"),
    .storeMove: ("Store moved", "저장소 이전"),
    .moveAbandoned: ("Move of the store abandoned", "저장소 이전 취소"),
    .restore: ("Backup restored", "백업 복원"),
    .export: ("Audit exported", "감사 기록 내보내기"),
    .removal: ("Audit rows removed", "감사 기록 삭제"),
    .broken: ("Audit rows missing or changed", "감사 기록 누락 또는 변조"),
    .unsigned: ("Audit unsigned for a time", "감사 기록 서명 중단"),
  ]

  /// The refusals that people ask about; the others are shown with their short names.
  static let outcomes: [String: Words] = Dictionary(
    [
      (.accountDisabled, ("account disabled", "계정 비활성화됨")),
      (.accountLocked, ("account locked", "계정 잠김")),
      (.wrongEnrolmentCode, ("wrong enrolment code", "틀린 등록 코드")),
      (.enrolmentCodeUsed, ("enrolment code used already", "이미 사용된 등록 코드")),
      (.wrongApprovalCode, ("wrong code", "틀린 코드")),
      (.approvalCodeUsed, ("code used already", "이미 사용된 코드")),
      (.tooManyKeys, ("too many keys", "키가 너무 많음")),
      (.wrongJoinCode, ("wrong join code", "틀린 가입 코드")),
      (.joinCodeExpired, ("join code has ended", "기간이 끝난 가입 코드")),
      (.joinCodeUsedUp, ("join code used up", "모두 사용된 가입 코드")),
      (.machineRevoked, ("machine revoked", "폐기된 기기")),
      (.machineNotProved, ("machine not proved", "확인되지 않은 기기")),
      (.expiredChallenge, ("answered too late", "응답이 늦음")),
      (.unknownChallenge, ("unknown request", "알 수 없는 요청")),
      (.unknownKeyID, ("unknown key", "알 수 없는 키")),
      (.revokedKey, ("key revoked", "폐기된 키")),
      (.notInPolicy, ("not allowed by the policy", "정책에서 허용하지 않음")),
      (.outdatedAuthenticator, ("authenticator too old", "오래된 인증자")),
      (.invalidSignature, ("wrong signature", "틀린 서명")),
      (.counterNotIncreased, ("counter went back: perhaps a copied key", "계수기가 되돌아감: 복제된 키일 수 있음")),
      (.wrongTransaction, ("another text was signed", "다른 글에 서명함")),
      (.lastAdministrator, ("last administrator", "마지막 관리자")),
      (.userNotVerified, ("person not verified", "본인 확인 없음")),
      (.passkeysNotAccepted, ("passkeys not accepted", "패스키 허용 안 함")),
      (.internalError, ("fault of the server", "서버 오류")),
    ].map { (refusal: ServiceRefusal, words: Words) in (refusal.rawValue, words) }
  ) { first, _ in first }
}
