import Testing
import ToolTestSupport

@testable import PAMStacks

/// Lines that end every session, in the files that a shell reads at the beginning.
///
/// Each was tried with login and bash.
@Suite struct SessionFilesTests {
  @Test(arguments: [
    ("exit 1\n", 1), ("# x\n\nexit\n", 3), ("logout\n", 1), ("umask 022; exit 1\n", 1), ("exec false\n", 1),
    ("exec /usr/sbin/nologin\n", 1), ("  exit $?  # bye\n", 1), ("builtin exit 1\n", 1), ("kill -9 $$\n", 1),
    ("if true; then\n  a\nfi\nexit 0\n", 4), ("f() {\n  exit 1\n}\nexit 2\n", 4),
    ("case $- in\n*i*) ;;\nesac\nexit\n", 4),
    ("for a in b; do\n  c\ndone\nlogout\n", 4),
    ("if a; then\n  return\nfi\nexit 1\n", 4),
    ("case $- in\n*i*) ;;\n*) return;;\nesac\nshopt -s histappend\nexit\n", 6), ("cat <<E\nexit 1\nE\nexit\n", 4),
    ("x='a\nb'\nexit\n", 3), ("[ -x /a ] && eval \"$(SHELL=/bin/sh a)\"\nexit\n", 2), ("{ exit; }\n", 1),
    ("eval exit\n", 1),
    ("exit 1 >&2\n", 1), ("exit 1 2>/dev/null\n", 1), ("exit > /dev/null 2>&1\n", 1), (">/dev/null exit 0\n", 1),
    ("2>/dev/null kill -9 $$\n", 1), ("exit 1 <<E\nx\nE\n", 1),
    ("eval \"exit 1\"\n", 1), ("\\exit\n", 1), ("A=1 exit\n", 1), ("exit || true\n", 1), ("true &\nexit\n", 2),
    ("exec /usr/bin/passwd\n", 1), ("exec bash -c date\n", 1), ("exec /nosuch/bash\n", 1), ("exec xonsh\n", 1),
    ("exec sleep 9\n", 1),
    ("exec </dev/null\n", 1), ("exec 0<&-\n", 1), ("exec > /var/log/x\n", 1), ("shopt -s execfail\nexec /nosuch\n", 2),
    ("kill $$\n", 1), ("kill -HUP $PPID\n", 1), ("kill -9 -1\n", 1), ("kill -s TERM 0\n", 1), ("pkill -u $USER\n", 1),
    ("pkill bash\n", 1), ("loginctl terminate-session ''\n", 1), ("set -e\n", 1), ("set -euo pipefail\n", 1),
    ("set -o errexit\n", 1), ("trap 'exit 1' DEBUG\n", 1), ("trap \"kill -9 $$\" ERR\n", 1), ("TMOUT=1\n", 1),
    ("export TMOUT=5\n", 1), ("readonly TMOUT=5\n", 1), ("PROMPT_COMMAND='exit 1'\n", 1), ("ulimit -u 0\n", 1),
    ("ulimit -S -n 3\n", 1), ("ulimit 0\n", 1), ("function f {\n  exit\n}\nexit\n", 4), ("f() (exit)\nexit\n", 2),
    ("until a; do b; done; exit\n", 1), ("a=(1 2)\n[[ -n $a && -z $b ]] && exit\nexit\n", 2),
  ])
  func `finds a line of a profile that may end the shell`(text: String, line: Int) {
    #expect(SessionFiles.ending(text) == line)
  }

