//! The attacks: everything that a terminal would obey, or that hides something, each with a mark of its own.

/// Stands in the parameters of every sequence of the table: no sequence of the program has it.
pub(super) const NUMBER: &str = "7377";
/// The same for sequences that carry text.
pub(super) const WORD: &str = "zqzq";

/// Attacks, each on a line of its own kind; `N` and `W` stand for the marks.
const ATTACKS: [(&str, &str); 46] = [
    ("colour", "\x1b[N;31m"),
    ("clear the screen", "\x1b[2;NJ"),
    ("clear the line", "\x1b[NK"),
    ("cursor home", "\x1b[N;1H"),
    ("cursor up", "\x1b[NA"),
    ("scroll", "\x1b[NS"),
    ("insert lines", "\x1b[NL"),
    ("private mode", "\x1b[?N;1049h"),
    ("paste mode off", "\x1b[?N;2004l"),
    ("report of the cursor", "\x1b[N;6n"),
    ("report of the device", "\x1b[>N;0c"),
    ("key protocol", "\x1b[>Nu"),
    ("title", "\x1b]0;W\x07"),
    ("title with its own end", "\x1b]2;W\x1b\\"),
    ("icon", "\x1b]1;W\x07"),
    ("clipboard", "\x1b]52;c;W\x07"),
    ("clipboard without end", "\x1b]52;c;W"),
    ("link", "\x1b]8;;http://W\x1b\\text\x1b]8;;\x1b\\"),
    ("notification", "\x1b]9;W\x07"),
    ("palette", "\x1b]4;1;W\x07"),
    ("directory", "\x1b]7;file://W\x07"),
    ("device control", "\x1bPqW\x1b\\"),
    ("request of a setting", "\x1bP$qW\x1b\\"),
    ("tmux passthrough", "\x1bPtmux;\x1b\x1b]0;W\x07\x1b\\"),
    ("application", "\x1b_GW\x1b\\"),
    ("privacy", "\x1b^W\x1b\\"),
    ("start of string", "\x1bXW\x1b\\"),
    ("reset", "\x1bc"),
    ("character set", "\x1b(0"),
    ("screen filled", "\x1b#8"),
    ("next line", "\x1bE"),
    ("half a sequence", "\x1b[N"),
    ("escape alone", "\x1b"),
    ("8-bit control sequence", "\u{9b}N;31m"),
    ("8-bit title", "\u{9d}0;W\u{9c}"),
    ("8-bit device control", "\u{90}qW\u{9c}"),
    ("8-bit next line", "\u{85}"),
    ("overwritten", "harmless\rW"),
    ("backspaces", "rm\x08\x08ls"),
    ("bell, shifts, form feed", "\x07\x0e\x0f\x0c\x0b"),
    ("delete and enquiry", "\x7f\x05"),
    ("reading order", "\u{202e}\u{202d}\u{2066}\u{2069}\u{200f}\u{61c}"),
    ("tags", "\u{e0041}\u{e0020}\u{e007f}"),
    ("separators", "\u{2028}\u{2029}"),
    ("nothing to be seen", "\u{200b}\u{2060}\u{feff}\u{ad}\u{3164}\u{115f}\u{180e}\u{fff9}"),
    (
        "private use, marks",
        "\u{e0b0}\u{f8ff}a\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}\u{309}",
    ),
];

/// What no terminal may get: characters that hide something, in either form.
pub(super) const HIDDEN: &str = "\u{202e}\u{202d}\u{2066}\u{2069}\u{200f}\u{61c}\u{e0041}\u{e0020}\u{e007f}\u{2028}\u{2029}\u{200b}\
                      \u{2060}\u{feff}\u{ad}\u{3164}\u{115f}\u{180e}\u{fff9}\u{e0b0}\u{f8ff}\0\x7f\x05\x08\x0b\x0c\x0e\x0f";

fn marked(attack: &str) -> String {
    attack.replace('N', NUMBER).replace('W', WORD)
}

/// All attacks, a line each.
pub(super) fn lines() -> String {
    ATTACKS.map(|(_, attack)| format!("a{}b\n", marked(attack))).concat()
}

/// All attacks in one line.
pub(super) fn line() -> String {
    ATTACKS.map(|(_, attack)| format!("a{}b ", marked(attack))).concat()
}

/// Those that can stand in a line with others, in few characters: a name, a title.
pub(super) fn short() -> String {
    ["\x1b[N;31m", "\x1b]0;W\x07", "\u{9b}Nm", "\u{202e}", "\u{e0041}", "\x1bc", "\x08", "\u{2028}"]
        .map(marked)
        .concat()
}
