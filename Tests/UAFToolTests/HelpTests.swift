import ArgumentParser
import Foundation
import Testing
import ToolTestSupport

@testable import Doctor
@testable import UAFTool

@Suite struct HelpTests {
  /// The help text in a fixed width, whatever terminal the tests run in.
  private func help(_ command: any ParsableCommand.Type) -> String {
    Uafctl.helpMessage(for: command, columns: 80)
  }

  @Test func `the help of uafctl explains the program, its subcommands and its exit status`() {
    #expect(
      help(Uafctl.self) == """
        OVERVIEW: Registers and checks the passcode that logs you in, and looks after
        pam-uaf.

        Passcodes and enrolment codes are asked for on the terminal without showing
        them. Where standard input is not a terminal, each question takes one line of
        it. Only results go to standard output. Whoever has forgotten a value asks the
        administrator for an enrolment code, and sets a new value with register --code.

        EXIT STATUS:
          0  done
          1  refused: the text on standard error says by whom and why
          2  usage or configuration
          3  the core cannot be reached, or does not keep to the protocol
          5  what was to be printed could not be written

        USAGE: uafctl [--conf <file>] <subcommand>

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --version               Show the version.
          -h, --help              Show help information.

        SUBCOMMANDS:
          register                Registers an authenticator of an account with the
                                  server.
          authenticate            Goes through a login without logging in.
          change                  Changes a passcode or a pattern.
          reset                   Wipes a forgotten passcode or pattern, and makes its
                                  keys unusable.
          deregister              Deletes registrations, here and at the server.
          repair                  Makes a new key for a machine that was restored.
          oob                     Does what a code asks for: registers, or approves or
                                  denies a login elsewhere.
          status                  Shows what is registered, and what is locked.
          unlock                  Lifts every lock of an account.
          forget                  Deletes all that this machine knows of an account;
                                  root only.
          rename                  Takes a registration over to the new name of an
                                  account; root only.
          init                    Makes the key of this machine, once; root only.
          seal                    Moves the key of this machine into its chip (TPM);
                                  root only.
          unseal                  Moves the key of this machine from its chip (TPM)
                                  into a file; root only.
          recover                 Opens the key of this machine with its recovery key;
                                  root only.
          trust                   Writes the server of an enrolment code into the
                                  configuration; root only.
          join                    Joins this machine to a server, as a machine payload
                                  says; root only.
          leave                   Takes back that this machine has joined a server;
                                  root only.
          check-in                Tells the server how this machine is, and takes its
                                  policy; root only.
          policy                  Tries the rules for new values.
          keyring                 Has logins open the keyring of the desktop, or no
                                  longer.
          facet                   Prints who this client says it is, and what a server
                                  has to list.
          doctor                  Checks the installation, and says what to do about
                                  what is wrong.
          report                  Makes a report on this machine for whoever helps with
                                  it.
          pam                     Has services ask for the passcode, or stop asking.

          See 'uafctl help <subcommand>' for detailed help.
        """)
  }

  @Test func `the help explains uafctl register`() {
    #expect(
      help(RegisterCommand.self) == """
        OVERVIEW: Registers an authenticator of an account with the server.

        The first registration of an account needs the enrolment code that the server's
        administrator hands over. A further one may be proved with a registered
        authenticator instead. A forgotten value is replaced with a new enrolment code,
        if the server's yes has to be signed (require_signed_verdict). Without that
        root resets it first.

        USAGE: uafctl register [--conf <file>] [--json-conversation] [--together] [--json] [--code <file>] [--token] \
        [<user>] [<type>]

        ARGUMENTS:
          <user>                  The account; root only. Your own where it is left out.
          <type>                  Authenticator type, such as passcode.

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --json-conversation     Ask in lines of JSON.
          --together              Ask in JSON for a new value and its repetition at
                                  once.
          --json                  Print the end as one JSON object, for scripts.
          --code, --payload <file>
                                  File with the enrolment code; - for standard input,
                                  or to be asked for it.
          --token                 Print the server's token.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl authenticate`() {
    #expect(
      help(AuthenticateCommand.self) == """
        OVERVIEW: Goes through a login without logging in.

        With --json-conversation it is a graphical front end that asks the person: each
        challenge and message is one line of JSON on standard output, and the last line
        is a success or a failure. A challenge is answered by one line on standard
        input, {"answer":"..."} or {"cancel":true}. docs/json-conversation.md lists the
        members. With --divided nothing is asked before the front end says so: the
        server's request is fetched meanwhile. Other people see command lines, and with
        them the text of --transaction.

        USAGE: uafctl authenticate [--conf <file>] [--json-conversation] [--together] [--json] [--token] [--divided] \
        [--transaction <text>] [<user>] [<type>]

        ARGUMENTS:
          <user>                  The account; root only. Your own where it is left out.
          <type>                  Authenticator type, such as passcode. Not needed
                                  where there is one.

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --json-conversation     Ask in lines of JSON.
          --together              Ask in JSON for a new value and its repetition at
                                  once.
          --json                  Print the end as one JSON object, for scripts.
          --token                 Print the server's token.
          --divided               Fetch the server's request, say when that is done,
                                  and ask once told to go on.
          --transaction <text>    A text that the passcode confirms, and the server
                                  keeps.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl change`() {
    #expect(
      help(ChangeCommand.self) == """
        OVERVIEW: Changes a passcode or a pattern.

        The old value is asked for first, and a wrong one counts as an attempt; the new
        one is asked for twice. The registrations stay as they are. Whoever has
        forgotten the old value sets a new one with register --code.

        USAGE: uafctl change [--conf <file>] [--json-conversation] [--together] [--json] [<user>] [<type>]

        ARGUMENTS:
          <user>                  The account; root only. Your own where it is left out.
          <type>                  Authenticator type, such as passcode. Not needed
                                  where there is one.

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --json-conversation     Ask in lines of JSON.
          --together              Ask in JSON for a new value and its repetition at
                                  once.
          --json                  Print the end as one JSON object, for scripts.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl reset`() {
    #expect(
      help(ResetCommand.self) == """
        OVERVIEW: Wipes a forgotten passcode or pattern, and makes its keys unusable.

        Whoever has forgotten a value need not reset it: register --code sets a new one
        in one step. A person needs a new enrolment code for a reset, with which the
        server forgets the keys as well, and a server whose yes has to be signed
        (require_signed_verdict). Root needs none; the server then still knows the
        keys, unless root gives a code with --deregister.

        USAGE: uafctl reset [--conf <file>] [--json-conversation] [--together] [--json] [--code <file>] [--deregister] \
        [<user>] [<type>]

        ARGUMENTS:
          <user>                  The account; root only. Your own where it is left out.
          <type>                  Authenticator type, such as passcode. Not needed
                                  where there is one.

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --json-conversation     Ask in lines of JSON.
          --together              Ask in JSON for a new value and its repetition at
                                  once.
          --json                  Print the end as one JSON object, for scripts.
          --code, --payload <file>
                                  File with a new enrolment code; - for standard input,
                                  or to be asked for it.
          --deregister            Have the server forget the keys as well; root only,
                                  with --code.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl oob`() {
    #expect(
      help(OutOfBandCommand.self) == """
        OVERVIEW: Does what a code asks for: registers, or approves or denies a login
        elsewhere.

        A code is one line, as a server prints it or a QR picture holds it. What it
        asks for stands in the code itself. Other people see command lines: the line
        itself is taken there only if its server is this machine, as in a
        demonstration. Whoever cancels an approval leaves it open until its time is
        over; --deny ends it.

        USAGE: uafctl oob [--conf <file>] [--json-conversation] [--together] [--json] [--token] [--deny] <code> [<user>]

        ARGUMENTS:
          <code>                  File with the code; - for standard input, or to be
                                  asked for it.
          <user>                  The account; root only. Your own where it is left out.

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --json-conversation     Ask in lines of JSON.
          --together              Ask in JSON for a new value and its repetition at
                                  once.
          --json                  Print the end as one JSON object, for scripts.
          --token                 Print the server's token.
          --deny                  Deny what the code asks to have approved, for good;
                                  nothing is asked.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl deregister`() {
    #expect(
      help(DeregisterCommand.self) == """
        OVERVIEW: Deletes registrations, here and at the server.

        USAGE: uafctl deregister [--conf <file>] [--json-conversation] [--together] [--json] [--all] [--code <file>] [--token] \
        [<user>] [<type>]

        ARGUMENTS:
          <user>                  The account; root only. Your own where it is left out.
          <type>                  Authenticator type, such as passcode. Not needed
                                  where there is one.

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --json-conversation     Ask in lines of JSON.
          --together              Ask in JSON for a new value and its repetition at
                                  once.
          --json                  Print the end as one JSON object, for scripts.
          --all                   Every authenticator of the account.
          --code, --payload <file>
                                  File with an enrolment code as the proof; - for
                                  standard input, or to be asked for it.
          --token                 Print the server's token, which says that the keys
                                  are gone.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl status`() {
    #expect(
      help(StatusCommand.self) == """
        OVERVIEW: Shows what is registered, and what is locked.

        With --supported, --registered, --locked and --available the exit status
        answers one question about one authenticator type: 0 yes, 1 no, 2 or more
        anything else. What is supported and not registered could be registered. What
        is available can be used for a login, which finds it out in the same way.

        USAGE: uafctl status [--conf <file>] [--json] [--supported <type>] [--registered <type>] [--locked <type>] \
        [--available <type>] [--pam-directory <folder>] [<user>]

        ARGUMENTS:
          <user>                  The account; root only. Your own where it is left out.

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --json                  Print the core's JSON document.
          --supported <type>      Ask whether this machine has the authenticator type.
          --registered <type>     Ask whether the account has it.
          --locked <type>         Ask whether it is locked.
          --available <type>      Ask whether a login can use it now.
          --pam-directory <folder>
                                  Folder of the PAM services. (default: /etc/pam.d)
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl unlock`() {
    #expect(
      help(UnlockCommand.self) == """
        OVERVIEW: Lifts every lock of an account.

        Root names the account. With a file or a code of 24 characters from the
        helpdesk everybody may unlock their own account once; no network is needed.

        USAGE: uafctl unlock [--conf <file>] [--payload <file>] [--code] [<user>]

        ARGUMENTS:
          <user>                  The account; root only. Your own where it is left out.

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --payload <file>        File from the helpdesk; - for standard input, or to
                                  be asked for it.
          --code                  Ask for the code of 24 characters, at the terminal or
                                  as the first line of standard input.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl forget`() {
    #expect(
      help(ForgetCommand.self) == """
        OVERVIEW: Deletes all that this machine knows of an account; root only.

        The server is not told: use deregister for that, as long as the account's keys
        work. Afterwards the account is one that was never registered here, and a
        nouserok in a PAM stack lets it pass.

        USAGE: uafctl forget [--conf <file>] <user>

        ARGUMENTS:
          <user>                  The account.

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl init`() {
    #expect(
      help(InitCommand.self) == """
        OVERVIEW: Makes the key of this machine, once; root only.

        The configuration's [tpm] decides whether a chip seals it. A recovery key opens
        it without the chip, on another mainboard for example.

        USAGE: uafctl init [--conf <file>] [--recovery-key <file>]

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --recovery-key <file>   New file for words that open the key without the chip.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test(arguments: ["uafctl.1", "uaf-server.8", "pam_uaf.8", "pam_uaf.conf.5"])
  func `no quotation in a manual page contains another quotation`(name: String) throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "man/\(name)")
    // In mdoc the rest of the line belongs to the quotation, and so would a further macro.
    let nested = /^\.(?:[A-Z][a-z] )*(?:Ql|Sq|Dq|Qq) .*\b(?:Ql|Sq|Dq|Qq|Pc|Sc|Dc|Fl|Ar|Ic|Cm|Pa|Xr)\b/
    for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
      #expect(line.firstMatch(of: nested) == nil, "\(line)")
    }
  }

  @Test func `the help explains uafctl seal`() {
    #expect(
      help(SealCommand.self) == """
        OVERVIEW: Moves the key of this machine into its chip (TPM); root only.

        Accounts keep working. Afterwards only this machine's chip opens the key, or
        the recovery key. Copies of the key's file that were made before still open it.

        USAGE: uafctl seal [--conf <file>] [--recovery-key <file>]

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --recovery-key <file>   New file for words that open the key without the chip.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl unseal`() {
    #expect(
      help(UnsealCommand.self) == """
        OVERVIEW: Moves the key of this machine from its chip (TPM) into a file; root
        only.

        Accounts keep working. Do this before the chip is cleared or the mainboard
        replaced.

        USAGE: uafctl unseal [--conf <file>]

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl recover`() {
    #expect(
      help(RecoverCommand.self) == """
        OVERVIEW: Opens the key of this machine with its recovery key; root only.

        For a chip that was cleared, replaced or lost. The chip that is there now seals
        the key; with use = "off" in [tpm] it goes into a file. Accounts keep working.

        USAGE: uafctl recover [--conf <file>] [--recovery-key <file>]

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --recovery-key <file>   File with the words; without it they are asked for.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl trust`() {
    #expect(
      help(TrustCommand.self) == """
        OVERVIEW: Writes the server of an enrolment code into the configuration; root
        only.

        USAGE: uafctl trust [--conf <file>] --code <file>

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --code, --payload <file>
                                  File with the enrolment code; - for standard input,
                                  or to be asked for it.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl policy check`() {
    #expect(
      help(PolicyCheckCommand.self) == """
        OVERVIEW: Tries a value against the rules for passcodes, without setting it.

        The value is asked for on the terminal without showing it, or is the first line
        of standard input. The exit status is 0 if it would be accepted; 1 if not, with
        one line for each problem that begins with the rule's key; 2 or more for
        anything else, such as a configuration that cannot be used. Where root follows
        the server, the rules of the policy in force count as well, and a problem says
        that it comes from there; if the core cannot tell them, a value without other
        problems ends with 3. Nothing is stored or sent, and root is not needed:
        whoever is not root may try a file of his own, by itself. Root is told, too,
        for whom the lock options of the file do not hold yet because of wrong entries.

        USAGE: uafctl policy check [--conf <file>]

        OPTIONS:
          --conf <file>           Configuration file; root's or your own.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl facet`() {
    #expect(
      help(FacetCommand.self) == """
        OVERVIEW: Prints who this client says it is, and what a server has to list.

        The first line is the FacetID. The second is the document of trusted facets
        that the server's AppID leads to, as it must be for this client alone; a server
        that has one adds the FacetID to its lists.

        USAGE: uafctl facet [--conf <file>]

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl doctor`() {
    #expect(
      help(DoctorCommand.self) == """
        OVERVIEW: Checks the installation, and says what to do about what is wrong.

        Each line begins with ok, warn, FAIL, or skip where only root can look. The
        exit status is 0 if nothing failed, otherwise 1. With --json it is one object,
        for scripts: uafctl(1) says what its members are.

        USAGE: uafctl doctor [--conf <file>] [--pam-directory <folder>] [--sessions] [--json]

        OPTIONS:
          --conf <file>           Configuration file; root only.
          --pam-directory <folder>
                                  Folder of the PAM services. (default: /etc/pam.d)
          --sessions              Start the shells of the members of uaf-rescue, which
                                  run their own files.
          --json                  Print one JSON object instead of lines.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl pam enable`() {
    #expect(
      help(PAMEnableCommand.self) == """
        OVERVIEW: Has a service ask for the passcode; root only.

        Copies a ready stack to uaf-SERVICE beside the service's file, and changes the
        one line there that includes the password's stack so that it includes this one.
        Nothing is changed before libpam was asked with the new stack, and nothing at
        all where administrators would have no other way in, or where people use the
        service who are not registered on this machine. The shell of an administrator
        who has another way in is started, as that person; their files, such as
        ~/.profile, run, and lines are typed to see whether it runs commands. Again
        with another shape it changes the shape. Other names of the same program, such
        as sudo-i for "sudo -i", are changed with it, all or none.

        USAGE: uafctl pam enable <service> [--shape <shape>] [--template <name>] [--until <day>] [--try <user>] [--dry-run] \
        [--only] [--anyway] [--no-sessions] [--pam-directory <folder>]

        ARGUMENTS:
          <service>               The service, such as sudo.

        OPTIONS:
          --shape <shape>         The passcode's part: instead (of the password),
                                  fallback (passcode and password where the server
                                  cannot be reached) or second-factor (after the
                                  password). Left out: instead for sshd and simple
                                  greeters (sddm, plasmalogin, ly), otherwise fallback.
                                  (values: instead, fallback, second-factor)
          --template <name>       The ready stack: sudo, sshd, login, su, polkit-1,
                                  display-manager, sddm or locker. Left out: the
                                  service's own.
          --until <day>           The last day (YYYY-MM-DD, in UTC) on which people who
                                  never registered on this machine get in with the
                                  password. Registered people need the passcode. Left
                                  out: never, and an earlier day is removed.
          --try <user>            Logs this account in at the terminal first, and
                                  changes nothing where that fails.
          --dry-run               Shows what would be changed, tries it with libpam,
                                  starts nobody's shell, and changes nothing.
          --only                  Leaves other names of the same program as they are,
                                  such as sudo-i beside sudo.
          --anyway                Goes on although people who use the service today
                                  will be refused: they are not registered, this
                                  machine lacks what a login needs, or sshd's settings
                                  keep the stack from working. It also goes on if some
                                  have an empty password.
          --no-sessions           Starts nobody's shell: who has another way in is
                                  judged from files alone.
          --pam-directory <folder>
                                  Folder of the PAM services. (default: /etc/pam.d)
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `the help explains uafctl pam disable and pam status`() {
    #expect(
      help(PAMDisableCommand.self) == """
        OVERVIEW: Undoes 'pam enable' for a service, or for all; root only.

        Puts the one line back that enable changed, and removes the stack; other lines
        stay as they are, and a stack that was edited is kept under a hidden name.
        Fails, and names them, where lines that ask for the passcode remain: those that
        uafctl did not write are never touched. With a program's main name, such as
        sudo, its other names, such as sudo-i, stop asking as well.

        USAGE: uafctl pam disable [<service>] [--all] [--only] [--pam-directory <folder>]

        ARGUMENTS:
          <service>               The service, such as sudo.

        OPTIONS:
          --all                   Every service that was enabled.
          --only                  Leaves other names of the same program as they are,
                                  such as sudo-i beside sudo.
          --pam-directory <folder>
                                  Folder of the PAM services. (default: /etc/pam.d)
          --version               Show the version.
          -h, --help              Show help information.

        """)
    #expect(help(PAMStatusCommand.self).contains("USAGE: uafctl pam status [--pam-directory <folder>] [--json]\n"))
  }

  @Test func `each help text calls what a person gets a code, and what a machine gets a payload`() {
    for command in Uafctl.configuration.subcommands + [Uafctl.self] where command != JoinCommand.self {
      let text = help(command).replacing("--code, --payload <file>", with: "").replacing("machine payload", with: "")
        .replacing("--payload <file>", with: "")
      #expect(!text.lowercased().contains("payload"), "\(text)")
    }
  }

  @Test func `the help of join and leave says what they change`() {
    #expect(help(JoinCommand.self).contains("server refuses."))
    #expect(help(LeaveCommand.self).contains("--force"))
  }

  @Test func `help and version are printed on standard output, with a success`() {
    for arguments in [
      ["--help"], ["status", "--help"], ["help", "status"], ["--version"], ["status", "--version"], [],
    ] {
      let bench = Bench(arguments)
      #expect(bench.exit == .success)
      #expect(!bench.output.isEmpty && bench.notes == "")
      #expect(bench.startedOwn.isEmpty)
    }
    #expect(Bench(["--version"]).output == "uafctl (pam-uaf) \(ToolVersion.number)\n")
  }

  @Test(arguments: [
    (["pam", "disable"], "Name a service, or give --all."),
    (["pam", "disable", "sudo", "--all"], "--all and a service exclude each other"),
  ])
  func `pam disable needs either a service or --all, and says what is wrong with none and with both`(
    arguments: [String], told: String
  ) {
    let bench = Bench(arguments, as: 0)
    #expect(bench.exit == .usage)
    #expect(bench.notes.hasPrefix("uafctl: \(told)\nUsage: uafctl pam disable "), "\(bench.notes)")
  }

  @Test(arguments: [
    ["--bogus"], ["unlock"], ["forget"], ["trust"], ["oob"], ["status", "--available"],
    ["status", "a", "b"], ["deregister", "passcode", "--all"], ["authenticate", "--code", "x"],
    ["register", "--code"],
    ["status", "--json=yes"], ["init", "alice"], ["unlock", "alice", "bob"],
  ])
  func `refuses unknown and missing arguments, and shows the usage of the command`(arguments: [String]) {
    let bench = Bench(arguments, as: 0)
    #expect(bench.exit == .usage)
    #expect(bench.output == "")
    #expect(bench.notes.hasPrefix("uafctl: ") && bench.notes.contains("\nUsage: uafctl "))
    #expect(bench.startedOwn.isEmpty)
  }
}
