//! Which commands of a tree may run, and the text that runs for them.
//!
//! A loop is taken apart here: its body is judged once for each word, with that word in the place of the variable, and that is
//! what runs. So is every `cd`: what follows it is judged where it leads, and runs only if the shell got there. What is
//! left for the shell to put in are values that cannot become a path or an option: `$?`, a few variables that hold
//! no secret, and the output of a list that was judged itself. The surprise: these are written in quotes even where the
//! line has none, so that none of them becomes a pattern.

use std::cell::Cell;
use std::path::{Component, Path, PathBuf};

use super::super::scope::clean;
use super::line::{is_text, quoted};
use super::options::{Command, Home, lists};
use super::runs::{Does, FIRST, Inserted, Runs, has_inserted, text_of};
use super::tree::{Group, Joint, Letter, Part, Redirection, What, Word};
use super::{Place, Vouched, fed, glob, table};

/// Commands in a line, more than anybody writes.
const MOST_COMMANDS: usize = 50;
/// The same with the body of a loop once for each of its words.
const MOST_RUN: usize = 400;
/// Bytes of the text that runs: a system takes 128 KiB in one word.
const LONGEST: usize = 100_000;

/// Variables that `echo` and `printf` may show: none of them holds a secret.
pub(super) const SHOWN: &str = "? CARGO_HOME CC CI CXX EDITOR GOPATH GOROOT HOME JAVA_HOME LANG LC_ALL LOGNAME NODE_ENV \
                                PATH PWD RUSTUP_HOME SHELL TERM TMPDIR USER";

/// Which list a command is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    /// The line itself.
    Line,
    /// One in a shell of its own: a `cd` in it counts for nothing else.
    Subshell,
    /// Another.
    Inner,
}

/// What holds at one place of the tree.
#[derive(Clone, Copy)]
struct Scene<'a> {
    place: Place<'a>,
    /// The variables of the loops around it.
    variables: &'a [(String, String)],
    list: List,
    /// Whether a link led here.
    has_link: bool,
}

struct Judge<'a> {
    vouched: Vouched<'a>,
    /// Commands that may still run.
    left: Cell<usize>,
}

/// The commands of a line as they may run; `None` where one may not.
pub(super) fn judged(parts: &[Part], place: Place<'_>, vouched: Vouched<'_>) -> Option<Vec<Runs>> {
    (written(parts) <= MOST_COMMANDS).then_some(())?;
    let judge = Judge { vouched, left: Cell::new(MOST_RUN) };
    let runs = judge.list(parts, &Scene { place, variables: &[], list: List::Line, has_link: false })?;
    (text_of(&runs).len() <= LONGEST).then_some(runs)
}

fn written(parts: &[Part]) -> usize {
    let count = |part: &Part| match &part.what {
        What::Command(_) => 1,
        What::Group(_, parts) | What::Loop { body: parts, .. } => written(parts),
    };
    parts.iter().map(count).sum()
}

