/// What the steps of the console will do, and to whom, in English.
enum EnglishStepTexts {
  static let all: [PageText: String] = [
    .enrolOne: "Enrol somebody",
    .issueEnrolment: "Issue an enrolment code",
    .unlockShort: "Unlock",
    .revokeMachineShort: "Revoke the machine",
    .changeRole: "Change the role",
    .rename: "Rename",
    .newName: "New name",
    .renameGroup: "Rename the group",
    .removeGroup: "Remove the group",
    .addToGroup: "Add to a group",
    .groupOfPeople: "Group of people",
    .isSigned: "You sign this with your own key on the next page.",
    .willChangePerson: "An empty field is cleared. None of these fields lets anybody in.",
    .willAdd: "Somebody with this account can log in once they have registered with an enrolment code.",
    .willEnrol: "{} can register one key with the code, which is shown once; an earlier code stops working.",
    .willEnrolOne:
      "The person can register one key with the code, which is shown once; the account is added if it does not exist.",
    .willEnrolMany: "Codes are issued for {} people, and sent once as a file; their earlier codes stop working.",
    .willCloseCode: "The open enrolment code of {} stops working.",
    .willUnlock: "The code or line ends the locks of {} on one machine; it logs nobody in.",
    .willLock: "{} cannot log in anywhere for {}.",
    .willLockFor: "{} cannot log in anywhere until the lock ends, and is signed out of this console.",
    .willDisable: "{} cannot log in anywhere until somebody enables the account again, and an open code is closed.",
    .willEnable: "{} can log in again.",
    .willRevokeKey: "{} can no longer use the key {}; this cannot be undone.",
    .willRevokeOne: "{} can no longer use this key; this cannot be undone.",
    .willRevokeAll: "{} loses all keys and open codes, and needs a new enrolment code; this cannot be undone.",
    .willRevokeMachine: "All keys on the machine {} are revoked, and it must join again; this cannot be undone.",
    .willRevokeMachineOf:
      "Nobody can log in with the keys on {} any more (keys: {}, people: {}), and it must join again; this "
      + "cannot be undone.",
    .willDelete:
      "The account {} is deleted with its keys and codes; audit and confirmed texts stay. This cannot be undone.",
    .willSetRole: "{} gets this role: {}.",
    .willSetRoleOf: "The person can sign in here and do what the role allows; their sessions end if the role changes.",
    .willRemoveRole: "{} can no longer sign in here, and the tokens that they made end.",
    .willMakeToken: "Whoever has the token {} can do what this role allows: {}. It is valid for {}.",
    .willAddToken: "Whoever has the token can do what its role allows; the token is shown once.",
    .willRevokeToken: "Programs can no longer use the token {}; this cannot be undone.",
    .willIssueCode: "{} can register a key with a code that is valid for {}.",
    .willSavePolicy: "The new policy decides from now on who can log in with which authenticators.",
    .willSaveMachinePolicy: "The machines of the group {} get the new policy with their next login or report.",
    .willDisableMany:
      "{} people cannot log in anywhere until somebody enables their accounts again, and their open codes are closed.",
    .willEnableMany: "{} people can log in again.",
    .willRevokeMany: "{} people lose all keys and open codes, and need new enrolment codes; this cannot be undone.",
    .willRevokeMachines:
      "All keys on {} machines are revoked, and the machines must join again; this cannot be undone.",
    .willIssueJoinCode: "Machines join this server with the code, which is shown once; it logs nobody in.",
    .willCloseJoinCode: "No more machines can join with the code {}; those that have joined stay.",
    .willAsk: "The person sees the text on their own machine, and confirms or denies it there.",
    .willCloseApproval: "{} can no longer confirm this text: {}",
    .willRenameGroup: "The group {} gets a different name; its members stay ({}).",
    .willAddToGroup:
      "{} people are added to the group, which is made if it does not exist. They stay in their other groups.",
    .willRemoveGroup: "The group {} is removed; the accounts of its members stay ({}). This cannot be undone.",
  ]
}
