import Foundation
import Glibc
import HostSystem
import ProgramTesting
import Testing
import ToolTestSupport

@testable import PAMStacks

/// What is typed at a shell, and what its output means; no shell runs here.
@Suite struct SessionDialogueTests {
  private var dialogue = SessionDialogue(mark: "uafx", home: "/home/a", needsSudo: true)

  private static let command = " false\r echo uafx\"\"here$HOME\r"
  private static let idle = " echo uafx\"\"idle:${TMOUT-}:\r"
  private static let sudo = "\u{15} sudo -V && echo uafx\"\"root; echo uafx\"\"done\r"

  /// A dialogue in which a command was typed.
  private func typed(needsSudo: Bool = true) -> SessionDialogue {
    var dialogue = SessionDialogue(mark: "uafx", home: "/home/a", needsSudo: needsSudo)
    for now in [0, 300, 600] { _ = said(&dialogue, now == 0 ? "Welcome\r\n" : "", at: now) }
    return dialogue
  }

  /// A dialogue whose shell has run that command.
  private func ran(needsSudo: Bool = true) -> SessionDialogue {
    var dialogue = typed(needsSudo: needsSudo)
    _ = said(&dialogue, "uafxhere/home/a\r\n", at: 700)
    return dialogue
  }

  private func said(_ dialogue: inout SessionDialogue, _ text: String, at now: Int) -> SessionDialogue.Step {
    dialogue.next(at: now, received: Array(text.utf8), isEnded: false)
  }

  private func ended(_ dialogue: inout SessionDialogue, _ text: String, at now: Int) -> SessionDialogue.Step {
    dialogue.next(at: now, received: Array(text.utf8), isEnded: true)
  }

  @Test func `types an empty line once the shell is quiet, and then commands`() {
    var dialogue = dialogue
    #expect(said(&dialogue, "Keep the logs? [Y/n] ", at: 0) == .wait(milliseconds: 200))
    #expect(said(&dialogue, "", at: 200) == .type("\r"))
    #expect(said(&dialogue, "\r\n$ ", at: 250) == .wait(milliseconds: 200))
    #expect(said(&dialogue, "", at: 450) == .type(Self.command))
  }

  @Test func `types although a profile never stops writing`() {
    var dialogue = dialogue
    for now in stride(from: 0, to: 1500, by: 100) {
      guard case .wait = said(&dialogue, ".", at: now) else {
        Issue.record("something was typed after \(now) ms")
        return
      }
    }
    #expect(said(&dialogue, ".", at: 1500) == .type("\r"))
    _ = said(&dialogue, ".", at: 2900)
    #expect(said(&dialogue, ".", at: 3000) == .type(Self.command))
  }

  @Test func `types again, because a profile may have read the first command`() {
    var dialogue = typed()
    #expect(said(&dialogue, "Press Enter", at: 700) == .wait(milliseconds: 1900))
    #expect(said(&dialogue, "", at: 2600) == .type(Self.command))
  }

