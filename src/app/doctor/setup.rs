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
        Some(name) => Finding::good(
            "model",
            format!("{} (from {})", name.value, name.origin.named("--model", BUILT_IN)),
        ),
        None => Finding::note("model", "not set: clawd uses the endpoint's model if it lists exactly one"),
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
        if around.mono { "off, because NO_COLOR is set" } else { "the terminal's 16 colours" },
    ));
    if !is_utf8(&around.locale) {
        let text = format!(
            "{} (try LANG=C.UTF-8)",
            match around.locale.as_str() {
                "" => "not set: characters beyond ASCII may be displayed wrong".to_owned(),
                locale => format!("{locale}: characters beyond ASCII are shown as ?"),
            }
        );
        findings.push(Finding::note("locale", text));
    }
    Group::of("terminal", findings)
}

/// Whether anything can be kept.
pub(super) fn files(home: &Home, log: &Log) -> Group {
    let home = match home {
        Home::Writable(path) => Finding::good("home", format!("{path} is writable")),
        Home::ToBeMade(path) => {
            Finding::good("home", format!("{path} will be created when something is saved"))
        }
        Home::Shut(path, why) => Finding::bad(
            "home",
            format!(
                "cannot write {path}: {why}; sessions and history are not saved (try setting CLAWD_HOME)"
            ),
        ),
        Home::Nowhere => Finding::bad("home", "no home directory: nothing is saved (try setting CLAWD_HOME)"),
    };
    let log = match log {
        Log::On(path) => Finding::good("log", format!("writing to {path}")),
        Log::Off(directory) if directory.is_empty() => Finding::good("log", "off"),
        Log::Off(directory) => Finding::good("log", format!("off (--debug writes a log to {directory})")),
    };
    Group::of("files", vec![home, log])
}

/// What stands between commands and the machine.
pub(super) fn sandbox(mode: SandboxMode, tier: Tier) -> Group {
    let system = match tier {
        Tier::Nothing => {
            Finding::note("system", "none: commands run NOT sandboxed, with your full permissions")
        }
        Tier::Namespaces | Tier::Bubblewrap | Tier::Landlock => {
            Finding::good("system", format!("{}: {}", tier.name(), tier.sentence()))
        }
    };
    let wish = match mode {
        SandboxMode::Off => {
            Finding::note("commands", "off: commands run NOT sandboxed, with your full permissions")
        }
        SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite => Finding::good("commands", mode.name()),
    };
    Group::of("sandbox", vec![system, wish])
}

fn config_file(file: &ConfigFile) -> Finding {
    match file {
        ConfigFile::Read(path) => Finding::good("file", path.as_str()),
        ConfigFile::Absent(path) => {
            Finding::good("file", format!("{path} does not exist: using options, environment and defaults"))
        }
        ConfigFile::Nowhere => {
            Finding::note("file", "no home directory: using options, environment and defaults")
        }
    }
}

fn address(target: &Target) -> Finding {
    let url = &target.url;
    Finding::good("base_url", format!("{} (from {})", url.value, url.origin.named("--base-url", BUILT_IN)))
}

fn key(target: &Target) -> Finding {
    let places: Vec<String> = target.keys.iter().map(|key| source(&key.source)).collect();
    if places.is_empty() {
        return Finding::good("key", "none (not required for an endpoint on this machine)");
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
    let unfit =
        |why: &str| Finding::note("screen", format!("{why}: only headless mode (`clawd -p`) works here"));
    let term = around.term.as_str();
    match (tty.input, tty.output) {
        (false, _) => return unfit("standard input is not a terminal"),
        (true, false) => return unfit("standard output is not a terminal"),
        (true, true) if matches!(term, "" | "dumb" | "unknown") => {
            let text = "TERM is `dumb`, `unknown` or empty: clawd uses plain mode";
            return Finding::note("screen", text);
        }
        (true, true) => {}
    }
    let tmux = if around.tmux { " in tmux" } else { "" };
    let Some((columns, rows)) = tty.size else {
        return Finding::note("screen", format!("{term}{tmux}, unknown size: assuming 80×24"));
    };
    let text = format!("{term}{tmux}, {columns}×{rows}");
    if columns < SMALLEST.0 || rows < SMALLEST.1 {
        return Finding::note("screen", format!("{text}: usable, but small"));
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
  ! warning    the base URL must not end in `/chat/completions`: using
               https://llm.example.com/v1
  ✓ base_url   https://llm.example.com/v1 (from CLAWD_BASE_URL)
  ✓ model      qwen3 (from --model)
  ✓ key        from --api-key

"
        );
    }

    #[test]
    fn what_is_missing_is_told_with_a_way_out() {
        let local = config(Flags::default(), &[("CLAWD_BASE_URL", "http://127.0.0.1:1/v1")]);
        let text = configuration(&local, &ConfigFile::Absent("/c/config.toml".to_owned())).to_text();
        for words in ["/c/config.toml does not exist", "the endpoint's model", "not required"] {
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
        check(whole, "xterm", "✓ screen     xterm in tmux, 80×24\n  ✓ colour");
        check(Tty { size: Some((30, 24)), ..whole }, "xterm", "! screen     xterm in tmux, 30×24");
        check(Tty { size: None, ..whole }, "xterm", "unknown size");
        check(whole, "dumb", "! screen     TERM is `dumb`, `unknown` or empty: clawd uses plain mode");
        check(Tty { output: false, ..whole }, "xterm", "! screen     standard output is not a terminal");
        check(Tty { input: false, ..whole }, "xterm", "! screen     standard input is not a terminal");
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
        check(Home::Writable("~/d".to_owned()), "✓ home       ~/d is writable");
        check(Home::ToBeMade("~/d".to_owned()), "✓ home       ~/d will be created when something is saved");
        check(
            Home::Shut("~/d".to_owned(), "read-only".to_owned()),
            "✗ home       cannot write ~/d: read-only;",
        );
        check(Home::Nowhere, "✗ home       no home directory");
        check(Home::Nowhere, "✓ log        off (--debug writes a log to ~/d/logs)");
    }
}