impl Judge<'_> {
    fn list(&self, parts: &[Part], scene: &Scene<'_>) -> Option<Vec<Runs>> {
        let mut cwd = scene.place.cwd.to_owned();
        let mut has_link = scene.has_link;
        let mut runs: Vec<Runs> = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let here = Scene { place: Place { cwd: &cwd, ..scene.place }, has_link, ..*scene };
            if let Some(words) = self.moves(part, &here) {
                let may_move =
                    scene.list != List::Inner && part.redirections.is_empty() && is_alone(parts, at);
                let (to, is_link) = target(&words, &here).filter(|_| may_move)?;
                has_link |= is_link;
                cwd.clone_from(&to);
                let reads = vec![to.clone()];
                runs.push(Runs { joint: part.joint, does: Does::Move(to), redirections: Vec::new(), reads });
            } else {
                runs.push(self.part(part, &here)?);
                fed::takes_names(&runs).then_some(())?;
            }
        }
        Some(runs)
    }

    /// The words of a `cd`.
    fn moves(&self, part: &Part, scene: &Scene<'_>) -> Option<Vec<String>> {
        let What::Command(words) = &part.what else { return None };
        words.first().and_then(Word::literal).filter(|name| name == "cd")?;
        let text =
            |word| self.expanded(word, scene, &mut Vec::new())?.literal().filter(|text| !has_inserted(text));
        words.iter().map(text).collect()
    }

    fn part(&self, part: &Part, scene: &Scene<'_>) -> Option<Runs> {
        self.left.set(self.left.get().checked_sub(1)?);
        let mut reads = Vec::new();
        let mut redirections = Vec::new();
        for redirection in &part.redirections {
            redirections.push(match redirection {
                Redirection::From(word) => {
                    let file = self.expanded(word, scene, &mut Vec::new())?.literal()?;
                    // what is below `/dev` bash opens itself: `/dev/tcp/HOST/PORT`
                    (!has_inserted(&file) && !file.starts_with("/dev/")).then_some(())?;
                    reads.extend(scene.place.paths_of(&file));
                    format!("< {}", quoted(&file))
                }
                other => other.text().to_owned(),
            });
        }
        let opens = !reads.is_empty();
        let inner = Scene { list: List::Inner, ..*scene };
        let does = match &part.what {
            What::Command(words) => {
                let (does, more) = self
                    .command(words, scene)
                    .or_else(|| self.stands(words, part.joint == Joint::Pipe, scene).filter(|_| !opens))?;
                reads.extend(more);
                does
            }
            What::Group(group, parts) => {
                let list = if *group == Group::Subshell { List::Subshell } else { List::Inner };
                Does::Group(*group, self.list(parts, &Scene { list, ..inner })?)
            }
            What::Loop { name, over, body } => {
                let (does, more) = self.unrolled((name, over, body), &inner)?;
                reads.extend(more);
                does
            }
        };
        Some(Runs { joint: part.joint, does, redirections, reads })
    }

    /// A loop's body for each of its words, and the paths that those words are.
    fn unrolled(
        &self,
        (name, over, body): (&str, &[Word], &[Part]),
        scene: &Scene<'_>,
    ) -> Option<(Does, Vec<PathBuf>)> {
        // others mean something to the shell or to programs
        let is_plain = name.len() == 1 || !name.chars().any(|c| c.is_ascii_uppercase());
        // one of the same name around it would keep this one's last word
        let is_free = !scene.variables.iter().any(|(bound, _)| bound == name);
        (is_plain && is_free).then_some(())?;
        let (mut runs, mut reads) = (Vec::new(), Vec::new());
        for word in over {
            let mut inserted = Vec::new();
            let values = self.spread(word, scene, (&mut reads, &mut inserted))?;
            inserted.is_empty().then_some(())?;
            for value in values {
                let mut variables = vec![(name.to_owned(), value)];
                variables.extend_from_slice(scene.variables);
                runs.extend(self.list(body, &Scene { variables: &variables, ..*scene })?);
            }
        }
        Some((Does::Group(Group::Braces, runs), reads))
    }

    /// A command that is known, and what it reads.
    fn command(&self, words: &[Word], scene: &Scene<'_>) -> Option<(Does, Vec<PathBuf>)> {
        let place = &scene.place;
        let (name, words) = words.split_first()?;
        let name = name.literal()?;
        let (mut meant, mut reads, mut inserted) = (Vec::new(), Vec::new(), Vec::new());
        for word in words {
            meant.extend(self.spread(word, scene, (&mut reads, &mut inserted))?);
        }
        let command = table::find(&name, place.table)?;
        let is_shown =
            name == "echo" || (name == "printf" && !meant.first().is_some_and(|format| has_inserted(format)));
        let judged = match inserted.as_slice() {
            [Inserted::Names(_)] => fed::names_inserted(&name, &meant, place)?,
            inserted => {
                let is_plain = inserted.iter().all(|it| !matches!(it, Inserted::Names(_)));
                (is_plain && (is_shown || inserted.is_empty())).then_some(())?;
                command.judge(&meant, place)?
            }
        };
        reads.extend(judged.reads);
        let mut words = vec![program(command, place)?];
        words.extend(judged.words);
        meant.insert(0, name);
        Some((Does::Command { meant, words, inserted }, reads))
    }

    /// A command that is vouched for, as it is written. In a list within a list it could read what is piped into that.
    fn stands(&self, words: &[Word], is_fed: bool, scene: &Scene<'_>) -> Option<(Does, Vec<PathBuf>)> {
        let words: Vec<String> = words.iter().map(Word::literal).collect::<Option<_>>()?;
        let may_stand = scene.list == List::Line && (self.vouched)(&words, is_fed);
        may_stand.then(|| (Does::Command { meant: words.clone(), words, inserted: Vec::new() }, Vec::new()))
    }

    /// The words that a word becomes. Where that takes a look at directories, what is there counts as read.
    fn spread(
        &self,
        word: &Word,
        scene: &Scene<'_>,
        (reads, inserted): (&mut Vec<PathBuf>, &mut Vec<Inserted>),
    ) -> Option<Vec<String>> {
        let before = inserted.len();
        let word = self.expanded(word, scene, inserted)?;
        // what is put in could make it another pattern
        (inserted.len() == before || word.literal().is_some()).then_some(())?;
        let spread = glob::spread(&word, scene.place.cwd, scene.place.sight)?;
        // a program that opens none of them still says which there are
        if word.literal().is_none() {
            reads.extend(scene.place.reads(&spread));
        }
        Some(spread)
    }

    /// The word with the variables of loops put in, and a character for whatever the shell puts in.
    fn expanded(&self, word: &Word, scene: &Scene<'_>, inserted: &mut Vec<Inserted>) -> Option<Word> {
        let mut expanded = Word::default();
        for letter in &word.0 {
            let more = match letter {
                Letter::Variable { name, is_quoted } => {
                    if let Some((_, value)) = scene.variables.iter().find(|(bound, _)| bound == name) {
                        // the shell would part it, or look for a pattern in it
                        let is_whole =
                            *is_quoted || !(value.is_empty() || value.contains([' ', '*', '?', '[', '\\']));
                        is_whole.then(|| expanded.push(value))?;
                        continue;
                    }
                    lists(SHOWN, name).then(|| Inserted::Variable(name.clone()))?
                }
                Letter::Output { parts, is_quoted } => {
                    let inner = Scene { list: List::Subshell, ..*scene };
                    let runs = self.list(parts, &inner)?;
                    let is_names = !is_quoted && word.0.len() == 1 && fed::puts_out_names(&runs);
                    (*is_quoted || is_names).then_some(())?;
                    if is_names { Inserted::Names(runs) } else { Inserted::Output(runs) }
                }
                Letter::Text(_) | Letter::One | Letter::Many | Letter::Of(_) => {
                    expanded.0.push(letter.clone());
                    continue;
                }
            };
            expanded.0.push(Letter::Text(char::from_u32(FIRST + u32::try_from(inserted.len()).ok()?)?));
            inserted.push(more);
        }
        Some(expanded)
    }
}

