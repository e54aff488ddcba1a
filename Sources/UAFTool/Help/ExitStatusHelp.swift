import Wording

/// What `--help` says about the exit status.
struct ExitStatusHelp: Catalogued {
  let english = """
    EXIT STATUS:
      0  done
      1  refused: the text on standard error says by whom and why
      2  usage or configuration
      3  the core cannot be reached, or does not keep to the protocol
      5  what was to be printed could not be written
    """

  let korean = """
    종료 상태:
      0  완료
      1  거부됨: 누가 왜 거부했는지는 표준 오류에 나옵니다
      2  사용법 또는 설정 오류
      3  코어에 연결할 수 없거나 코어가 프로토콜을 따르지 않음
      5  출력할 내용을 쓸 수 없음
    """
}
