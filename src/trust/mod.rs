//! Whether the project's word counts.
//!
//! A yes is given to a directory: the root of a repository, or the working directory where there is none; never to what
//! lies above or below it, nor to another directory that takes its place. The only maker of [`Trusted`], and that the only
//! [`Yes`], so whatever takes one cannot be reached without the user's. Plain text alone may change under a yes: everything
//! else counts as long as it is what the yes was given to.

mod grants;
mod record;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::permission::Mode;
use crate::project::{Item, ItemKind, Scan, Yes};

pub use grants::{Granted, add_grants, grants, remove_grant};
pub use record::{Record, read_record, remember};

/// A yes to one directory and to things in it as they are. Made here and nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    root: PathBuf,
    /// The marks of things, by name.
    marks: BTreeMap<String, String>,
    ground: Ground,
}

/// Why a yes counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ground {
    /// There is nothing that needs one.
    Unneeded,
    /// The mode needs none for plain text.
    Mode,
    /// The user has said it, for this run.
    ThisRun,
    /// The user has said it for good, on this day (`2026-01-31`), where that was kept.
    Kept(Option<String>),
}

/// What is known about a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It counts: an earlier yes, or nothing that needs one.
    Trusted(Trusted),
    /// The user has to be asked.
    Open(Before),
}

/// What there was before the user is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    /// No yes.
    Nothing,
    /// A yes to another directory of the same path.
    Another,
    /// A yes that does not cover all that is there now.
    Yes(Trusted),
}

/// How a thing stands to an earlier yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It was not there.
    New,
    /// It was another.
    Changed,
    /// It is as it was.
    Same,
}

/// Whether what was found counts.
pub fn judge(scan: &Scan, record: &Record) -> Judgement {
    if scan.brings_nothing() {
        return Judgement::Trusted(text_alone(scan, Ground::Unneeded));
    }
    match record.before(scan) {
        Before::Yes(yes) if scan.brings.items.iter().all(|item| yes.covers(item)) => Judgement::Trusted(yes),
        before => Judgement::Open(before),
    }
}

/// The user's yes to all that was found, from a question or from `--trust`.
pub fn by_user(scan: &Scan) -> Trusted {
    let marks = scan.brings.items.iter().map(|item| (item.name(), item.mark().to_owned()));
    Trusted { root: scan.root.clone(), marks: marks.collect(), ground: Ground::ThisRun }
}

/// What needs no yes in this mode: plain text in `bypass`, and nothing else.
pub fn unasked(scan: &Scan, mode: Mode) -> Option<Trusted> {
    match mode {
        Mode::Bypass => Some(text_alone(scan, Ground::Mode)),
        Mode::Default | Mode::AcceptEdits | Mode::Plan => None,
    }
}

fn text_alone(scan: &Scan, ground: Ground) -> Trusted {
    Trusted { root: scan.root.clone(), marks: BTreeMap::new(), ground }
}

impl Trusted {
    /// The same, kept on this day.
    #[must_use]
    pub fn kept(self, day: &str) -> Self {
        Self { ground: Ground::Kept(Some(day.to_owned())), ..self }
    }

    /// Why it counts.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// How a thing stands to this yes.
    pub fn standing(&self, item: &Item) -> Standing {
        match self.marks.get(&item.name()) {
            None => Standing::New,
            Some(mark) if mark == item.mark() => Standing::Same,
            Some(_) => Standing::Changed,
        }
    }
}

impl Yes for Trusted {
    fn is_for(&self, root: &Path) -> bool {
        self.root == root
    }

    fn covers(&self, item: &Item) -> bool {
        self.standing(item) == Standing::Same
    }
}