  @Test(arguments: [
    "", "[ -t 0 ] || exit 1\n",
    "f() { exit 1; }\n",
    "(cd /; exit 1)\n", "(a; exit; b)\n", "echo \"a; exit ; b\"\n", "# exit 1\n",
    "return\nexit 1\n", "cat <<E\nexit 1\nE\n", "echo '\nexit 1\n'\n", "alias x=exit\n", "trap 'exit 1' 0\n",
    "exec 2>/dev/null\n", "exec >/dev/null\n", "exec > /dev/null 2>&1\n", "exec 3>~/.log\n", "exec 3<&-\n",
    "exec $SHELL -l\nexit\n", "exec -l bash\n", "kill -0 $$\n", "kill -9 $SSH_AGENT_PID\n", "kill -WINCH $$\n",
    "pkill -9 dunst\n",
    "set +e\n", "set -o vi\n", "set -u\n", "set -- -e\n", "trap '' INT\n", "trap 'exit 1' INT TERM\n",
    "trap 'echo' DEBUG\n",
    "trap - DEBUG\n", "TMOUT=900\nreadonly TMOUT\nexport TMOUT\n", "TMOUT=0\n", "PROMPT_COMMAND='history -a'\n",
    "ulimit -c 0\n", "ulimit -S -c 0 > /dev/null 2>&1\n", "ulimit -n 65536\n", "exit | cat\n", "exit &\n",
    "[ -t 0 ] && return\nexit\n",
    "x=\"$(\nexit\n)\"\n", "x=`exit`\n", "case $1 in\n  exit) ;;\nesac\n",
    "f () {\n  exit\n}\n", "function f() {\n  exit\n}\n",
    "a=${b:-\nexit}\n",
    "exec /bin/bash\n", "case $- in\n*i*) ;;\n*) exit ;;\nesac\n", "true \\\n  exit 1\n",
    "x=$(\nexit 1\n)\n",
    "while false; do\n  exit\ndone\n", "function f {\n  exit\n}\n", "exit 1 2 3 4\n", "f()\n{\n  exit 1\n}\n",
    "echo exit\n",
    "exec /bin/bash --norc\nexit\n", "bash --norc\nexit\n",
    "exit() { true; }\nexit 1\n",

    "[ -z \"$PS1\" ] && exit\n", "[[ $- == *i* ]] || exit\n", "[[ $- != *i* ]] && exit\n",
    "case $- in *i*) ;; *) exit;; esac\n", "tty -s || exit\n", "[ ! -t 1 ] && exit\n",
    "die() { exit 1; }\nexport -f die\nunset -f die\n", "while true; do read c && break; done\n",
    "while false; do exit; done\n", "TMOUT=$((15*60))\n", ": ${TMOUT:=900}\n", "TMOUT=${TMOUT:-600}\n", "sleep 1\n",
    "true || exit\n", "PROMPT_COMMAND=(true)\n", "a | while read x; do exit; done\n", "for a in b; do c; done\n",
  ])
  func `does not name a line of a profile that is not reached at a terminal, or that is only text`(text: String) {
    #expect(SessionFiles.ending(text) == nil)
  }

  @Test(arguments: [
    ("[ \"$(id -u)\" = 0 ] || exit 1\n", 1), ("[ `id -u` -eq 0 ] || exit\n", 1), ("[ \"`id -u`\" = 0 ] || exit\n", 1),
    ("test $UID -ge 1000 && exit\n", 1),
    ("[[ $EUID == 0 ]] || logout\n", 1), ("[ ! $(whoami) = root ] && exit\n", 1), ("! [ $UID = 0 ] && exit\n", 1),
    ("if [ \"$USER\" = bob ]; then\n  exit 1\nfi\n", 2), ("if [ \"$USER\" != alice ]\nthen exit; fi\n", 2),
    ("if ! test $(id -u) = 0; then\n  exit\nfi\n", 2), ("if [ $UID = 0 ]; then\n  :\nelse\n  exit\nfi\n", 4),
    ("if [ $UID = 0 ]; then\n  :\nelif [ $UID = 1000 ]; then\n  exit\nfi\n", 4),
    ("[ \"$LOGNAME\" = root ] || { echo no; exit 1; }\n", 1), ("[ $UID = 0 ] && a || exit\n", 1),
    ("[ $UID = 1000 ] && [ $USER = bob ] && exit\n", 1), ("[ \"x$USER\" = xroot ] || exit\n", 1),
    ("[ \"${USER}:$UID\" = bob:1000 ] && exit\n", 1), ("(( UID )) && exit\n", 1), ("((EUID==0)) || exit\n", 1),
    ("if (( $UID >= 1000 )); then\n  exit\nfi\n", 2), ("if ((!UID)); then :; else exit; fi\n", 1),
    ("case $USER in\nroot) ;;\n*) exit;;\nesac\n", 3), ("case \"$(id -u)\" in 0) ;; 1000) exit ;; esac\n", 1),
    ("case \"x$USER\"\nin\n  (xroot|xbob) exit\nesac\n", 3), ("case $USER in bob) ;& root) exit ;; esac\n", 1),
    ("case $USER in b?b) echo a; exit; esac\n", 1),
    ("case $USER in root|adm*) ;; *)\n  if [ $UID -gt 0 ]; then exit; fi ;; esac\n", 2),
  ])
  func `finds a line under a condition that is true because of the person's name or uid`(text: String, line: Int) {
    #expect(SessionFiles.ending(text, for: .init(name: "bob", userID: 1000, isBash: true)) == line)
    #expect(SessionFiles.ending(text) != nil)
  }

