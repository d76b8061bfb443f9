//! Why a line was refused, in one line of our own: clap's words without its usage text.
//!
//! The surprise: of clap's guesses only the near ones are passed on, for what is suggested is tried.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::error::Error;
use crate::text::nearest::{nearest, slips};

/// Slips of an option's name that are still taken for it.
const SLIPS: usize = 2;
/// Options that loosen what is asked before it is done: nobody is led to them who did not all but type them.
const LOOSENING: [&str; 3] = ["--yolo", "--trust", "--allowed-tools"];
/// How a session's ID is named where there must be one.
const ID: &str = "<ID>";

/// Clap's message without its usage text: what was wrong, and what may have been meant.
pub(super) fn in_one_line(error: &clap::Error) -> Error {
    let context = |kind| error.get(kind).map(words).filter(|text| !text.is_empty());
    let argument = context(ContextKind::InvalidArg).unwrap_or_default();
    let suggestion = context(ContextKind::SuggestedArg).filter(|near| is_meant(&argument, near));
    let suggestion = suggestion.or_else(|| context(ContextKind::SuggestedValue));
    let (message, hint) = match error.kind() {
        ErrorKind::UnknownArgument if argument.starts_with('-') => {
            let help = "try `clawd --help`, or put `--` before text that begins with a dash";
            (format!("unknown option `{argument}`"), Some(help.to_owned()))
        }
        ErrorKind::UnknownArgument => {
            let help = "try `clawd --help`, or put `--` before the text to send it";
            (format!("unexpected argument `{argument}`"), Some(help.to_owned()))
        }
        ErrorKind::InvalidValue if context(ContextKind::InvalidValue).is_none() => {
            (format!("`{argument}` needs a value"), None)
        }
        ErrorKind::InvalidValue => {
            let value = context(ContextKind::InvalidValue).unwrap_or_default();
            let all = context(ContextKind::ValidValue).map(|all| format!("try {all}"));
            (format!("invalid value `{value}` for `{argument}`"), all)
        }
        ErrorKind::ValueValidation => {
            let why = std::error::Error::source(error).map(ToString::to_string);
            (format!("`{argument}`: {}", why.unwrap_or_else(|| "invalid value".to_owned())), None)
        }
        // of `sessions delete` alone, whose `--all` may be taken for all sessions
        ErrorKind::MissingRequiredArgument if argument == ID => (
            "`sessions delete` needs the ID of one session: `--all` only searches all directories for it"
                .to_owned(),
            Some("try `clawd sessions list --all`".to_owned()),
        ),
        ErrorKind::MissingRequiredArgument => (format!("{argument} is missing"), None),
        // of `sessions` alone: those of its commands stand behind them
        ErrorKind::ArgumentConflict => {
            let early = context(ContextKind::PriorArg).unwrap_or_default();
            (
                format!("`{early}` must come after the subcommand"),
                Some("try it at the end of the line".to_owned()),
            )
        }
        ErrorKind::TooManyValues => (format!("`{argument}` takes no value"), None),
        ErrorKind::InvalidUtf8 => ("an argument is not valid UTF-8".to_owned(), None),
        _ => (first_line(&error.render().to_string()), None),
    };
    let hint = suggestion.map(|near| format!("did you mean `{near}`?")).or(hint);
    let hint = hint
        .or_else(|| (error.kind() != ErrorKind::ValueValidation).then(|| "try `clawd --help`".to_owned()));
    match hint {
        Some(hint) => Error::usage(message).hint(hint),
        None => Error::usage(message), // the reason has its own remedy
    }
}

/// A piece of clap's context as words; option names without what they take.
fn words(value: &ContextValue) -> String {
    match value {
        ContextValue::String(text) => text.split([' ', '=']).next().unwrap_or_default().to_owned(),
        ContextValue::Strings(texts) => texts.join(", "),
        _ => value.to_string(),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// Whether `typed` may have been meant for the option `near`.
fn is_meant(typed: &str, near: &str) -> bool {
    let name = |option: &str| option.trim_start_matches('-').to_owned();
    let (word, option) = (name(typed), name(near));
    let is_beginning = word.len() > 2 && option.starts_with(&word);
    let slips = slips(&word, &option);
    if LOOSENING.contains(&near) {
        return slips * 4 <= option.chars().count();
    }
    is_beginning || (slips <= SLIPS && nearest(&word, [option.as_str()]).is_some())
}