  @Test(arguments: [
    " echo uafx\"\"here$HOME\r\n", "uafx\"\"here$HOME\r\n", "bash: echo uafx: not found\r\n", "echo uafxhere$HOME\r\n",
    "uafxhere/home/", "uafyhere/home/a\r\n",
  ])
  func `neither the echo of the terminal nor a program that repeats its input is a shell`(text: String) {
    var dialogue = typed()
    guard case .wait = said(&dialogue, text, at: 700) else {
      Issue.record("\(text) was taken for an answer")
      return
    }
    #expect(
      said(&dialogue, "", at: 20_000)
        == .end(.silent(seconds: 20, last: text.contains("uafx") ? "Welcome" : "uafyhere/home/a")))
  }

  @Test func `a shell that runs a command must stay, and find sudo`() {
    var dialogue = typed()
    #expect(said(&dialogue, "uafxhere/home/a\r\n$ ", at: 700) == .type(Self.idle))
    #expect(said(&dialogue, "uafxidle::\r\n$ ", at: 800) == .wait(milliseconds: 1900))
    #expect(said(&dialogue, "", at: 2700) == .type(Self.sudo))
    #expect(said(&dialogue, "Sudo version 1\r\nuafxroot\r\nuafxdone\r\n", at: 2800) == .end(nil))
  }

  @Test func `a shell that does not know the syntax of TMOUT is asked nothing else`() {
    var dialogue = ran()
    #expect(said(&dialogue, "fish: ${ is not a valid variable\r\n> ", at: 800) == .wait(milliseconds: 1900))
    #expect(said(&dialogue, "", at: 2700) == .type(Self.sudo))
  }

  @Test func `a person who is root needs no sudo`() {
    var dialogue = ran(needsSudo: false)
    #expect(said(&dialogue, "", at: 2700) == .end(nil))
  }

  /// A dialogue in which sudo was typed.
  private func asked() -> SessionDialogue {
    var dialogue = ran()
    _ = said(&dialogue, "", at: 2700)
    return dialogue
  }

  @Test func `refuses a shell without sudo, with the last line that it wrote`() {
    var dialogue = asked()
    #expect(
      said(&dialogue, " sudo -V\r\nrbash: sudo: restricted\r\nuafxdone\r\n$ ", at: 2800)
        == .end(.noSudo(last: "rbash: sudo: restricted")))
  }

  @Test func `refuses an alias of that name that only succeeds`() {
    var dialogue = asked()
    #expect(said(&dialogue, " sudo -V && echo\r\nuafxroot\r\nuafxdone\r\n", at: 2800) != .end(nil))
  }

  @Test func `refuses a sudo that never ends`() {
    var dialogue = asked()
    #expect(said(&dialogue, "waiting\r\n", at: 22_699) == .wait(milliseconds: 1))
    #expect(said(&dialogue, "", at: 22_700) == .end(.noSudo(last: "waiting")))
  }

  @Test func `refuses a shell that ends, before its answer or a moment later`() {
    var dialogue = typed()
    #expect(
      ended(&dialogue, "\u{1B}[31mno\u{1B}[0m \u{7}access\r\n", at: 700) == .end(.ended(last: "no access")))
    dialogue = ran()
    #expect(ended(&dialogue, "logout\r\n", at: 900) == .end(.ended(last: "logout")))
    // The echo is not the shell's own text.
    dialogue = typed()
    #expect(ended(&dialogue, " false\r\n", at: 700) == .end(.ended(last: "Welcome")))
    dialogue = asked()
    #expect(ended(&dialogue, "killed\r\n", at: 2800) == .end(.ended(last: "killed")))
  }

  @Test(arguments: ["5", " 59", "4s", "7.5"])
  func `waits as long as a short TMOUT says, and refuses a shell that then ends`(value: String) {
    var dialogue = ran()
    let seconds = Int(value.filter(\.isNumber).prefix(value.contains(".") ? 1 : 2)) ?? 0
    #expect(said(&dialogue, "uafxidle:\(value):\r\n", at: 800) == .wait(milliseconds: seconds * 1000 + 2000))
    var staying = dialogue
    #expect(ended(&dialogue, "timed out\r\n", at: 800 + seconds * 1000) == .end(.impatient(seconds: seconds)))
    // zsh may use the variable as a clock.
    #expect(said(&staying, "", at: 2800 + seconds * 1000) == .type(Self.sudo))
  }

  @Test(arguments: ["60", "900", "0", "", "x", "-5"])
  func `a TMOUT that gives time to type, or is none, changes nothing`(value: String) {
    var dialogue = ran()
    #expect(said(&dialogue, "uafxidle:\(value):\r\n", at: 800) == .wait(milliseconds: 1900))
  }

  @Test func `a shell that writes without end uses little memory, and is refused`() {
    var dialogue = typed()
    let much = String(repeating: "x", count: 1 << 16)
    for now in 0..<40 { _ = said(&dialogue, much, at: 700 + now) }
    #expect(
      said(&dialogue, much, at: 20_000) == .end(.silent(seconds: 20, last: String(repeating: "x", count: 200))))
  }
}