  @Test(arguments: [
    "[ \"$(id -u)\" = 0 ] && exit 1\n", "[ \"$(id -u)\" != 0 ] || exit\n", "test $UID -lt 1000 && exit\n",
    "if [ \"$USER\" = alice ]; then\n  exit 1\nfi\n", "if [ $UID = 1000 ]; then :; else exit; fi\n",
    "[ $UID = 1000 ] | exit\n",

    "[ $UID = 1000 ] && (exit)\n",

    "f() {\n  [ $UID = 1000 ] && exit\n}\n",

    "[ $UID = 1000 ] || if true; then exit; fi\n", "[ $UID = 0 ] && if false; then :; else exit; fi\n",
    "false && if :; [ $UID = 1000 ]; then exit; fi\n", "a | if :; [ $UID = 1000 ]; then exit; fi\n",

    "if [ $USER = bob ]; then exit; fi | cat\n",
    "if [ $USER = bob ]; then exit; fi &\n", "[ $USER = bob ] && { echo a; exit; } | cat\n",
    "[ $USER = bob ] && exit && true &\n", "{ exit; } | cat\n",

    "[ \"x$USER\" = xroot ] && exit\n", "function f\n{\n  exit\n}\n", "f()\n{\n  exit\n}\n",
    "f() if [ $UID = 1000 ]; then exit; fi\n", "(( UID )) || exit\n",
    "((exit))\n", "((true); exit)\n", "case $USER in root) exit ;; esac\n",
    "case $USER in bob) ;; *) exit ;; esac\n",
    "case $USER in bob) exit ;; esac | cat\n",
  ])
  func `does not name a line under a condition that is false for the person`(text: String) {
    #expect(SessionFiles.ending(text, for: .init(name: "bob", userID: 1000, isBash: true)) == nil)
  }

