import Glibc

/// The system's error number in words.
package struct SystemReason: Catalogued, Equatable {
  /// The system's error number (`errno`).
  package let number: CInt

  /// The reason behind `errno`.
  package init(_ number: CInt) { self.number = number }

  /// What the C library calls it.
  package var english: String {
    // SAFETY: strerror returns a NUL-terminated text for every number, and this program has one thread.
    unsafe String(cString: strerror(number))
  }

  /// The C library has no Korean without its own catalogues, which a server rarely has installed.
  package var korean: String { Self.koreanWords[number] ?? "시스템 오류 \(number)번" }

  private static let koreanWords: [CInt: String] = [
    EPERM: "허용되지 않은 작업입니다", ENOENT: "그런 파일이나 폴더가 없습니다", EINTR: "작업이 중단되었습니다",
    EIO: "입출력 오류입니다", EBADF: "열려 있지 않은 파일입니다", EAGAIN: "지금은 사용할 수 없습니다",
    ENOMEM: "메모리가 부족합니다", EACCES: "권한이 없습니다", EBUSY: "다른 곳에서 사용 중입니다",
    EEXIST: "이미 있습니다", ENOTDIR: "폴더가 아닙니다", EISDIR: "파일이 아니라 폴더입니다",
    EINVAL: "올바르지 않은 값입니다", ENFILE: "시스템에 열린 파일이 너무 많습니다", EMFILE: "열린 파일이 너무 많습니다",
    ENOTTY: "터미널이 아닙니다", EFBIG: "파일이 너무 큽니다", ENOSPC: "디스크에 남은 공간이 없습니다",
    EROFS: "읽기 전용 파일 시스템입니다", EPIPE: "받는 쪽이 닫혔습니다", ENAMETOOLONG: "이름이 너무 깁니다",
    ELOOP: "심볼릭 링크가 너무 많습니다", ENOEXEC: "실행할 수 없는 형식입니다", ECONNREFUSED: "연결이 거부되었습니다",
    ECONNRESET: "연결이 끊어졌습니다", ENOTSOCK: "소켓이 아닙니다", EPROTOTYPE: "다른 종류의 소켓입니다",
    EADDRINUSE: "주소를 이미 사용하고 있습니다", ETIMEDOUT: "시간이 초과되었습니다", EDQUOT: "디스크 할당량을 넘었습니다",
    ESTALE: "파일이 더 이상 유효하지 않습니다",
  ]
}