/// Profiles, each run by a real shell at a terminal of its own.
@Suite struct SessionTrialTests {
  private let home: Folder
  private let person: SessionPerson
  // Long enough for a loaded machine; only a shell that does not end uses it up.
  private var times = SessionDialogue.Times(limit: 20_000, quiet: 50, noisy: 500, patience: 1_000, settling: 100)

  init() {
    home = Folder()
    home.setMode(0o777, of: ".")
    let (userID, group) = geteuid() == 0 ? (65_534, 65_534) : (getuid(), getgid())
    person = SessionPerson(
      name: "bob", userID: userID, group: group, groups: [group], home: home.path, shell: "/bin/bash")
  }

  private func flaw(
    _ files: [String: String], shell: String = "/bin/bash", needsSudo: Bool = false, limit: Int? = nil
  ) -> SessionFlaw? {
    for (name, text) in files {
      home.delete(name)
      _ = home.file(name, Array(text.utf8), mode: 0o644)
    }
    var trial = SessionTrial(person: person, times: times)
    if let limit { trial.times.limit = limit }
    return trial.run(shell: shell, needsSudo: needsSudo)
  }

  private func profile(_ text: String) -> [String: String] {
    [".profile": text.replacing("1000", with: "\(person.userID)")]
  }

  @Test(arguments: [
    "exit 1\n", "logout\n", "exec false\n", "  exit $?  # bye\n", "kill -9 $$\n", "f() {\n  exit 1\n}\nexit 2\n",
    "for a in b; do\n  c\ndone\nlogout\n", "case $- in\n*i*) ;;\n*) return;;\nesac\nshopt -s histappend\nexit\n",
    "x='a\nb'\nexit\n", "{ exit; }\n", "exit 1 >&2\n", "exit > /dev/null 2>&1\n", "2>/dev/null kill -9 $$\n",
    "eval \"exit 1\"\n", "A=1 exit\n", "true &\nexit\n", "exec bash -c date\n", "exec xonsh\n", "exec </dev/null\n",
    "set -euo pipefail\n", "trap 'exit 1' DEBUG\n", "TMOUT=1\n", "readonly TMOUT=5\n",
    "f() (exit)\nexit\n", "a=(1 2)\n[[ -n $a && -z $b ]] && exit\nexit\n",
    "[ `id -u` -eq 0 ] || exit\n", "test $UID -ge 1000 && exit\n", "[ ! $(whoami) = root ] && exit\n",
    "if [ \"$USER\" = bob ]; then\n  exit 1\nfi\n", "if ! test $(id -u) = 0; then\n  exit\nfi\n",
    "if [ $UID = 0 ]; then\n  :\nelif [ $UID = 1000 ]; then\n  exit\nfi\n", "[ $UID = 0 ] && a || exit\n",
    "[ \"x$USER\" = xroot ] || exit\n", "(( UID )) && exit\n", "if (( $UID >= 1000 )); then\n  exit\nfi\n",
    "case $USER in\nroot) ;;\n*) exit;;\nesac\n", "case \"x$USER\"\nin\n  (xroot|xbob) exit\nesac\n",
    "case $USER in b?b) echo a; exit; esac\n", "if [ \"$USER\" = bob ]; then\n  exit 1\nfi\n",
    "[ -x /a ] || { echo no; exit 1; }\n", "false ||\n\nexit\n", "true &&\nexit 1\n",
    "if a; then\n  :\nelif [ $UID = 1000 ]; then\n  exit\nfi\n",
    "a || [ $UID = 1000 ] && exit\n",
    "[[ $USER != !(bob) ]] && exit\n",
    "if [ $UID = 1000 ]; then :; fi && exit\n", "[ \"\\$USER\" != bob ] && exit\n", "(( UID > LEAST )) && exit\n",
    "case '$USER' in '$USER') exit ;; esac\n", "case $USER in $OTHER) ;; *) exit ;; esac\n",
    "[ -t 0 ] && case $USER in bob) exit ;; esac\n",
    "[ -n \"$PS1\" ] && exit\n", "[ -z \"$SSH_TTY\" ] && exit\n", "case $HOME in /root) ;; *) exit;; esac\n",
    "if true; then exit; fi\n", "die() {\n  exit 1\n}\n[ -x /a ] || die\n",
    "until false; do read c; done\n",
    "for a in b; do exit; done\n", "TMOUT=$((1+2))\n", "let TMOUT=3\n", "PROMPT_COMMAND=(true exit)\n",
    "sleep infinity\n",
  ])
  func `a profile that ends the session is seen`(text: String) {
    #expect(flaw(profile(text), limit: 2_000) != nil)
  }

