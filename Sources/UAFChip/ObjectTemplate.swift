import CTSS2

/// The public areas of our objects (TPM 2.0 Part 2, 12.2.4).
enum ObjectTemplate {
  // TPM2_ALG_*, TPM2_ECC_NIST_P256 and TPMA_OBJECT_* of tss2_tpm2_types.h, whose casts Swift does not import.
  static let sha256: UInt16 = 0x000b
  static let aes: UInt16 = 0x0006
  static let cfb: UInt16 = 0x0043
  static let null: UInt16 = 0x0010
  private static let ecc: UInt16 = 0x0023
  private static let keyedHash: UInt16 = 0x0008
  private static let nistP256: UInt16 = 0x0003
  private static let fixedTPM: UInt32 = 0x02
  private static let fixedParent: UInt32 = 0x10
  private static let sensitiveDataOrigin: UInt32 = 0x20
  private static let userWithAuth: UInt32 = 0x40
  private static let noDA: UInt32 = 0x400
  private static let restricted: UInt32 = 0x1_0000
  private static let decrypt: UInt32 = 0x2_0000

  /// A storage key on P-256: the template of TCG's provisioning guidance, so that each call, and other software, makes the same
  /// key.
  static var storageKey: TPM2B_PUBLIC {
    var template = TPM2B_PUBLIC()
    template.publicArea.type = ecc
    template.publicArea.nameAlg = sha256
    template.publicArea.objectAttributes =
      fixedTPM | fixedParent | sensitiveDataOrigin | userWithAuth | noDA | restricted | decrypt
    // SAFETY: the members of the union that belong to this type of key.
    unsafe template.publicArea.parameters.eccDetail.symmetric.algorithm = aes
    unsafe template.publicArea.parameters.eccDetail.symmetric.keyBits.aes = 128
    unsafe template.publicArea.parameters.eccDetail.symmetric.mode.aes = cfb
    unsafe template.publicArea.parameters.eccDetail.scheme.scheme = null
    unsafe template.publicArea.parameters.eccDetail.curveID = nistP256
    unsafe template.publicArea.parameters.eccDetail.kdf.scheme = null
    return template
  }

  /// Sealed data that no other chip can take over.
  ///
  /// It has no value of its own, so no guessing happens at the chip. What others guess there does not lock it (noDA).
  static var sealedData: TPM2B_PUBLIC {
    var template = TPM2B_PUBLIC()
    template.publicArea.type = keyedHash
    template.publicArea.nameAlg = sha256
    template.publicArea.objectAttributes = fixedTPM | fixedParent | userWithAuth | noDA
    // SAFETY: the member of the union that belongs to this type.
    unsafe template.publicArea.parameters.keyedHashDetail.scheme.scheme = null
    return template
  }
}
