/// The name of a finding, which stays the same when its text changes: for scripts, and for uafctl(1), which explains each.
package enum FindingID: String, CaseIterable {
  // Programs
  case programMissing = "program-missing"
  case programOpen = "program-open"
  case programSize = "program-size"
  case programVersion = "program-version"
  // The socket and the core behind it
  case runFolder = "run-folder"
  case socketMissing = "socket-missing"
  case socketOwner = "socket-owner"
  case coreSilent = "core-silent"
  case coreVersion = "core-version"
  case accountUnregistered = "account-unregistered"
  case accountLocked = "account-locked"
  case fingerprint
  // All accounts, for root
  case accountsLocked = "accounts-locked"
  case accountDamaged = "account-damaged"
  case accountUnknown = "account-unknown"
  case lockOptions = "lock-options"
  // The kernel, the clock, the log
  case kernelNetwork = "kernel-network"
  case kernelLandlock = "kernel-landlock"
  case kernelSeccomp = "kernel-seccomp"
  case kernelFetch = "kernel-fetch"
  case bootID = "boot-id"
  case clock
  case clockUnsynchronised = "clock-unsynchronised"
  case log
  // The configuration
  case configurationUnusable = "configuration-unusable"
  case configurationNoEffect = "configuration-no-effect"
  case configurationNoServer = "configuration-no-server"
  case tlsVerify = "tls-verify"
  case offline
  case hideState = "hide-state"
  case fingerprintSoftware = "fingerprint-software"
  case trustUnusable = "trust-unusable"
  case trustNoEffect = "trust-no-effect"
  // State
  case stateMissing = "state-missing"
  case stateOpen = "state-open"
  case stateKey = "state-key"
  // Stacks
  case pamFolder = "pam-folder"
  case pamUnused = "pam-unused"
  case pamModule = "pam-module"
  case pamInclude = "pam-include"
  case pamUnusedStack = "pam-unused-stack"
  case pamTwoReadings = "pam-two-readings"
  case pamLetsIn = "pam-lets-in"
  case pamNoEffect = "pam-no-effect"
  case pamNoWayIn = "pam-no-way-in"
  case pamNouserok = "pam-nouserok"
  case pamNouserokHidden = "pam-nouserok-hidden"
  case pamMisspelt = "pam-misspelt"
  case pamNoPasswordLine = "pam-no-password-line"
  case pamAccountAlone = "pam-account-alone"
  case pamProfile = "pam-profile"
  case pamOtherName = "pam-other-name"
  case pamPolkit = "pam-polkit"
  case rescueGroup = "rescue-group"
  case rescuePassword = "rescue-password"
  // ssh
  case sshUsePAM = "ssh-use-pam"
  case sshKeyboardInteractive = "ssh-keyboard-interactive"
  case sshPassword = "ssh-password"
  case sshPublicKey = "ssh-public-key"
  // The server
  case serverAuthorities = "server-authorities"
  case serverUnreachable = "server-unreachable"
  case serverProxy = "server-proxy"
  case serverCertificate = "server-certificate"
  case certificateEnds = "certificate-ends"
  case serverPath = "server-path"
  case serverType = "server-type"
  case serverAnswer = "server-answer"
  case facetList = "facet-list"
  case verdictKey = "verdict-key"
  case clockServer = "clock-server"
}