/// Whether a yes to a thing is kept: one to a file that cannot be read is not, for it brings nothing.
fn is_kept(item: &Item) -> bool {
    match item.kind {
        ItemKind::Broken => false,
        ItemKind::Settings
        | ItemKind::Hook
        | ItemKind::Server
        | ItemKind::Command
        | ItemKind::Skill
        | ItemKind::Agent => true,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::project::{Loaded, scan};

    /// A home and a project with these files.
    struct World {
        home: TempDir,
        dir: TempDir,
    }

    impl World {
        fn new(files: &[(&str, &str)]) -> Self {
            let world = Self { home: tempfile::tempdir().unwrap(), dir: tempfile::tempdir().unwrap() };
            for (name, text) in files {
                world.write(name, text);
            }
            world
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn scan(&self) -> Scan {
            scan(self.dir.path(), Some(&self.home.path().join("AGENTS.md")))
        }

        fn file(&self) -> PathBuf {
            self.home.path().join("trust.toml")
        }

        fn say_yes(&self) {
            remember(&self.file(), &self.scan(), DAY).unwrap();
        }

        fn judge(&self) -> Judgement {
            judge(&self.scan(), &read_record(&self.file()).unwrap())
        }

        /// How each thing stands to the yes that there was, by name.
        fn standings(&self) -> Vec<(String, Standing)> {
            let Judgement::Open(Before::Yes(yes)) = self.judge() else { panic!("{:?}", self.judge()) };
            self.scan().brings.items.iter().map(|item| (item.name(), yes.standing(item))).collect()
        }

        fn is_trusted(&self) -> bool {
            matches!(self.judge(), Judgement::Trusted(_))
        }
    }

    fn texts(loaded: Loaded) -> Vec<String> {
        loaded.instructions.into_iter().map(|file| file.text).collect()
    }

    const DAY: &str = "2026-01-31";
    const SETTINGS: &str = ".clawd/config.toml";

    #[test]
    fn nothing_of_a_project_is_given_out_before_a_yes() {
        let world = World::new(&[("AGENTS.md", "theirs"), (SETTINGS, "model = 'm'")]);
        fs::write(world.home.path().join("AGENTS.md"), "mine").unwrap();
        let found = world.scan();
        assert_eq!(world.judge(), Judgement::Open(Before::Nothing));
        let own = found.own();
        assert_eq!((own.wishes.len(), texts(own)), (0, vec!["mine".to_owned()]));
        world.say_yes();
        let Judgement::Trusted(yes) = world.judge() else { panic!("not remembered") };
        let all = found.open(&yes);
        assert_eq!((all.wishes.len(), texts(all)), (1, vec!["mine".to_owned(), "theirs".to_owned()]));
        let other = World::new(&[("AGENTS.md", "other")]);
        assert_eq!(texts(other.scan().open(&yes)), [""; 0], "a yes is for one directory");
    }

    #[test]
    fn the_question_comes_only_where_there_is_something_to_trust() {
        let check = |files: &[(&str, &str)], trusted: bool| {
            assert_eq!(World::new(files).is_trusted(), trusted, "{files:?}");
        };
        check(&[], true);
        check(&[("src/main.rs", "x"), (".git/config", "[core]\nfsmonitor = ./evil\n")], true);
        check(&[(SETTINGS, ""), (".clawd/notes.txt", "x")], true);
        check(&[(SETTINGS, "base_url = 'http://evil/v1'")], true);
        check(&[("CLAUDE.md", "x")], false);
        check(&[(SETTINGS, "nudge = false")], false);
        check(&[(".clawd/config.local.toml", "[permissions]\ndeny = ['Read']")], false);
        check(&[(SETTINGS, "model = 3")], false);
        check(&[(".clawd/commands/a.md", "x")], false);
        check(&[(".clawd/skills/a/SKILL.md", "x")], false);
        check(&[(".clawd/agents/a.md", "x")], false);
        check(&[(".mcp.json", r#"{"mcpServers": {"a": {"command": "x"}}}"#)], false);
        check(&[(".mcp.json", "{}")], true);
        check(&[(SETTINGS, "[[hooks.Stop]]\ncommand = 'x'")], false);
    }

    #[test]
    fn text_may_change_under_a_yes_and_nothing_else_may() {
        let world = World::new(&[
            ("AGENTS.md", "a"),
            (SETTINGS, "model = 'm'\n[mcp_servers.s]\ncommand = 'x'\n[[hooks.Stop]]\ncommand = 'y'"),
            (".clawd/commands/a.md", "x"),
            (".mcp.json", r#"{"mcpServers": {"s": {"command": "x"}}}"#),
        ]);
        world.say_yes();
        assert!(world.is_trusted());
        world.write("AGENTS.md", "b");
        world.write("sub/AGENTS.md", "c");
        assert!(world.is_trusted());
        let check = |name: &str, text: &str, expected: (&str, Standing)| {
            let before = fs::read_to_string(world.dir.path().join(name)).ok();
            world.write(name, text);
            let odd: Vec<_> =
                world.standings().into_iter().filter(|(_, standing)| *standing != Standing::Same).collect();
            assert_eq!(odd, [(expected.0.to_owned(), expected.1)], "{name}");
            match before {
                Some(before) => world.write(name, &before),
                None => fs::remove_file(world.dir.path().join(name)).unwrap(),
            }
            assert!(world.is_trusted(), "{name} is as it was");
        };
        let config = |model, server, hook| {
            format!(
                "model = '{model}' # why\n[mcp_servers.s]\ncommand = '{server}'\n[[hooks.Stop]]\ncommand = '{hook}'"
            )
        };
        check(SETTINGS, &config("n", "x", "y"), (SETTINGS, Standing::Changed));
        check(SETTINGS, &config("m", "z", "y"), (".clawd/config.toml mcp_servers.s", Standing::Changed));
        check(SETTINGS, &config("m", "x", "z"), (".clawd/config.toml hooks.Stop", Standing::Changed));
        check(".clawd/commands/a.md", "y", (".clawd/commands/a.md", Standing::Changed));
        check(".clawd/commands/b.md", "y", (".clawd/commands/b.md", Standing::New));
        let servers = r#"{"mcpServers": {"s": {"command": "x"}, "t": {"command": "x"}}}"#;
        check(".mcp.json", servers, (".mcp.json mcp_servers.t", Standing::New));
        world.write(SETTINGS, &config("m", "x", "y"));
        assert!(world.is_trusted(), "a comment changes nothing that counts");
    }

    #[test]
    fn an_earlier_yes_stands_for_what_has_not_changed() {
        let world = World::new(&[("AGENTS.md", "a"), (SETTINGS, "model = 'm'")]);
        world.say_yes();
        world.write(".clawd/config.local.toml", "model = 'evil'");
        let found = world.scan();
        let Judgement::Open(Before::Yes(yes)) = world.judge() else { panic!("it is new") };
        assert_eq!((found.open(&yes).wishes.len(), texts(found.open(&yes)).len()), (1, 1));
        assert_eq!(found.open(&by_user(&found)).wishes.len(), 2);
    }

    #[test]
    fn a_yes_is_for_one_directory_and_not_for_its_neighbours() {
        let base = World::new(&[]);
        let files = ["repo", "repo-evil", "repo/inner"];
        for name in files {
            base.write(&format!("{name}/.git/HEAD"), "ref: refs/heads/main");
            base.write(&format!("{name}/AGENTS.md"), name);
        }
        let scan_of = |name: &str| scan(&base.dir.path().join(name), None);
        remember(&base.file(), &scan_of("repo"), DAY).unwrap();
        let known = |name: &str| {
            matches!(judge(&scan_of(name), &read_record(&base.file()).unwrap()), Judgement::Trusted(_))
        };
        assert_eq!(files.map(known), [true, false, false]);
        let path = |name: &str| base.dir.path().join(name);
        fs::rename(path("repo"), path("renamed")).unwrap();
        fs::rename(path("repo-evil"), path("repo")).unwrap();
        let record = read_record(&base.file()).unwrap();
        assert_eq!(judge(&scan_of("renamed"), &record), Judgement::Open(Before::Nothing));
        assert_eq!(judge(&scan_of("repo"), &record), Judgement::Open(Before::Another));
    }

    #[test]
    fn the_older_form_of_the_file_stands_for_text() {
        let world = World::new(&[("AGENTS.md", "a")]);
        let root = world.scan().root;
        let older = format!("trusted = [{:?}, \"/other\"]\n", root.to_str().unwrap());
        fs::write(world.file(), older).unwrap();
        assert!(world.is_trusted());
        world.write(SETTINGS, "model = 'm'");
        assert_eq!(world.standings(), [(SETTINGS.to_owned(), Standing::New)]);
        world.say_yes();
        assert!(world.is_trusted());
        let text = fs::read_to_string(world.file()).unwrap();
        assert!(text.contains("\"/other\"") && !text.contains("\"/other\", "), "{text}");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error_for_whoever_says_yes_to_it() {
        let world = World::new(&[(SETTINGS, "\nmodel = 3")]);
        let found = world.scan();
        let error = found.open(&by_user(&found)).broken.concat();
        assert!(error.starts_with("cannot read .clawd/config.toml: line 2: `model` must be"), "{error}");
        assert_eq!(found.open(&text_alone(&found, Ground::Unneeded)), Loaded::default());
        world.say_yes();
        assert!(!world.is_trusted(), "it is asked about again");
    }

    #[test]
    fn only_bypass_tells_plain_text_unasked() {
        let world = World::new(&[("AGENTS.md", "a"), (SETTINGS, "model = 'm'")]);
        let found = world.scan();
        let told = Mode::ALL.map(|mode| unasked(&found, mode).map(|yes| found.open(&yes)));
        assert_eq!(told.each_ref().map(Option::is_some), [false, false, false, true]);
        let [_, _, _, Some(told)] = told else { panic!("not told") };
        assert_eq!((told.instructions.len(), told.wishes.len()), (1, 0));
    }
}