  @Test(arguments: [
    ("if [ \"$USER\" = bob ]; then\n  exit 1\nfi\n", 2), ("test -f /x && exit\n", 1),
    ("[ -x /a ] || { echo no; exit 1; }\n", 1), ("false || exit\n", 1), ("false ||\n\nexit\n", 3),
    ("case $1 in (a) exit ;; b|c) exit ;; esac\n", 1), ("true &&\nexit 1\n", 2), ("if a\nthen exit\nfi\n", 2),
    ("if a; then exit; fi\n", 1), ("until a; do b; exit; done\n", 1),
    ("if a; then\n  :\nelif [ $UID = 1000 ]; then\n  exit\nfi\n", 4), ("if [ $UID = 1000 ] && a; then exit; fi\n", 1),
    ("[ $UID = 1000 ] && a && exit\n", 1), ("[ $USER = b* ] && exit\n", 1), ("[ $UID = $OTHER ] && exit\n", 1),
    ("[ -n $USER ] && exit\n", 1), ("a || [ $UID = 1000 ] && exit\n", 1),
    ("while [ $UID = 1000 ]; do exit; done\n", 1), ("[ $UID = 1000 -a -x /a ] && exit\n", 1),
    ("if ! ( [ \"$USER\" = alice ] || [ \"$USER\" = bob ] ); then exit; fi\n", 1),
    ("! (:; [ $USER = bob ]) && exit\n", 1), ("[[ $USER == @(bob|alice) ]] || exit\n", 1),
    ("[[ $USER != !(bob) ]] && exit\n", 1), ("USER=x; [ $USER = bob ] && exit\n", 1),
    ("if [ $UID = 1000 ]; then :; fi && exit\n", 1), ("[ '$USER' = bob ] && exit\n", 1),
    ("[ \"\\$USER\" != bob ] && exit\n", 1), ("[ $USERNAME = bob ] && exit\n", 1), ("(( UID > LEAST )) && exit\n", 1),
    ("(( UID == 01000 )) && exit\n", 1), ("case '$USER' in '$USER') exit ;; esac\n", 1),
    ("case $USER in \"*\") exit ;; esac\n", 1), ("case $USER in $OTHER) ;; *) exit ;; esac\n", 1),
    ("case $OTHER in *a) ;; *) exit ;; esac\n", 1), ("[ -t 0 ] && case $USER in bob) exit ;; esac\n", 1),
    ("case $USER in bob) ;;& *) exit ;; esac\n", 1), ("false && (:; [ $UID = 1000 ]) && exit\n", 1),
    ("[ $UID = 1000 ] && true\n[ -t 0 ] && exit\n", 2), ("[ -n \"$PS1\" ] && exit\n", 1),
    ("case $- in *i*) exit 1;; esac\n", 1), ("[ -z \"$SSH_TTY\" ] && exit\n", 1),
    ("[ \"$(id -g)\" -ne 0 ] && exit\n", 1), ("case $HOME in /root) ;; *) exit;; esac\n", 1),
    ("id -nG | grep -qw sudo && exit\n", 1), ("if true; then exit; fi\n", 1), (": && exit\n", 1),
    ("die() {\n  exit 1\n}\n[ -x /a ] || die\n", 2), ("die() { bye; }\nbye() { exit; }\ndie\n", 2),
    ("precmd() { exit; }\n", 1), ("bye() { exit; }\nadd-zsh-hook precmd bye\n", 1),
    ("bye() { exit }\nadd-zsh-hook precmd bye\n", 1), ("f() { a }\nexit\n", 2), ("f() { a; echo }; exit; }\n", 1),
    ("while true; do\n  read c\ndone\n", 1), ("until false; do read c; done\n", 1),
    ("for ((;;)); do read c; done\n", 1), ("for a in b; do exit; done\n", 1), (": ${TMOUT:=5}\n", 1),
    ("TMOUT=$((1+2))\n", 1), ("TMOUT=$SECONDS\n", 1), ("let TMOUT=3\n", 1), ("PROMPT_COMMAND+=(exit)\n", 1),
    ("PROMPT_COMMAND=(true exit)\n", 1), ("PROMPT_COMMAND=true\nPROMPT_COMMAND+='; exit'\n", 2),
    ("sleep infinity\n", 1), ("suspend -f\n", 1),
  ])
  func `names a line under a condition that is not known, or in a function that is called`(text: String, line: Int) {
    #expect(SessionFiles.ending(text, for: .init(name: "bob", userID: 1000, isBash: true)) == line)
  }

  private static let profile =
    "if [ $BASH ]; then . /etc/bash.bashrc; fi\nfor i in /etc/profile.d/*.sh; do . $i; done\n"

  private func ending(_ files: [String: String], shell: String = "/bin/bash") -> String? {
    let all = ["/etc/profile": Self.profile].merging(files) { $1 }
    let files = SessionFiles(text: { all[$0] }) { folder in
      all.keys.filter { $0.hasPrefix(folder + "/") }.map { String($0.dropFirst(folder.count + 1)) }
    }
    return files.ending(shell: shell, home: "/home/a", for: ("a", 1000)).map { "\($0.path):\($0.line)" }
  }