/// Whether it is clear of every other command of the list whether it runs after this `cd`. A `cd` that begins what is joined by `&&` and
/// `||` is followed by all others; one within is clear only if they are joined by `&&` and nothing comes after them.
fn is_alone(parts: &[Part], at: usize) -> bool {
    let joint = |part: &Part| part.joint;
    let before: Vec<Joint> = parts.iter().take(at + 1).map(joint).collect();
    let after: Vec<Joint> = parts.iter().skip(at + 1).map(joint).collect();
    let hangs = |joint: &Joint| matches!(joint, Joint::And | Joint::Pipe);
    let is_first = at == 0 || before.last() == Some(&Joint::Next);
    let is_within = before.last() == Some(&Joint::And)
        && before.iter().skip(1).rev().take_while(|joint| **joint != Joint::Next).all(hangs)
        && after.iter().all(hangs);
    let goes_on = after.first().is_none_or(|next| matches!(next, Joint::And | Joint::Next));
    goes_on && (is_first || is_within)
}

/// The directory that a `cd` goes to, which must be in the workspace, and whether a link leads there.
fn target(words: &[String], scene: &Scene<'_>) -> Option<(PathBuf, bool)> {
    let place = &scene.place;
    let [_, to] = words else { return None };
    let is_name = !to.is_empty() && !to.starts_with('-');
    let goes_up = |part: &Component<'_>| *part == Component::ParentDir;
    // further up than at its beginning a shell goes by the words of a path, the system by its links
    let mut parts = Path::new(to).components().skip_while(goes_up);
    let is_plain = is_name && !parts.any(|part| goes_up(&part)) && !(scene.has_link && to.starts_with(".."));
    let path = place.cwd.join(to);
    let target = (place.sight.follow)(&path);
    let is_link = clean(&path) != target;
    let is_text = target.to_str().is_some_and(|to| to.chars().all(is_text));
    (is_plain && is_text && place.scope.inside(&target).is_some()).then_some((target, is_link))
}

/// The word that starts it: a path, or the name of what is a part of every shell.
pub(super) fn program(command: &Command, place: &Place<'_>) -> Option<String> {
    match command.home {
        Home::Shell => Some(command.name.to_owned()),
        Home::Program => place.program(command.program),
        Home::Shimmed => place.program(command.program).or_else(|| place.shim(command.program)),
    }
}
