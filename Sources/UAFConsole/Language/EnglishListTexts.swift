/// The texts of the console in English about codes for a list of people.
enum EnglishListTexts {
  static let all: [PageText: String] = [
    .listHow:
      "The list is CSV in UTF-8, at most 1 MiB: 10,000 people and more. Its first line names the columns: "
      + "username, and lifetime (seconds) if wanted. It is checked first, and nothing is done.",
    .listFile: "List (CSV)",
    .listCheck: "Check",
    .listChecked: "The list was checked; nothing is done yet",
    .listRight: "People who get a code",
    .listWrong: "Wrong lines",
    .listProblem: "What is wrong",
    .listMoreWrong: "And {} further lines.",
    .listNobody: "The list names nobody who could get a code.",
    .listSecret:
      "The codes are sent once and kept nowhere: keep the file, or the sheets, as secret as the codes. Earlier "
      + "codes of these people are closed.",
    .listWrongAsk: "Although lines are wrong",
    .listRefuse: "make no codes",
    .listSkip: "make codes for the right lines alone",
    .listIssue: "Make {} codes",
    .listIsWrong: "wrong lines: {}; no code was made: mend them, or ask for the right lines alone",
    .listEmpty: "the list is empty: its first line names the columns: username, or username,lifetime",
    .listNotUTF8: "the list is not UTF-8: save it as CSV in UTF-8",
    .listUTF16: "the list is UTF-16: save it as CSV in UTF-8",
    .listSemicolons: "the fields are separated by semicolons, and commas are needed: save the list as CSV with commas",
    .listTabs: "the fields are separated by tabs, and commas are needed: save the list as CSV with commas",
    .listTooMany: "there are more than {} lines: divide the list",
    .listTooLong: "the list is longer than 1 MiB: divide it, or use uaf-server enrol-list",
    .listNoUsername: "the first line names no column username",
    .listUnknownColumn: "there is no column {}: use username, lifetime",
    .listColumnTwice: "the column {} is there twice",
    .lineEmpty: "the line is empty",
    .lineTooLong: "the line has more than {} bytes",
    .lineControl: "there is a control character",
    .lineOpenQuote: "a quote is not closed on its line",
    .lineAfterQuote: "there is something between a closing quote and the comma",
    .lineInnerQuote: "there is a quote in a field without quotes: put the field in quotes, and double it",
    .lineFields: "there are {} fields in place of {}",
    .lineNoName: "the username is empty",
    .lineLongName: "the username has more than 128 characters",
    .lineBadName: "{} is no username: use printable ASCII without white space",
    .lineTwice: "{} is on line {} already",
    .lineNoNumber: "{} is no number of seconds",
    .lineLifetime: "{} seconds are not 1 to {}",
    .linePrivileged: "{} is privileged: issue that code by itself",
    .listForm: "What is made",
    .listFormFile: "a file with the codes (CSV)",
    .listFormSheets: "sheets to print, for at most {} people",
    .listManySheets:
      "sheets are made for at most {} people at once: divide the list, ask for the file, or use uaf-server "
      + "enrol-list --sheets",
    .sheetLanguage: "Language of the sheets",
    .sheetTitle: "Registering {}",
    .sheetServer: "Server",
    .sheetEnd: "The code is good until (UTC)",
    .sheetSave:
      "On your workstation, put the code into a file with the name {}, readable by you alone: scan the QR "
      + "code, or take the file that you were given.",
    .sheetRun: "In a terminal, in the folder of that file, run:",
    .sheetAfter:
      "Answer what you are asked. The code works once. Then delete the file and destroy this sheet: until "
      + "the code is used, whoever has it can register in your place.",
    .sheetCode: "Code",
    .sheetNoPicture: "The code is too long for a QR code.",
  ]
}