  @Test func `reads the profiles that the shell itself reads`() {
    #expect(ending([:]) == nil)
    for path in [
      "/etc/profile", "/etc/profile.d/x.sh", "/etc/bash.bashrc", "/home/a/.bash_profile", "/home/a/.profile",
    ] { #expect(ending([path: "exit 1\n"]) == path + ":1") }
    #expect(ending(["/etc/profile.d/x.csh": "exit 1\n", "/home/a/.bashrc": "exit 1\n"]) == nil)
    #expect(ending(["/home/a/.profile": ". ~/.bashrc\n", "/home/a/.bashrc": "exit\n"]) == "/home/a/.bashrc:1")
    // Only the first of the three is read.
    #expect(ending(["/home/a/.bash_login": "true\n", "/home/a/.profile": "exit\n"]) == nil)
    #expect(ending(["/home/a/.bash_profile": "exit\n", "/etc/bash.bashrc": "exit\n"], shell: "/bin/sh") == nil)
    #expect(ending(["/home/a/.profile": "exit\n"], shell: "/bin/sh") == "/home/a/.profile:1")
    #expect(ending(["/home/a/.profile": "exit\n"], shell: "/usr/bin/fish") == nil)
  }

  @Test func `sh knows neither [[ nor == nor UID`() {
    let bash = ShellText.Person(name: "bob", userID: 1000, isBash: true)
    let sh = ShellText.Person(name: "bob", userID: 1000, isBash: false)
    for text in [
      "[ \"$UID\" = 1000 ] && exit\n", "[ $USER == bob ] && exit\n", "[[ $USER = bob ]] && exit\n",
      "[ $EUID -ge 1000 ] && exit\n",
    ] {
      // sh does not exit there: it is not known whether it does.
      let other = text.replacing("1000", with: "0").replacing("bob", with: "root").replacing("-ge", with: "-lt")
      #expect(SessionFiles.ending(other, for: bash) == nil && SessionFiles.ending(other, for: sh) == 1, "\(other)")
    }
    #expect(SessionFiles.ending("[ \"$(id -u)\" = 0 ] && exit 1\n", for: sh) == nil)
  }

  @Test func `a text that nests without end does not use up the stack`() {
    let deep = String(repeating: "\"$(", count: 200_000)
    #expect(SessionFiles.ending("exit\n" + deep) == 1 && SessionFiles.ending(deep) == nil)
  }

  @Test func `finds the command in the environment that bash runs before each prompt, if it ends the shell`() {
    #expect(ending(["/etc/environment": "A=b\nPROMPT_COMMAND='exit 1'\n"]) == "/etc/environment:2")
    #expect(ending(["/etc/environment": "export PROMPT_COMMAND=exit # x\n"]) == "/etc/environment:1")
    for text in [
      "# PROMPT_COMMAND=exit\n", "exit\n", "PROMPT_COMMAND=\"history -a\"\n", "APROMPT_COMMAND=exit\n", "TMOUT=900\n",
      "PROMPT_COMMAND=exit\nPROMPT_COMMAND=true\n",
    ] {
      #expect(ending(["/etc/environment": text]) == nil, "\(text)")
    }
    for shell in ["/bin/sh", "/bin/dash", "/bin/zsh", "/usr/bin/fish"] {
      #expect(ending(["/etc/environment": "PROMPT_COMMAND=exit\n"], shell: shell) == nil)
    }
  }

  @Test func `follows the files that a profile may read`() {
    #expect(ending(["/home/a/.profile": ". ~/.own\n", "/home/a/.own": "\nexit\n"]) == "/home/a/.own:2")
    #expect(ending(["/home/a/.profile": "source \"$HOME/.own\"\n", "/home/a/.own": "exit\n"]) == "/home/a/.own:1")
    #expect(ending(["/home/a/.profile": "[ -r /x ] && . /x\n", "/x": "exit\n"]) == "/x:1")
    #expect(ending(["/home/a/.profile": "[ -t 0 ] || . /x\n", "/x": "exit\n"]) == nil)
    #expect(
      ending(["/home/a/.profile": "for f in ~/.d/*.sh; do . \"$f\"; done", "/home/a/.d/b.sh": "exit"])
        == "/home/a/.d/b.sh:1")
    #expect(ending(["/home/a/.profile": ". ./own\n", "/home/a/own": "exit\n"]) == "/home/a/own:1")
    #expect(ending(["/home/a/.profile": ". /home/a/.profile\nexit\n"]) == "/home/a/.profile:2")
    #expect(ending(["/home/a/.yash_profile": "exit\n"], shell: "/usr/bin/yash") == "/home/a/.yash_profile:1")
    #expect(ending(["/home/a/.mkshrc": "exit\n"], shell: "/bin/mksh") == "/home/a/.mkshrc:1")
  }

