import UAFCrypto
import UAFMessages

extension Transaction {
  /// The form of a text that goes into the request and is signed.
  package init(signing text: TransactionText) throws {
    try self.init(text: text.signed { bytes throws(CryptoError) in try SHA256.hash(bytes) })
  }
}
