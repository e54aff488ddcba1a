// Purpose: why a conversation ended, and what can be done about it, in Korean.

extension KoreanCatalogue {
  static func told(_ cause: EndCause, _ codes: CodeUse) -> ResultText {
    switch cause {
    // Codes
    case .codeMissing: ResultText("등록 코드가 필요합니다.", "관리자에게 등록 코드를 요청한 뒤 '\(codes.registration)' 명령을 실행하십시오.")
    case .repairCodeMissing:
      ResultText("등록 코드가 필요합니다.", "관리자에게 등록 코드를 요청한 뒤 '\(codes.repair)' 명령을 실행하십시오.")
    case .codeNotEntered: ResultText("등록 코드를 입력하지 않았습니다.", "코드를 가지고 '\(codes.registration)' 명령으로 다시 등록하십시오.")
    case .otherTypeInUse:
      ResultText("이 컴퓨터에서 쓰지 않는 인증 수단이 등록된 계정입니다.", "root 관리자가 'uafctl register USER'를 실행해야 합니다.")
    case .codeUnreadable: ResultText("올바른 등록 코드가 아닙니다.", "서버가 출력한 줄 전체 또는 16자 코드를 확인하여 입력하십시오.")
    case .enteredCodeUnreadable: ResultText("올바른 등록 코드가 아닙니다.", "16자 코드만 확인하여 입력하십시오.")
    case .codeInHangul:
      ResultText("등록 코드를 한글 자판으로 입력했습니다.", "한/영 키를 눌러 영문 자판으로 바꾼 뒤 코드를 다시 입력하십시오.")
    case .codeNotSendable:
      ResultText("이 코드에는 서버로 보낼 수 없는 문자가 있습니다.", "입력을 확인하거나, 관리자에게 새 코드를 요청하십시오.")
    case .serverPasswordRefused:
      ResultText(
        "서버가 이 이름과 비밀번호를 받아들이지 않습니다.",
        "서버에서 쓰는 비밀번호를 입력하거나, 그곳에 등록해도 되는지 서버 관리자에게 문의하십시오.")
    case .serverPasswordNotEntered:
      ResultText("비밀번호를 입력하지 않았습니다.", "서버에서 쓰는 비밀번호로 다시 등록하십시오.")
    case .codeExpired: ResultText("등록 코드의 기한이 지났습니다.", "관리자에게 새 코드를 요청하십시오.")
    case .codeRefused: ResultText("서버가 등록 코드를 받아들이지 않습니다.", "관리자에게 새 코드를 요청하십시오.")
    case .codeOfOtherOperation: ResultText("다른 용도의 코드입니다.", "'uafctl oob FILE'이 그 용도에 맞게 처리합니다.")
    case .codeOfOtherServer:
      ResultText("이 컴퓨터의 서버가 아닌 다른 서버의 등록 코드입니다.", "관리자에게 이 컴퓨터 서버의 코드를 요청하십시오.")
    case .codeOfOtherAuthority:
      ResultText(
        "등록 코드의 인증 기관이 이 컴퓨터의 설정과 다릅니다.", "관리자에게 알리십시오. server.ca_file에 그 인증 기관이 있어야 합니다.")
    case .approvalOfOtherServer:
      ResultText("이 컴퓨터의 서버가 아닌 다른 서버의 승인 요청입니다.", "요청한 사람에게 알리십시오. 이 컴퓨터에서는 승인할 수 없습니다.")
    case .approvalOfOtherAuthority:
      ResultText(
        "승인 요청의 인증 기관이 이 컴퓨터의 설정과 다릅니다.", "관리자에게 알리십시오. server.ca_file에 그 인증 기관이 있어야 합니다.")
    case .codesNotJudged:
      ResultText(
        "이 서버는 등록 코드를 확인하지 않습니다.",
        "코드 없이, 이미 등록된 인증 수단으로 확인하여 등록하십시오. 값을 잊어버렸다면 root가 "
          + "'uafctl reset USER'로 지워야 합니다.")
    case .codesResetNothing:
      ResultText("이 서버는 등록 코드를 확인하지 않습니다.", "root 관리자가 'uafctl reset USER'를 실행해야 합니다.")
    case .codesNotSigned:
      ResultText(
        "서버의 승인에 서명이 없으면(server.require_signed_verdict) 코드로는 사용 중인 계정의 값을 정할 수 없습니다.",
        "값을 알고 있다면 'uafctl repair --code FILE'로 그 값에 새 키를 등록하십시오. 잊어버렸다면 root 관리자가 "
          + "'uafctl register USER --code FILE'을 실행해야 합니다.")
    case .resetsNotTold:
      ResultText("이 컴퓨터에서는 서버의 키를 지울 수 없어 코드로 초기화할 수 없습니다.", "root 관리자가 'uafctl reset USER'를 실행해야 합니다.")
    case .resetsNotSigned where !codes.takesCodes: told(.codesResetNothing, codes)
    case .resetsNotSigned:
      ResultText(
        "서버의 승인에 서명이 없으면(server.require_signed_verdict) 코드로는 초기화할 수 없습니다.",
        "새 값을 정하려면 root 관리자가 'uafctl register USER --code FILE'을 실행해야 합니다.")
    case .approvalExpired: ResultText("승인할 수 있는 시간이 지났습니다.", "승인을 다시 요청받으십시오.")
    case .approvalRefused:
      ResultText("서버에 이 코드로 승인할 것이 없습니다. 이미 사용했거나 시간이 지났습니다.", "승인을 다시 요청받으십시오.")
    case .approvalWithoutText: ResultText("서버가 승인할 수 있는 글을 보내지 않았습니다.", "관리자에게 알리십시오. 로그에 내용이 나와 있습니다.")
    case .keysLost:
      ResultText(
        "서버에는 이 계정의 키가 있지만, 이 컴퓨터에는 그 키가 없어졌습니다.",
        codes.takesCodes
          ? "관리자에게 새 등록 코드를 받아 '\(codes.registration)' 명령을 실행하십시오." : "'\(codes.registration)' 명령으로 다시 등록하십시오.")
    // Joining
    case .joinUnreadable: ResultText("가입 파일의 내용이 아닙니다.", "서버가 출력한 줄 전체를 주십시오.")
    case .joinExpired: ResultText("가입 파일의 기한이 지났습니다.", "관리자에게 새 파일을 요청하십시오.")
    case .joinRefused:
      ResultText("서버가 가입 파일의 코드를 받아들이지 않습니다.", "관리자에게 새 파일을 요청하십시오.")
    case .joinRevoked:
      ResultText("서버가 이 가입 파일로 가입했던 이 컴퓨터를 취소했습니다.", "관리자에게 새 파일을 요청하십시오.")
    case .joinTaken:
      ResultText(
        "이 ID의 컴퓨터가 이미 가입되어 있는데, 같은 컴퓨터임을 증명하지 못했습니다.",
        "관리자에게 그 컴퓨터를 취소하고 새 가입 파일을 발급해 달라고 요청하십시오. ID는 'uaf-server machines'에서 확인할 수 있습니다.")
    case .joinUsedUp:
      ResultText("이 가입 파일로 가입할 수 있는 컴퓨터 수가 다 찼습니다.", "관리자에게 새 파일을 요청하십시오.")
    case .joinOfOtherDialect:
      ResultText(
        "UAF로 통신하는 uaf-server에만 컴퓨터가 가입할 수 있는데, 이 컴퓨터의 서버는 다른 dialect를 씁니다.",
        "사용자는 가입하지 않아도 'uafctl register' 명령으로 등록할 수 있습니다.")
    case .joinOfOtherServer:
      ResultText(
        "가입 파일이 이 컴퓨터의 설정과 다른 서버의 것입니다.",
        "server.request_url을 고치거나 그 서버의 파일을 받으십시오.")
    case .joinNotSigned:
      ResultText(
        "서버의 답이 가입 파일에 있는 키로 서명되지 않았습니다.", "파일의 지문을 서버 관리자와 비교하십시오.")
    case .joinNotOffered:
      ResultText("이 서버는 컴퓨터의 가입을 받지 않습니다.", "대신 설정(server.request_url)에 서버를 적으십시오.")
    case .joinUntold:
      ResultText(
        "컴퓨터는 id로 가입하는데 server.send_device = false이면 아무것도 알리지 않습니다.",
        "server.send_device = true로 하거나, 대신 설정에 서버를 적으십시오.")
    case .notJoined:
      ResultText("이 컴퓨터는 어느 서버에도 가입하지 않았습니다.", "'uafctl join --payload 파일'로 가입합니다.")
    // Unlocking
    case .unlockUnreadable:
      ResultText("이 컴퓨터의 서버가 발급한 잠금 해제 코드가 아닙니다.", "헬프데스크에서 받은 줄 전체나 24자를 모두 주십시오.")
    case .unlockNotSigned:
      ResultText(
        "server.require_signed_verdict와 server.verdict_key가 설정되지 않아 잠금 해제 코드를 확인할 수 없습니다.",
        codes.isRoot
          ? "root는 코드 없이 '\(codes.command("unlock"))' 명령으로 풉니다." : "root 관리자가 'uafctl unlock USER'를 실행해야 합니다.")
    case .unlockOfOtherAccount:
      ResultText("다른 계정의 잠금 해제 코드입니다.", "헬프데스크에서 이 계정의 코드를 받으십시오.")
    case .unlockOfOtherMachine:
      ResultText("다른 컴퓨터의 잠금 해제 코드입니다.", "헬프데스크에서 이 컴퓨터의 코드를 받으십시오.")
    case .unlockExpired: ResultText("잠금 해제 코드의 기한이 지났습니다.", "헬프데스크에 새 코드를 요청하십시오.")
    case .unlockFromFuture:
      ResultText("이 컴퓨터의 시계로는 아직 발급되지 않은 잠금 해제 코드입니다.", "컴퓨터의 시계를 서버의 시계와 비교하십시오.")
    case .unlockUsed:
      ResultText("이 잠금 해제 코드나 더 나중에 발급된 코드를 이미 사용했습니다.", "헬프데스크에 새 코드를 요청하십시오.")
    case .unlockOlderThanLock:
      ResultText("잠기기 전에 발급된 잠금 해제 코드입니다.", "헬프데스크에 새 코드를 요청하십시오.")
    case .unlockNotNeeded: ResultText("이 컴퓨터에서 이 계정은 잠겨 있지 않습니다.", "평소처럼 로그인하십시오.")
    case .unlockCodesHeld:
      ResultText("틀린 잠금 해제 코드를 너무 많이 입력했습니다.", "헬프데스크의 파일을 사용하거나 나중에 다시 시도하십시오.")
    case .unlockCodeTooSoon:
      ResultText(
        "이 코드가 발급되기 전 한 시간 안에 다른 잠금 해제 코드를 사용했습니다.",
        "헬프데스크의 파일이나 나중에 발급된 코드를 사용하십시오.")
    case .unlockCodeNotKnown:
      ResultText(
        "서버가 이 컴퓨터에 이 계정의 비밀 값을 주지 않아 입력한 코드를 확인할 수 없습니다.",
        "헬프데스크의 파일을 사용하거나 root 관리자가 'uafctl unlock USER'를 실행해야 합니다.")
    // The server's success
    case .verdictNotSigned:
      ResultText(
        "서버의 승인이 이 컴퓨터가 신뢰하는 키로 서명되지 않았습니다.", "관리자에게 알리십시오. server.verdict_key가 서버의 키여야 합니다.")
    case .verdictOfOther:
      ResultText("서버가 서명한 승인이 여기서 한 일에 대한 것이 아닙니다.", "관리자에게 알리십시오. 로그에 다른 점이 나와 있습니다.")
    case .verdictStale:
      ResultText(
        "서버가 서명한 승인이 이 컴퓨터의 시계로는 너무 오래되었거나 아직 오지 않은 시각의 것입니다.",
        "관리자에게 이 컴퓨터와 서버의 시계를 비교해 달라고 하십시오.")
    case .noRequest: ResultText("로그인을 준비하지 못했습니다.", "다시 시도하십시오.")
    // Authenticators
    case .registeredAlready:
      ResultText(
        "서버가 받아들이는 인증 수단은 모두 이미 등록되어 있습니다.",
        withoutCodes(codes).map { "그중 하나를 쓰십시오. 새 값을 정하려면 \($0)" }
          ?? (codes == .roots
            ? "그중 하나를 쓰십시오. 새 값을 정하려면 root 관리자가 등록 코드로 '\(codes.setting())'을 실행해야 합니다."
            : "그중 하나를 쓰거나, 등록 코드로 '\(codes.setting())'을 실행해 새 값을 정하십시오."))
    case .nothingLeftToRegister:
      ResultText(
        "이 컴퓨터의 인증 수단은 모두 이미 등록되어 있습니다.",
        "알고 있는 값은 '\(codes.command("change"))' 명령으로 바꿉니다. \(ifForgotten(codes))")
    case .typesNotAccepted:
      ResultText("여기에 있는 인증 수단은 서버가 하나도 받아들이지 않습니다.", "어느 것을 받아들이는지 관리자에게 문의하십시오.")
    case .keysNotHere:
      ResultText("서버가 요구하는 키가 이 컴퓨터에 없습니다.", newCode(codes))
    case .configuredNotAccepted:
      ResultText("이 컴퓨터의 설정에서 정한 인증 수단을 서버가 받아들이지 않습니다.", "관리자에게 문의하십시오. 로그에 이름이 나와 있습니다.")
    case .namedNotAccepted:
      ResultText("지정한 인증 수단을 서버가 받아들이지 않습니다.", "다른 이름을 지정하거나 지정하지 마십시오.")
    case .namedNotEnabled:
      ResultText("지정한 인증 수단은 이 컴퓨터에서 쓰지 않습니다.", "다른 이름을 지정하거나 지정하지 마십시오.")
    case .namedNotRegistered:
      ResultText(
        "이 컴퓨터에 등록된 이 계정의 인증 수단은 지정한 것이 아니라 다른 것입니다.",
        "등록된 인증 수단을 사용하거나 '\(codes.command("register"))' 명령으로 이 인증 수단을 등록하십시오.")
    case .severalFit:
      ResultText("인증 수단이 여러 개인데, 이 프로그램은 하나만 물을 수 있습니다.", "관리자가 하나를 정해야 합니다(authenticator).")
    case .nothingStale: ResultText("값이 규칙에 맞습니다. 바꿀 것이 없습니다.")
    case .severalToName: ResultText("인증 수단이 여러 개입니다.", "그중 하나의 이름을 지정하십시오.")
    case .severalTogether:
      ResultText("서버가 여러 인증 수단을 함께 요구하는데, 이 프로그램은 하나만 물을 수 있습니다.", "다른 프로그램을 사용하십시오.")
    case .nothingChosen: ResultText("목록에서 고르지 않았습니다.", "다시 시도하십시오.")
    // Accounts, names and who asks
    case .otherHere:
      ResultText("이 계정은 이 컴퓨터에 다른 인증 수단을 등록했으며, 지정한 인증 수단은 등록되어 있지 않습니다.", "'\(codes.command("status"))' 명령으로 확인하십시오.")
    case .nothingHere: ResultText("이 컴퓨터에 등록되지 않은 계정입니다.")
    case .nameNotMapped:
      ResultText("이 컴퓨터의 설정에는 이 계정이 서버에서 쓸 이름이 없습니다.", "관리자에게 문의하십시오. server.username이 이름을 정합니다.")
    case .nameNotFound: ResultText("이 컴퓨터가 이름을 모르는 계정입니다.", "root 관리자가 'uafctl register USER'를 실행해야 합니다.")
    case .nameOfOther: ResultText("다른 계정의 이름을 가진 계정입니다.", "관리자에게 문의하십시오.")
    case .serverNameOfOther:
      ResultText(
        "이 컴퓨터의 다른 계정이 이 계정의 서버 이름으로 등록되어 있습니다.", "관리자에게 문의하십시오. 로그에 그 계정이 나와 있습니다.")
    case .namesSilent:
      ResultText("이 컴퓨터의 계정 디렉터리가 응답하지 않습니다.", "나중에 다시 시도하거나 root 관리자가 'uafctl register USER'를 실행해야 합니다.")
    case .accountDamaged:
      ResultText(
        "이 컴퓨터에 저장된 이 계정의 정보가 손상되었거나 변경되었습니다.",
        "관리자에게 문의하십시오. root 관리자가 'uafctl forget USER'로 지워야 다시 등록할 수 있습니다.")
    case .accountRenamed:
      ResultText("이 컴퓨터에서 이 계정의 이름이 바뀌었습니다.", "관리자에게 문의하십시오. root가 'uafctl status USER'를 실행하면 방법이 나옵니다.")
    case .accountDisabled: ResultText("사용이 중지된 계정입니다.", "관리자에게 문의하십시오.")
    case .accountLocked: ResultText("일정 시간 동안 잠긴 계정입니다.", "관리자에게 문의하거나 나중에 다시 시도하십시오.")
    case .accountForbidden:
      ResultText(
        "이 컴퓨터가 마지막으로 물었을 때 서버가 이 계정을 받아들이지 않았습니다. 사용이 중지되었거나 잠긴 계정일 수 있습니다.",
        codes.takesCodes
          ? "관리자에게 문의하십시오. 다시 사용할 수 있게 되었다면 한 번 로그인하거나, 새 등록 코드로 '\(codes.setting())' 명령을 실행해 값을 새로 정하십시오."
          : "관리자에게 문의하십시오. 다시 사용할 수 있게 되었다면 한 번 로그인하십시오.")
    case .accountNotKnown:
      ResultText("이 계정을 사용할 수 있는지 서버에 확인하지 못했습니다.", "나중에 다시 시도하거나 관리자에게 문의하십시오.")
    case .chipAbsent:
      ResultText("이 컴퓨터의 키를 보관하는 칩(TPM)이 없습니다.", "관리자에게 문의하십시오. 메인보드를 바꾸었다면 root가 'uafctl recover'를 실행합니다.")
    case .chipForbidden: ResultText("이 컴퓨터의 칩(TPM)을 열 수 없습니다.", "관리자에게 문의하십시오. 로그에 내용이 나와 있습니다.")
    case .chipBusy: ResultText("이 컴퓨터의 키를 보관하는 칩(TPM)이 사용 중입니다.", "잠시 뒤에 다시 시도하십시오.")
    case .chipLockedOut:
      ResultText("다른 프로그램이 이 컴퓨터의 키를 보관하는 칩(TPM)을 잠갔습니다.", "칩의 잠금이 풀릴 때까지 기다리거나 관리자에게 문의하십시오.")
    case .chipOther:
      ResultText("이 컴퓨터의 키는 다른 칩(TPM)에 있습니다.", "관리자에게 문의하십시오. root가 'uafctl recover'로 키를 이 칩으로 옮깁니다.")
    case .chipCleared:
      ResultText("이 컴퓨터의 키를 보관하던 칩(TPM)이 초기화되었습니다.", "관리자에게 문의하십시오. root가 'uafctl recover'로 키를 다시 봉인합니다.")
    case .chipOwned:
      ResultText("이 컴퓨터의 칩(TPM)은 소유자가 따로 있어 저장 키가 보호되어 있습니다.", "관리자에게 문의하십시오. 로그에 내용이 나와 있습니다.")
    case .chipDamaged:
      ResultText("칩(TPM)이 봉인한 이 컴퓨터의 키가 손상되었습니다.", "관리자에게 문의하십시오. root가 'uafctl recover'로 키를 다시 봉인합니다.")
    case .chipLost: ResultText("이 컴퓨터의 키를 보관하는 칩(TPM)이 응답하지 않습니다.", "다시 시도하거나 관리자에게 문의하십시오.")
    case .chipFailed: ResultText("칩(TPM)이 이 컴퓨터의 키를 열지 않았습니다.", "관리자에게 문의하십시오. 로그에 번호가 나와 있습니다.")
    case .indexMissing:
      ResultText(
        "이 계정의 틀린 입력을 세던 자리가 칩(TPM)에 없어 계정의 키를 열 수 없습니다.",
        indexLost(codes))
    case .indexReplaced:
      ResultText(
        "이 계정의 틀린 입력을 세던 칩(TPM)의 자리가 바뀌어 계정의 키를 열 수 없습니다.",
        indexLost(codes))
    case .shareDamaged:
      ResultText(
        "칩(TPM)이 이 계정을 위해 봉인한 것이 손상되었습니다.",
        indexLost(codes))
    case .indexNotMade:
      ResultText("이 계정의 틀린 입력을 셀 수 있는 칩(TPM)이 없는데, 설정은 이를 요구합니다.", "관리자에게 문의하십시오. 로그에 이유가 나와 있습니다.")
    case .indicesInUse:
      ResultText(
        "칩(TPM)이 틀린 입력을 세는 계정이 있어, 키를 옮기면 그 계정을 쓸 수 없게 됩니다.",
        "[tpm]의 use를 off로 정하고 그 계정마다 값을 바꾸게 하십시오. 로그에 계정이 나와 있습니다.")
    case .keyNotSealed:
      ResultText("이 컴퓨터의 키가 파일에 있는데, 칩(TPM)으로 열어야 합니다.", "관리자에게 문의하십시오. root가 'uafctl seal'로 옮깁니다.")
    case .keyElsewhere: ResultText("이 컴퓨터의 키가 그곳에 없어 아무것도 옮기지 않았습니다.", "'uafctl doctor'가 키의 위치를 알려 줍니다.")
    case .chipNotUsed: ResultText("설정이 칩(TPM)을 쓰지 않습니다.", "먼저 [tpm]의 use를 if_available이나 require로 정하십시오.")
    case .chipDemanded: ResultText("설정이 칩(TPM)을 요구합니다.", "먼저 [tpm]의 use를 off나 if_available로 정하십시오.")
    case .keyringOff:
      ResultText("이 컴퓨터는 키링 비밀번호를 보관하지 않습니다.", "관리자에게 [keyring]에 unlock = true 설정을 요청하십시오.")
    case .keyringPasswordUnusable: ResultText("키링 비밀번호를 보관하지 않았습니다. 1~512바이트여야 합니다.")
    case .recoveryNone: ResultText("이 컴퓨터의 복구 키를 만들지 않았습니다.", "복구 키도 칩도 없으면 모든 계정을 다시 등록해야 합니다.")
    case .recoveryWrong: ResultText("이 컴퓨터의 복구 키가 아닙니다.", "낱말에 틀린 곳이 있는지 살펴보십시오.")
    case .onlyRoot: ResultText("root만 요청할 수 있습니다.")
    case .ambiguousName: ResultText("무엇을 실행하는지 알 수 없는 이름으로 sudo를 불렀습니다.", "sudo라는 이름으로 부르십시오.")
    case .olderModule: ResultText("PAM 모듈이 로그인 도우미보다 오래되었습니다.", "libpam-uaf 패키지를 다시 설치하십시오.")
    case .olderCore: ResultText("로그인 도우미가 요청한 프로그램보다 오래되었습니다.", "libpam-uaf 패키지를 다시 설치하십시오.")
    case .facetsNotRead:
      ResultText(
        "이 서버의 키를 쓸 수 있는 프로그램의 목록을 가져오지 못했습니다.", "나중에 다시 시도하고, 그래도 안 되면 관리자에게 알리십시오. 로그에 자세한 내용이 있습니다.")
    case .refusedOnTheWay:
      ResultText("서버 앞의 프록시나 게이트웨이가 요청을 거부했습니다.", "관리자에게 알리십시오. 로그에 HTTP 상태가 나와 있습니다.")
    case .messageNotValid: ResultText("서버가 보낸 내용이 올바르지 않습니다.", "관리자에게 알리십시오. 로그에 내용이 나와 있습니다.")
    case .messageNotAccepted:
      ResultText("서버가 이 컴퓨터의 메시지를 올바르지 않다고 합니다.", "관리자에게 알리십시오. 로그에 내용이 나와 있습니다.")
    }
  }

  /// How an account can be used again if no chip counts its values any longer.
  private static func indexLost(_ codes: CodeUse) -> String {
    codes.takesCodes
      ? "관리자에게 문의하십시오. root가 'uafctl reset USER' 명령을 실행한 뒤 '\(codes.setting())' 명령으로 다시 등록해야 합니다."
      : "관리자에게 문의하십시오. root가 'uafctl reset USER' 명령을 실행한 뒤 직접 'uafctl register' 명령으로 다시 등록하십시오."
  }
}