  @Test(arguments: [
    "", "f() { exit 1; }\n", "(a; exit; b)\n", "# exit 1\n", "cat <<E\nexit 1\nE\n", "alias x=exit\n",
    "exec 2>/dev/null\n", "exec 3<&-\n", "kill -9 $SSH_AGENT_PID\n",
    "set -o vi\n", "set -- -e\n", "trap 'exit 1' INT TERM\n", "trap - DEBUG\n", "TMOUT=0\n",
    "ulimit -c 0\n", "ulimit -n 65536\n", "exit &\n", "x=\"$(\nexit\n)\"\n", "case $1 in\n  exit) ;;\nesac\n",
    "function f() {\n  exit\n}\n", "exec /bin/bash\n", "true \\\n  exit 1\n", "while false; do\n  exit\ndone\n",
    "exit 1 2 3 4\n", "echo exit\n", "bash --norc\nexit\n", "[ -z \"$PS1\" ] && exit\n",
    "[[ $- != *i* ]] && exit\n", "tty -s || exit\n", "die() { exit 1; }\nexport -f die\nunset -f die\n",
    "while false; do exit; done\n", ": ${TMOUT:=900}\n", "sleep 1\n", "PROMPT_COMMAND=(true)\n",
    "for a in b; do c; done\n", "[ \"$(id -u)\" != 0 ] || exit\n", "if [ \"$USER\" = alice ]; then\n  exit 1\nfi\n",
    "[ $UID = 1000 ] | exit\n", "f() {\n  [ $UID = 1000 ] && exit\n}\n",
    "[ $UID = 0 ] && if false; then :; else exit; fi\n", "a | if :; [ $UID = 1000 ]; then exit; fi\n",
    "if [ $USER = bob ]; then exit; fi &\n", "[ $USER = bob ] && exit && true &\n",
    "[ \"x$USER\" = xroot ] && exit\n", "f()\n{\n  exit\n}\n", "(( UID )) || exit\n", "((true); exit)\n",
    "case $USER in bob) ;; *) exit ;; esac\n",
  ])
  func `a profile that lets the shell run commands is not refused`(text: String) {
    #expect(flaw(profile(text)) == nil)
  }

  @Test(arguments: [
    // What reading the text of a profile cannot decide.
    "(kill -9 $$)\n", "die() { eval \"$1\"; }\ndie exit\n", "$(printf exit)\n",
    "alias ls=exit\nshopt -s expand_aliases\neval ls\n",
    "exec zsh-that-is-not-there\n", "x=exit; $x\n", "function bye { exit; }\nbye\n",
    "python3 -c 'import os, signal; os.kill(os.getppid(), signal.SIGKILL)'\n",
    "printf 'exit 1\\n' > ~/.own\n. ~/.own\n", "stty raw -echo; exec cat\n",
    "for f in $(ls -a ~ | grep own); do . ~/$f; done; kill -9 $(ps -o ppid= -p $(sh -c 'echo $PPID'))0 || exit\n",
    "echo Choose:; select x in a b; do exit; done\n", "exec 1>/dev/null 2>/dev/null\n", "exec 0</dev/null\n",
    "PS0='$(kill -9 $$)'\n", "trap 'kill -9 $$' DEBUG\n", "cat\n", "exec -l bash\n", "set -e\n", "trap 'exit 1' ERR\n",
    "exec > /dev/null 2>&1\n",
  ])
  func `a profile that ends the session in ways that its text does not show is seen`(text: String) {
    #expect(flaw(profile(text), limit: 2_000) != nil)
  }

