//! What is judged before anybody is asked: configuration, terminal, files. Pure.
//!
//! Each wish is told with where it comes from, and a key by the name of its place alone.

use super::page::{Finding, Group};
use crate::config::{Config, Endpoint, KeySource, Target};
use crate::os::tty::Tty;
use crate::permission::SandboxMode;
use crate::sandbox::Tier;

/// The least that a screen is usable with.
const SMALLEST: (u16, u16) = (40, 12);

/// What no layer sets comes from here.
const BUILT_IN: &str = "the built-in default";

/// What is known of the files of the configuration, as a person names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConfigFile {
    /// It is there.
    Read(String),
    /// There is none; here it would be.
    Absent(String),
    /// There is no home directory.
    Nowhere,
}

/// What the environment says of the terminal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Surroundings {
    /// `$TERM`.
    pub(super) term: String,
    /// Whether `$TMUX` is set.
    pub(super) tmux: bool,
    /// Whether `$NO_COLOR` is.
    pub(super) mono: bool,
    /// The locale of characters.
    pub(super) locale: String,
}

/// The state of our own directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Home {
    /// It can be written.
    Writable(String),
    /// It can be made when something is kept.
    ToBeMade(String),
    /// It cannot be written, and why.
    Shut(String, String),
    /// There is none.
    Nowhere,
}

/// The log of this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Log {
    /// It is written, here.
    On(String),
    /// It is off; here it would be.
    Off(String),
}

/// What the user wants, and where each wish comes from.
pub(super) fn configuration(config: &Config, file: &ConfigFile) -> Group {
    let mut findings = vec![config_file(file)];
    findings.extend(config.warnings.iter().map(|warning| Finding::note("warning", warning.as_str())));
    if let Endpoint::At(target) = &config.endpoint {
        findings.push(address(target));
    }
    findings.push(match &config.model.name {
        Some(name) => {
            Finding::good("model", format!("{}, from {}", name.value, name.origin.named("--model", BUILT_IN)))
        }
        None => {
            Finding::note("model", "none is named: the endpoint's only one is taken, if it lists just one")
        }
    });
    findings.push(match config.endpoint.target() {
        Ok(target) => key(target),
        Err(error) => Finding::bad("key", error.to_string()),
    });
    Group::of("configuration", findings)
}

/// A configuration that cannot be used.
pub(super) fn broken(error: &str) -> Group {
    Group::of("configuration", vec![Finding::bad("file", error)])
}

/// Whether the screen can be used.
pub(super) fn terminal(tty: Tty, around: &Surroundings) -> Group {
    let mut findings = vec![screen(tty, around)];
    findings.push(Finding::good(
        "colour",
        if around.mono { "none: NO_COLOR is set" } else { "the terminal's own sixteen" },
    ));
    if !is_utf8(&around.locale) {
        let text = format!(
            "{} (try LANG=C.UTF-8)",
            match around.locale.as_str() {
                "" => "none is set: letters beyond ASCII may come out wrong".to_owned(),
                locale => format!("{locale}: letters beyond ASCII are shown as ?"),
            }
        );
        findings.push(Finding::note("locale", text));
    }
    Group::of("terminal", findings)
}

/// Whether anything can be kept.
pub(super) fn files(home: &Home, log: &Log) -> Group {
    let home = match home {
        Home::Writable(path) => Finding::good("home", format!("{path} can be written")),
        Home::ToBeMade(path) => Finding::good("home", format!("{path} is made when something is kept")),
        Home::Shut(path, why) => Finding::bad(
            "home",
            format!("{path} cannot be written: {why}; sessions and history are not kept (try CLAWD_HOME)"),
        ),
        Home::Nowhere => Finding::bad("home", "there is no home directory: nothing is kept (try CLAWD_HOME)"),
    };
    let log = match log {
        Log::On(path) => Finding::good("log", format!("written to {path}")),
        Log::Off(directory) if directory.is_empty() => Finding::good("log", "off"),
        Log::Off(directory) => Finding::good("log", format!("off; --debug writes one into {directory}")),
    };
    Group::of("files", vec![home, log])
}

/// What stands between commands and the machine.
pub(super) fn sandbox(mode: SandboxMode, tier: Tier) -> Group {
    let system = match tier {
        Tier::Nothing => Finding::note("system", "none: what you allow runs with your own rights"),
        Tier::Namespaces | Tier::Bubblewrap | Tier::Landlock => {
            Finding::good("system", format!("{}: {}", tier.name(), tier.sentence()))
        }
    };
    let wish = match mode {
        SandboxMode::Off => Finding::note("commands", "off: what you allow runs with your own rights"),
        SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite => Finding::good("commands", mode.name()),
    };
    Group::of("sandbox", vec![system, wish])
}

fn config_file(file: &ConfigFile) -> Finding {
    match file {
        ConfigFile::Read(path) => Finding::good("file", path.as_str()),
        ConfigFile::Absent(path) => {
            Finding::good("file", format!("none at {path}: options, variables and defaults count"))
        }
        ConfigFile::Nowhere => {
            Finding::note("file", "there is no home directory: options, variables and defaults count")
        }
    }
}

fn address(target: &Target) -> Finding {
    let url = &target.url;
    Finding::good("address", format!("{}, from {}", url.value, url.origin.named("--base-url", BUILT_IN)))
}

fn key(target: &Target) -> Finding {
    let places: Vec<String> = target.keys.iter().map(|key| source(&key.source)).collect();
    if places.is_empty() {
        return Finding::good("key", "none; an endpoint on this machine needs none");
    }
    Finding::good("key", format!("from {}", places.join(", then ")))
}

