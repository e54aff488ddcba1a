// Purpose: the one table of outcomes, with one declaration for each row: number, name, PAM rule. Texts are in the catalogues.
// The names are those that UAF software development kits for other systems use, odd spellings included.

extension FidoResult {
  /// Success.
  public static let success = FidoResult(0, "RESULT_SUCCESS", .authenticated)
  /// Ready for user verification; never an ending.
  public static let ready = FidoResult(10, "RESULT_AUTH_READY_SUCCESS", .always(.systemError))
  /// The person chose to register again.
  public static let resetChosen = FidoResult(980, "RESULT_AUTHENTICATOR_RESET")
  /// The person cancelled; all remaining checks are dropped.
  public static let userCancel = FidoResult(999, "RESULT_USER_CANCEL", .always(.conversationError))
  /// An argument, the configuration or a message field is invalid.
  public static let invalidParameter = FidoResult(1_001, "ERROR_INVALID_PARAMETER", .fault)
  /// The TLS certificate or the channel binding is wrong.
  public static let channelBinding = FidoResult(1_002, "ERROR_SET_CHANNEL_BINDING")
  /// A message was not understood.
  public static let jsonParser = FidoResult(1_005, "ERROR_JSON_PARSER")
  /// The helper is missing, wrong or died.
  public static let clientMismatch = FidoResult(1_006, "ERROR_NOT_MATCH_FIDO_CLIENT", .always(.systemError))
  /// Unusable on this machine: state unreadable, full or not initialised.
  public static let cannotUse = FidoResult(1_007, "ERROR_CANNOT_USE_FIDO", .always(.systemError))
  /// The server has the account, but this machine has no key.
  public static let alreadyRegistered = FidoResult(1_008, "ERROR_ALREADY_REG_USER")
  /// There is no key of this account on this machine.
  public static let notRegistered = FidoResult(1_009, "ERROR_NOT_REG_USER", .notRegistered)
  /// The name has white space, control or non-ASCII characters.
  public static let invalidUsername = FidoResult(1_011, "ERROR_INVALID_USERNAME", .unknownUser)
  /// There is no such authenticator type.
  public static let invalidAuthenticatorType = FidoResult(1_012, "ERROR_INVALID_AUTHENTICATOR_TYPE", .fault)
  /// No operation is in progress, or the server's challenge was used or expired.
  public static let requestNotExist = FidoResult(1_100, "ERROR_AUTH_REQUEST_NOT_EXIST")
  /// This client is not in the server's list.
  public static let untrustedFacet = FidoResult(2_001, "ERROR_UNTRUSTED_FACET_ID")
  /// No authenticator here fits what the server asks for.
  public static let noSuitableAuthenticator = FidoResult(2_002, "ERROR_NO_SUITABLE_AUTHENTICATOR")
  /// The server uses a different version of UAF.
  public static let unsupportedVersion = FidoResult(2_003, "ERROR_UNSUPPORTED_VERSION")
  /// State: this machine cannot do it.
  public static let stateNotSupported = FidoResult(3_005, "Authenticator_State_Not_Support")
  /// State: registered and usable.
  public static let stateAvailable = FidoResult(3_006, "Authenticator_State_Available")
  /// State: nothing is registered.
  public static let stateNotRegistered = FidoResult(3_007, "Authenticator_State_Not_Registered")
  /// State: locked.
  public static let stateLocked = FidoResult(3_008, "Authenticator_State_Locked")
  /// A change failed, and is not tried again.
  public static let changeFailed = FidoResult(3_010, "LOCAL_FAIL_CHANGE", .always(.tokenError))
  /// A reset failed, and is not tried again.
  public static let resetFailed = FidoResult(3_011, "LOCAL_FAIL_RESET", .always(.tokenError))
  /// A wrong secret; never a server's refusal.
  public static let wrongValue = FidoResult(3_012, "LOCAL_FAIL_VERIFY")
  /// Locked for a while.
  public static let locked = FidoResult(3_013, "LOCAL_FAIL_VERIFY_LOCKED", .locked)
  /// Locked until an administrator unlocks.
  public static let lockedForGood = FidoResult(3_014, "ERROR_MAX_LOCK_COUNT_OVER", .locked)
  /// Lock options do not change while there are counted wrong entries.
  public static let lockOptionsIgnored = FidoResult(3_015, "IGNORE_LOCK_OPTION_SET")
  /// No answer from the server.
  public static let noAnswer = FidoResult(4_001, "ERROR_NETWORK_STATE", .noAnswer)
  /// The enrolled biometry is the same.
  public static let biometryNotChanged = FidoResult(7_000, "Biometry_State_Not_Changed")
  /// The enrolled biometry has changed.
  public static let biometryChanged = FidoResult(7_001, "Biometry_State_Changed")
  /// The state of biometry cannot be determined.
  public static let biometryStateNotSupported = FidoResult(7_002, "Biometry_State_Not_Support")
  /// The state of biometry could not be read.
  public static let biometryStateError = FidoResult(7_003, "Biometry_State_Error")
  /// Biometry did not recognise the person.
  public static let biometryAuthenticationFailed = FidoResult(7_004, "Biometry_State_Auth_Fail")
  /// Biometry is locked.
  public static let biometryLocked = FidoResult(7_005, "Biometry_State_Lock")
  /// No biometry is enrolled.
  public static let biometryNotRegistered = FidoResult(7_006, "Biometry_State_Not_Registered")
  /// Biometry needs a passcode of the system first.
  public static let biometryWithoutPasscode = FidoResult(7_007, "Biometry_State_Not_Reg_Passcode")
  /// This machine has no biometry.
  public static let biometryNotSupported = FidoResult(7_008, "Biometry_Not_Support")
  /// The person chose to log in another way.
  public static let userFallback = FidoResult(7_009, "Biometry_User_Fallback", .always(.credentialsUnavailable))
  /// The host abandoned the conversation.
  public static let applicationCancel = FidoResult(7_010, "Biometry_App_Cancel", .always(.conversationError))
  /// A signal or the deadline ended the call.
  public static let systemCancel = FidoResult(7_011, "Biometry_System_Cancel", .always(.systemError))
  /// Biometry was asked out of turn.
  public static let biometryInvalidContext = FidoResult(7_012, "Biometry_Invalid_Context")
  /// Biometry cannot be used now.
  public static let biometryNotAvailable = FidoResult(7_013, "Biometry_Not_Available")
  /// No conversation is possible.
  public static let notInteractive = FidoResult(7_014, "Biometry_Not_Interactive", .always(.conversationError))
  /// Biometry failed for an unknown reason.
  public static let biometryUnknown = FidoResult(7_015, "Biometry_Unknown")
  /// A secret was reset.
  public static let resetSuccess = FidoResult(7_100, "Authenticator_Reset_Success", .valueChanged)
  /// A reset did not happen.
  public static let authenticatorResetFailed = FidoResult(7_101, "Authenticator_Reset_Fail", .always(.tokenError))
  /// There is nothing to reset.
  public static let resetNone = FidoResult(7_102, "Authenticator_Reset_None", .always(.tokenError))
  /// This authenticator cannot be reset here.
  public static let resetInvalidType = FidoResult(7_103, "Authenticator_Reset_Invalid_Type", .always(.tokenError))
  /// A secret was changed.
  public static let changeSuccess = FidoResult(7_110, "Authenticator_Change_Success", .valueChanged)
  /// A change did not happen.
  public static let authenticatorChangeFailed = FidoResult(7_111, "Authenticator_Change_Fail", .always(.tokenError))
  /// The person cancelled a change.
  public static let changeUserCancel = FidoResult(7_112, "Authenticator_Change_User_Cancel", .always(.tokenError))
  /// This authenticator's secret cannot be changed here.
  public static let changeInvalid = FidoResult(7_113, "Authenticator_Change_Invalid", .always(.tokenError))
  /// The server is busy.
  public static let forbidden = FidoResult(9_000, "ERROR_FORBIDDEN_FIDO")
  /// Anything else.
  public static let unknown = FidoResult(9_999, "ERROR_UNKNOWN", .always(.systemError))
  /// The server has no such registration.
  public static let serverNoRegistration = FidoResult(13_006, "SERVER_13006")
  /// The server was asked to deregister an account it does not know.
  public static let serverDeregistrationUnknown = FidoResult(15_007, "SERVER_15007")
  /// The name is empty.
  public static let emptyUsername = FidoResult(19_019, "ERROR_EMPTY_USERNAME", .unknownUser)