  @Test func `says what the shell wrote before it ended`() {
    #expect(flaw(profile("echo 'this host is closed'; exit 1\n")) == .ended(last: "this host is closed"))
    #expect(flaw(profile("TMOUT=1\n")) == .impatient(seconds: 1))
  }

  @Test func `a profile that ends the shell a moment after its first command is seen`() {
    _ = home.file(".profile", Array("PROMPT_COMMAND='((n++)) && exit'\n".utf8), mode: 0o644)
    #expect(SessionTrial(person: person).run(needsSudo: true) != nil)
    #expect(flaw([".profile": "(sleep 0.3; kill -9 $$) &\n"], needsSudo: false) == nil, "a short wait sees nothing")
    #expect(SessionTrial(person: person).run(needsSudo: false) != nil)
  }

  @Test func `what a profile asks gets an empty answer first`() {
    #expect(flaw(profile("read -p 'Press Enter' x\n")) == nil)
    #expect(flaw(profile("read -p 'Delete? [y/N] ' x; [ -z \"$x\" ] || exit\n")) == nil)
    #expect(flaw(profile("read -p 'Name: ' x; [ -n \"$x\" ] || exit\n")) != nil)
  }

  @Test func `the shell has a keyring of its own, not that of root's session`() throws {
    // keyctl(2) with KEYCTL_GET_KEYRING_ID of the session's keyring; its number depends on the machine.
    let program =
      "import ctypes, os; n = {'x86_64': 250, 'aarch64': 219}[os.uname().machine]; "
      + "print(ctypes.CDLL(None).syscall(n, 0, -3, 0))"
    #expect(flaw(profile("python3 -c \"\(program)\" > ~/keyring 2>&1\n")) == nil)
    let output = Foundation.Pipe()
    let own = try StartedProgram(
      ["/usr/bin/python3", "-c", program], environment: ["PATH": "/usr/bin:/bin"],
      input: .file(try #require(FileHandle(forReadingAtPath: "/dev/null"))), output: .pipe(output))
    let number = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(own.wait() == 0)
    // A container may permit no keyrings.
    let theirs = SystemPasswords().text(of: home.path + "/keyring")
    #expect(theirs != nil && (theirs != number || number == "-1\n"))
  }

  @Test func `a program of an earlier login is not reached through its socket`() throws {
    guard person.userID != getuid(), !home.path.hasPrefix("/tmp/") else { return }
    let file = "/tmp/uafctl-test-\(getpid())"
    // SAFETY: the paths live for the calls.
    #expect(unsafe creat(file, 0o666) >= 0)
    defer { _ = unsafe unlink(file) }
    #expect(flaw(profile("[ -e \(file) ] && exit\n[ -w /tmp ] || exit\n")) == nil)
  }

  @Test func `the shell must find sudo, through its own PATH and aliases`() {
    _ = home.file("sudo", Array("#!/bin/sh\necho Sudo version 1\n".utf8), mode: 0o755)
    func flaw(_ text: String, shell: String = "/bin/bash") -> SessionFlaw? {
      self.flaw(profile("PATH=$HOME:$PATH\n" + text), shell: shell, needsSudo: true)
    }
    #expect(flaw("") == nil)
    #expect(flaw("alias sudo='echo use doas; false'\n") == .noSudo(last: "use doas"))
    for other in ["alias sudo=true\n", "sudo() { :; }\n", "command_not_found_handle() { :; }\nPATH=/usr/none\n"] {
      #expect(flaw(other) != nil, "\(other)")
    }
    #expect(flaw("PATH=/nonexistent\n") == .noSudo(last: "-bash: sudo: command not found"))
    #expect(flaw("ulimit -u 0\n").map { _ in true } == (person.userID == 0 ? nil : true))
  }

  @Test(arguments: ["/bin/sh", "/bin/dash", ""])
  func `other shells read their own files`(shell: String) {
    #expect(flaw([".profile": ""], shell: shell) == nil)
    #expect(flaw([".profile": "exit\n"], shell: shell) == .ended(last: ""))
    #expect(flaw([".profile": "", ".bash_profile": "exit\n"], shell: shell) == nil)
  }

  @Test(arguments: ["/nonexistent/shell", "/bin/false", "/etc/passwd"])
  func `a program that is no shell gives no session`(shell: String) {
    #expect(flaw([:], shell: shell) == .ended(last: ""))
  }

  @Test func `the shell has the person's own rights, and begins at home or in the root folder`() throws {
    let test = "[ $(id -u) = \(person.userID) ] && [ \"$PWD\" = \"$HOME\" ] || exit\n"
    #expect(flaw(profile(test + "[ $(id -un) = root ] || [ \"$(id -G)\" = \(person.group) ] || exit\n")) == nil)
    #expect(flaw(profile(test + "exit\n")) != nil)
    var away = SessionTrial(
      person: SessionPerson(
        name: "bob", userID: person.userID, group: person.group, groups: person.groups, home: "/nonexistent",
        shell: "/bin/sh"))
    away.times = times
    #expect(away.run(needsSudo: false) == nil)
  }

  /// Whether a process of this machine was started in the session: each has its variable HOME.
  private func isAnythingLeft() -> Bool {
    (PAMDirectory(path: "/proc").names() ?? []).contains { name in
      let variables = PAMDirectory(path: "/proc/" + name).bytes(of: "environ")
      return variables.map { String(decoding: $0, as: UTF8.self).contains("HOME=" + home.path + "\0") } ?? false
    }
  }

  @Test(arguments: [
    "(setsid sleep 1000 &)\n", "sleep 1000 &\n", "(sh -c 'kill -STOP $$' &)\n", "(trap '' HUP TERM; sleep 1000) &\n",
    // A target that moves.
    "again() { sleep 0.01; again & }\nagain &\n",
  ])
  func `nothing that a profile started outlives the session`(text: String) {
    #expect(flaw(profile(text + "touch ~/done\n")) == nil)
    #expect(SystemPasswords().hasFile(home.path + "/done"))
    #expect(!isAnythingLeft())
  }

  @Test func `no command is kept in a history`() {
    let text = "HISTFILE=~/.history; HISTCONTROL=ignorespace; set -o history\nshopt -s histappend\n"
    #expect(flaw(profile(text)) == nil)
    #expect(SystemPasswords().text(of: home.path + "/.history") == nil)
  }

  @Test func `opens the lines that set variables and limits, and no others`() throws {
    let tester = FakeTester()
    let folder = Folder()
    _ = folder.file(
      "login",
      Array(
        """
        session required pam_limits.so set_all
        session optional pam_motd.so
        @include common-session
        -session required pam_env.so [envfile=/etc/a b] readenv=1
        auth required pam_env.so

        """.utf8), mode: 0o644)
    _ = folder.file("common-session", Array("session required pam_env.so\n".utf8), mode: 0o644)
    let sessions = TriedSessions(
      by: tester, in: try TrialFolder(copying: folder.path, vendors: [], in: home.path),
      PAMDirectory(path: folder.path))
    tester.sessions = ["bob": .ended(last: "")]
    #expect(sessions.flaw(of: "alice", "/bin/sh", true) == nil && sessions.flaw(of: "bob", "", true) != nil)
    #expect(sessions.flaw(of: "alice", "/bin/sh", true) == nil && sessions.flaw(of: "bob", "", true) != nil)
    #expect(tester.started.map(\.name) == ["alice", "bob"])
    #expect(
      tester.started.first?.lines
        == """
        session optional pam_limits.so set_all
        session optional pam_env.so\u{20}
        session optional pam_env.so [envfile=/etc/a b] readenv=1

        """)
  }

  @Test func `a session has the variables of pam_env`() throws {
    let folder = Folder()
    let variables = folder.file("variables", Array("PROMPT_COMMAND=exit\n".utf8), mode: 0o644)
    _ = folder.file(
      "tried", Array("session optional pam_env.so conffile=/dev/null envfile=\(variables)\n".utf8), mode: 0o644)
    var trial = SessionTrial(person: person, service: ("tried", folder.path), times: times)
    #expect(trial.run(needsSudo: false) == .ended(last: ""))
    trial.service = nil
    #expect(trial.run(needsSudo: false) == nil)
  }

  @Test func `an account that does not exist has no session`() {
    let libpam = LibPAM(tty: nil)
    #expect(
      libpam.session(of: "no such account", shell: "", opening: nil, in: home.path, needsSudo: false)
        == .notTried(ENOENT))
  }