  @Test func `follows the files that ENV and ZDOTDIR name`() {
    let files = ["/home/a/.profile": "export ENV=$HOME/.rc\n", "/home/a/.rc": "exit\n"]
    for shell in ["/bin/dash", "/bin/mksh", "/bin/busybox"] {
      #expect(ending(files, shell: shell) == "/home/a/.rc:1", "\(shell)")
    }
    #expect(ending(files) == nil)
    #expect(ending(["/etc/environment": "ENV=/rc\n", "/rc": "exit\n"], shell: "/bin/dash") == "/rc:1")
    let moved = ["/etc/zsh/zshenv": "ZDOTDIR=$HOME/z\n", "/home/a/z/.zshrc": "exit\n", "/home/a/.zlogin": "exit\n"]
    #expect(ending(moved, shell: "/bin/zsh") == "/home/a/z/.zshrc:1")
  }

  @Test func `finds variables that end a shell in each file from which login takes them`() {
    #expect(ending(["/etc/environment": "TMOUT=5\n"]) == "/etc/environment:1")
    #expect(ending(["/etc/default/locale": "LANG=C\nPROMPT_COMMAND=exit\n"]) == "/etc/default/locale:2")
    for line in ["TMOUT DEFAULT=5", "PROMPT_COMMAND\tDEFAULT=true OVERRIDE=exit"] {
      #expect(ending(["/etc/security/pam_env.conf": "# x\n\(line)\n"]) == "/etc/security/pam_env.conf:2", "\(line)")
    }
    #expect(ending(["/etc/security/pam_env.conf": "#TMOUT DEFAULT=5\nA DEFAULT=exit\n"]) == nil)
    #expect(ending(["/etc/environment": "TMOUT=5\n"], shell: "/bin/dash") == nil)
  }

  @Test func `finds the words that end csh and fish, whose grammar is not read`() {
    for (shell, file, text) in [
      ("/bin/tcsh", "/home/a/.login", "logout"), ("/bin/tcsh", "/home/a/.cshrc", "if ($?prompt) exec false"),
      ("/bin/csh", "/etc/csh.login", "if (1) logout"),
      ("/usr/bin/fish", "/home/a/.config/fish/config.fish", "status is-login; and exit"),
      ("/usr/bin/fish", "/etc/fish/conf.d/x.fish", "exec false"),
    ] {
      #expect(ending([file: "\n" + text + "\n"], shell: shell) == "\(file):2", "\(shell) \(text)")
    }
    // csh stops to read the file there, and nothing else.
    #expect(
      ending(["/home/a/.cshrc": "exit 1\n# logout\nalias x logout\nset autologout=5\n"], shell: "/bin/tcsh") == nil)
  }

  @Test func `finds no line that ends a session in the profiles of this machine`() {
    let system = SystemPasswords()
    let files = SessionFiles(text: system.text) { PAMDirectory(path: $0).names() ?? [] }
    #expect(files.ending(shell: "/bin/bash", home: "/etc/skel") == nil)
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