  /// Every listed result, by number.
  public static let allListed: [FidoResult] = [
    .success, .ready, .resetChosen, .userCancel, .invalidParameter, .channelBinding, .jsonParser, .clientMismatch,
    .cannotUse, .alreadyRegistered, .notRegistered, .invalidUsername, .invalidAuthenticatorType, .requestNotExist,
    .untrustedFacet, .noSuitableAuthenticator, .unsupportedVersion, .stateNotSupported, .stateAvailable,
    .stateNotRegistered, .stateLocked, .changeFailed, .resetFailed, .wrongValue, .locked, .lockedForGood,
    .lockOptionsIgnored, .noAnswer, .biometryNotChanged, .biometryChanged, .biometryStateNotSupported,
    .biometryStateError, .biometryAuthenticationFailed, .biometryLocked, .biometryNotRegistered,
    .biometryWithoutPasscode, .biometryNotSupported, .userFallback, .applicationCancel, .systemCancel,
    .biometryInvalidContext, .biometryNotAvailable, .notInteractive, .biometryUnknown, .resetSuccess,
    .authenticatorResetFailed, .resetNone, .resetInvalidType, .changeSuccess, .authenticatorChangeFailed,
    .changeUserCancel, .changeInvalid, .forbidden, .unknown, .serverNoRegistration, .serverDeregistrationUnknown,
    .emptyUsername,
  ]
}