  @Test func `reads which program login starts instead of every shell`() {
    let folder = Folder()
    func read(_ text: String) -> String? {
      folder.delete("login.defs")
      return SystemPasswords(loginPath: folder.file("login.defs", Array(text.utf8), mode: 0o644)).shellOfEverybody()
    }
    #expect(read("# FAKE_SHELL /bin/fakeshell\n") == nil && read("FAKE_SHELL\n") == nil)
    #expect(read("FAKE_SHELL /bin/a\nFAKE_SHELL\t/bin/b # x\n") == "/bin/b")
  }

  @Test func `the groups of an account include its primary group`() {
    #expect(SystemPasswords().groups(of: "root").contains("root"))
    #expect(SystemPasswords().groups(of: "no such account") == [])
  }

  @Test(arguments: ["/bin/bash", "/bin/ls", "/bin/login"])
  func `finds the libraries of the programs of this machine`(program: String) {
    guard ELFFile(program) != nil else { return }
    #expect(SharedLibraries.missing(for: program) { _ in true } == nil)
    #expect(SharedLibraries.missing(for: program) { _ in false } != nil)
    #expect(ELFFile(program)?.needed.contains("libc.so.6") == true)
  }

  @Test func `does not examine a file that is not a program for this machine`() {
    let folder = Folder()
    for bytes in [
      [], [1, 2, 3], [0x7F, 0x45, 0x4C, 0x46, 2, 1],
      [0x7F, 0x45, 0x4C, 0x46, 2, 1] + [UInt8](repeating: 255, count: 99),
    ] {
      folder.delete("x")
      #expect(SharedLibraries.missing(for: folder.file("x", bytes, mode: 0o755)) { _ in true } == nil)
    }
  }
}