fn source(source: &KeySource) -> String {
    match source {
        KeySource::Flag => "--api-key".to_owned(),
        KeySource::Env(name) => name.clone(),
        KeySource::Saved => "credentials.toml".to_owned(),
    }
}

fn screen(tty: Tty, around: &Surroundings) -> Finding {
    let unfit = |why: &str| Finding::note("screen", format!("{why}: no screen here, but `clawd -p` works"));
    let term = around.term.as_str();
    match (tty.input, tty.output) {
        (false, _) => return unfit("standard input is no terminal"),
        (true, false) => return unfit("standard output is no terminal"),
        (true, true) if matches!(term, "" | "dumb" | "unknown") => {
            let text = "TERM is `dumb`, `unknown` or empty: plain mode, told line by line";
            return Finding::note("screen", text);
        }
        (true, true) => {}
    }
    let tmux = if around.tmux { ", inside tmux" } else { "" };
    let Some((columns, rows)) = tty.size else {
        return Finding::note(
            "screen",
            format!("{term}{tmux}, of unknown size: 80 columns by 24 rows are assumed"),
        );
    };
    let text = format!("{term}{tmux}, {columns} columns by {rows} rows");
    if columns < SMALLEST.0 || rows < SMALLEST.1 {
        return Finding::note("screen", format!("{text}: it works, but a larger window shows more"));
    }
    Finding::good("screen", text)
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Flags, Secret, without_files};
    use crate::os::env::Env;

    fn config(flags: Flags, env: &[(&str, &str)]) -> Config {
        without_files(&Env::from_pairs(env.iter().copied()), flags, Vec::new()).unwrap()
    }

    #[test]
    fn each_wish_is_told_with_its_origin_and_no_key_is() {
        let flags = Flags {
            model: Some("qwen3".to_owned()),
            api_key: Some(Secret::new("sk-hidden").unwrap()),
            ..Flags::default()
        };
        let env = [("CLAWD_BASE_URL", "https://llm.example.com/v1/chat/completions")];
        assert_eq!(
            configuration(&config(flags, &env), &ConfigFile::Read("~/.config/clawd/config.toml".to_owned()))
                .to_text(),
            "configuration
  ✓ file       ~/.config/clawd/config.toml
  ! warning    the base URL ends before `/chat/completions`:
               https://llm.example.com/v1 is used
  ✓ address    https://llm.example.com/v1, from CLAWD_BASE_URL
  ✓ model      qwen3, from --model
  ✓ key        from --api-key

"
        );
    }

    #[test]
    fn what_is_missing_is_told_with_a_way_out() {
        let local = config(Flags::default(), &[("CLAWD_BASE_URL", "http://127.0.0.1:1/v1")]);
        let text = configuration(&local, &ConfigFile::Absent("/c/config.toml".to_owned())).to_text();
        for words in ["none at /c/config.toml", "the endpoint's only one", "needs none"] {
            assert!(text.contains(words), "{words}\n{text}");
        }
        let nothing = configuration(&config(Flags::default(), &[]), &ConfigFile::Nowhere).to_text();
        assert!(nothing.contains("✗ key        no endpoint is configured"), "{nothing}");
        let far = config(Flags::default(), &[("CLAWD_BASE_URL", "https://x.y/v1")]);
        assert!(
            configuration(&far, &ConfigFile::Nowhere).to_text().contains("✗ key        no API key for x.y")
        );
    }

    #[test]
    fn a_terminal_is_judged_by_what_the_screen_needs() {
        let check = |tty: Tty, term: &str, expected: &str| {
            let around = Surroundings {
                term: term.to_owned(),
                tmux: true,
                locale: "C.UTF-8".to_owned(),
                ..Surroundings::default()
            };
            let text = terminal(tty, &around).to_text();
            assert!(text.contains(expected), "{expected}\n{text}");
        };
        let whole = Tty { input: true, output: true, size: Some((80, 24)) };
        check(whole, "xterm", "✓ screen     xterm, inside tmux, 80 columns by 24 rows\n  ✓ colour");
        check(Tty { size: Some((30, 24)), ..whole }, "xterm", "! screen     xterm, inside tmux, 30 columns");
        check(Tty { size: None, ..whole }, "xterm", "of unknown size");
        check(whole, "dumb", "! screen     TERM is `dumb`, `unknown` or empty: plain mode");
        check(Tty { output: false, ..whole }, "xterm", "! screen     standard output is no terminal");
        check(Tty { input: false, ..whole }, "xterm", "! screen     standard input is no terminal");
        let posix = Surroundings { locale: "POSIX".to_owned(), mono: true, ..Surroundings::default() };
        let text = terminal(whole, &posix).to_text();
        assert!(text.contains("! locale     POSIX:") && text.contains("NO_COLOR is set"), "{text}");
    }

    #[test]
    fn files_are_told_with_what_becomes_of_them() {
        let off = Log::Off("~/d/logs".to_owned());
        let check = |home: Home, expected: &str| {
            let text = files(&home, &off).to_text();
            assert!(text.contains(expected), "{expected}\n{text}");
        };
        check(Home::Writable("~/d".to_owned()), "✓ home       ~/d can be written");
        check(Home::ToBeMade("~/d".to_owned()), "✓ home       ~/d is made when something is kept");
        check(
            Home::Shut("~/d".to_owned(), "read-only".to_owned()),
            "✗ home       ~/d cannot be written: read-only;",
        );
        check(Home::Nowhere, "✗ home       there is no home directory");
        check(Home::Nowhere, "✓ log        off; --debug writes one into ~/d/logs");
    }
}
