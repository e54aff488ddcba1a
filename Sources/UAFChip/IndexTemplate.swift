import CTSS2

/// The public areas of our indices, and of the shares behind them (TPM 2.0 Part 2, 13.2 and 13.4).
enum IndexTemplate {
  /// The numbers of our indices: a part of the owner's range (TCG Registry of Reserved TPM 2.0 Handles, 2.2).
  static let handles: ClosedRange<UInt32> = 0x01a6_0000...0x01a6_ffff
  /// The number of the index that is asked where there is none to ask; no account gets it.
  static let vainHandle: UInt32 = 0x01a5_ffff

  // TPMA_NV_* of tss2_tpm2_types.h, whose casts Swift does not import. TPM_NT_PIN_FAIL is 8 in bits 4 to 7.
  private static let ownerWrite: UInt32 = 0x02
  private static let pinFail: UInt32 = 0x80
  private static let ownerRead: UInt32 = 0x2_0000
  private static let authRead: UInt32 = 0x4_0000
  private static let noDA: UInt32 = 0x200_0000
  private static let fixedTPM: UInt32 = 0x02
  private static let fixedParent: UInt32 = 0x10
  private static let objectNoDA: UInt32 = 0x400
  private static let keyedHash: UInt16 = 0x0008

  // TPM_CC_PolicySecret and TPM_CC_PolicyAuthValue.
  static let policySecret: [UInt8] = [0, 0, 0x01, 0x51]
  static let policyAuthValue: [UInt8] = [0, 0, 0x01, 0x6b]

  /// Bytes of an index: how many wrong values, and how many at most.
  static let dataLength: UInt16 = 8

  /// An index that counts wrong values for its own value (TPM 2.0 Part 1, "PIN Fail").
  ///
  /// What it counts does not count for the chip's own lock (noDA). Its policy is none that can be met: the place holds the
  /// mark of the authenticator.
  static func index(_ handle: UInt32, mark: [UInt8]) -> TPM2B_NV_PUBLIC {
    var template = TPM2B_NV_PUBLIC()
    template.nvPublic.nvIndex = handle
    template.nvPublic.nameAlg = ObjectTemplate.sha256
    template.nvPublic.attributes = ownerWrite | pinFail | ownerRead | authRead | noDA
    template.nvPublic.dataSize = dataLength
    if mark.count == 32 {
      template.nvPublic.authPolicy.size = 32
      // SAFETY: the buffer has room for the 32 bytes of a SHA-256 digest.
      unsafe withUnsafeMutableBytes(of: &template.nvPublic.authPolicy.buffer) { unsafe $0.copyBytes(from: mark) }
    }
    return template
  }

  /// A share: sealed data that opens only after an index has accepted its value, and with a value of its own.
  ///
  /// noDA: where another program has locked the chip, no person is kept out.
  static func share(policy: [UInt8]) -> TPM2B_PUBLIC {
    var template = TPM2B_PUBLIC()
    template.publicArea.type = keyedHash
    template.publicArea.nameAlg = ObjectTemplate.sha256
    template.publicArea.objectAttributes = fixedTPM | fixedParent | objectNoDA
    // SAFETY: the member of the union that belongs to this type.
    unsafe template.publicArea.parameters.keyedHashDetail.scheme.scheme = ObjectTemplate.null
    template.publicArea.authPolicy.size = UInt16(clamping: policy.count)
    // SAFETY: the buffer has room for a digest, and the copy stops at its end.
    unsafe withUnsafeMutableBytes(of: &template.publicArea.authPolicy.buffer) { buffer in
      unsafe buffer.copyBytes(from: policy.prefix(buffer.count))
    }
    return template
  }
}