/// Lines of pam_env.conf, each tried with pam_env of Linux-PAM 1.5 in a session.
@Suite struct EnvironmentTextTests {
  @Test(arguments: [
    ("A DEFAULT=${HOME\n", 1), ("# x\nA DEFAULT=x OVERRIDE=@{PAM_USER\n", 2), ("A DEFAULT=${\n", 1), ("# \0\n", 1),
    ("A OVERRIDE=${HOME}${X\n", 1), ("A DEFAULT=x\\", 1), ("\n#" + String(repeating: "x", count: 9000) + "\n", 2),
    ("A DEFAULT=\\\\${FOO\n", nil), ("A \\\n DEFAULT=${X\n", 1),
  ])
  func `a line that makes pam_env abort is found`(text: String, line: Int?) {
    #expect(EnvironmentText.unread(text) == line)
  }

  @Test(arguments: [
    "", "# a\n", "A\n", "A=x\n", "A FOO=${BAR\n", "A DEFAULT=\"x y\n", "A DEFAULT=${HOME}/x\n", "A DEFAULT=\\${HOME\n",
    "A DEFAULT=@{NOSUCH}\n", "A DEFAULT=$\n", "A DEFAULT=x # ${\n", "A DEFAULT=a@b\n", "A DEFAULT=\u{1}\n", "\\\n",
    "#\\\n",
    "A DEFAULT=" + String(repeating: "x", count: 8000) + "\n",
  ])
  func `a line that pam_env skips or understands is not`(text: String) {
    #expect(EnvironmentText.unread(text) == nil)
  }
}
