//! What a project would bring beside plain text: settings, hooks, servers, commands, skills, agents.
//!
//! Listed and hashed, never acted on. It opens regular files alone, follows no link out of the project, and reads no more than
//! anybody would write by hand: what is larger, or comes in larger numbers, is left out and said so. The surprise: a directory
//! that brings nothing costs two questions to the system, for every start of the program waits for them.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::item::{Item, ItemKind};
use crate::config::{Part, ProjectFile, Wishes, survey, survey_servers};
use crate::os::file::open_regular;
use crate::os::paths::resolve;
use crate::text::units;

/// The largest file that is read: far more than anybody writes by hand.
const FILE_MAX: u64 = 256 * 1024;
/// Bytes of all files together: a hundredth of a second to hash.
const ALL_MAX: u64 = 4 * 1024 * 1024;
/// Files of one folder.
const FILES_MAX: usize = 100;
/// Names of one folder that are looked at.
const NAMES_MAX: usize = 1_000;

/// What a project would bring beside plain text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Brings {
    /// What needs a yes to its present content.
    pub items: Vec<Item>,
    /// Keys and rules that no yes puts into force, each with its file.
    pub left_out: Vec<String>,
    pub(super) settings: Vec<Settings>,
}

/// A `config.toml` of the project.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Settings {
    pub(super) file: ProjectFile,
    /// What it asks for, or why it cannot be read.
    pub(super) wishes: Result<Wishes, String>,
    /// What is odd about it, a line each.
    pub(super) warnings: Vec<String>,
}

/// Looks below `root`. `own` is the directory of the user's own configuration, which is never the project's.
pub(super) fn brings(root: &Path, own: Option<&Path>, notes: &mut Vec<String>) -> Brings {
    let mut walk = Walk { root, notes, left: ALL_MAX, brings: Brings::default() };
    if let Some(dir) = walk.inside(&root.join(".clawd"), ".clawd")
        && own != Some(dir.as_path())
        && dir.is_dir()
    {
        for file in ProjectFile::ALL {
            walk.settings(file, &dir);
        }
        walk.files(ItemKind::Command, &dir, "commands");
        walk.skills(&dir);
        walk.files(ItemKind::Agent, &dir, "agents");
    }
    walk.servers();
    walk.brings
}

/// A look that is going on.
struct Walk<'a> {
    root: &'a Path,
    notes: &'a mut Vec<String>,
    /// Bytes that may still be read.
    left: u64,
    brings: Brings,
}

impl Walk<'_> {
    fn settings(&mut self, file: ProjectFile, dir: &Path) {
        let name = file.name();
        let path = dir.join(name.strip_prefix(".clawd/").unwrap_or(name));
        let Some(bytes) = self.read(&path, name) else { return };
        let Some(text) = self.text(&bytes, name) else { return };
        let found = match survey(file, text) {
            Ok(found) => found,
            Err(error) => {
                let error = error.to_string();
                self.brings.items.push(Item::new(ItemKind::Broken, (name, ""), vec![error.clone()], &bytes));
                self.brings.settings.push(Settings { file, wishes: Err(error), warnings: Vec::new() });
                return;
            }
        };
        if !found.says.is_empty() {
            let content = serde_json::Value::from(found.says.clone()).to_string();
            let item = Item::new(ItemKind::Settings, (name, ""), found.says, content.as_bytes());
            self.brings.items.push(item);
        }
        self.parts((ItemKind::Hook, "hooks"), name, &found.hooks);
        self.parts((ItemKind::Server, "mcp_servers"), name, &found.servers);
        self.brings.left_out.extend(found.left_out.iter().map(|key| format!("{key} ({name})")));
        let (wishes, warnings) = (Ok(found.wishes), found.warnings);
        self.brings.settings.push(Settings { file, wishes, warnings });
    }

    fn parts(&mut self, (kind, table): (ItemKind, &str), file: &str, parts: &[Part]) {
        let items = parts.iter().map(|part| {
            let shows = part.shows.iter().map(|line| format!("{}: {line}", part.name)).collect();
            let name = format!("{table}.{}", part.name);
            Item::new(kind, (file, &name), shows, part.content.as_bytes())
        });
        self.brings.items.extend(items);
    }

    fn servers(&mut self) {
        let name = ".mcp.json";
        let Some(bytes) = self.read(&self.root.join(name), name) else { return };
        let Some(text) = self.text(&bytes, name) else { return };
        match survey_servers(text) {
            Ok(servers) => self.parts((ItemKind::Server, "mcp_servers"), name, &servers),
            Err(error) => {
                let shows = vec![format!("cannot read {name}: line {}: not valid JSON", error.line())];
                self.brings.items.push(Item::new(ItemKind::Server, (name, ""), shows, &bytes));
            }
        }
    }

    /// The Markdown files of a folder of `.clawd`, each a thing by the file's name.
    fn files(&mut self, kind: ItemKind, dir: &Path, folder: &str) {
        let place = format!(".clawd/{folder}");
        for (path, file) in self.names(&dir.join(folder), &place) {
            let Some(short) = file.strip_suffix(".md").map(str::to_owned) else { continue };
            let name = format!("{place}/{file}");
            let Some(bytes) = self.read(&path, &name) else { continue };
            self.brings.items.push(Item::new(kind, (&name, ""), vec![short], &bytes));
        }
    }

    fn skills(&mut self, dir: &Path) {
        let place = ".clawd/skills";
        for (path, skill) in self.names(&dir.join("skills"), place) {
            let name = format!("{place}/{skill}/SKILL.md");
            let Some(path) = self.inside(&path, &format!("{place}/{skill}")) else { continue };
            let Some(bytes) = self.read(&path.join("SKILL.md"), &name) else { continue };
            self.brings.items.push(Item::new(ItemKind::Skill, (&name, ""), vec![skill], &bytes));
        }
    }

    /// What lies in a folder, by name, in order; none where there is no folder.
    fn names(&mut self, folder: &Path, place: &str) -> Vec<(PathBuf, String)> {
        let Some(folder) = self.inside(folder, place) else { return Vec::new() };
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let mut names: Vec<(PathBuf, String)> = Vec::new();
        for entry in entries.take(NAMES_MAX).flatten() {
            match entry.file_name().into_string() {
                Ok(name) => names.push((entry.path(), name)),
                Err(name) => self.leave_out(&format!("{place}/{}", name.display()), "its name is not UTF-8"),
            }
        }
        names.sort();
        if names.len() > FILES_MAX {
            names.truncate(FILES_MAX);
            self.notes.push(format!("{place} contains more than {FILES_MAX} files: the rest is ignored"));
        }
        names
    }

    /// The path, or what it links to within the project; none where nothing is.
    fn inside(&mut self, path: &Path, name: &str) -> Option<PathBuf> {
        match path.symlink_metadata() {
            Ok(meta) if !meta.is_symlink() => Some(path.to_owned()),
            Ok(_) => {
                let target = resolve(path).ok().filter(|target| target.starts_with(self.root));
                if target.is_none() {
                    self.leave_out(name, "it is a symlink that leads out of the project");
                }
                target
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                None
            }
            Err(error) => {
                self.leave_out(name, &error.to_string());
                None
            }
        }
    }

    /// The whole of a file, if it is there and within the limits.
    fn read(&mut self, path: &Path, name: &str) -> Option<Vec<u8>> {
        let path = self.inside(path, name)?;
        let (file, _) = match open_regular(&path) {
            Ok(opened) => opened,
            Err(error) => {
                if error.io_kind() != Some(io::ErrorKind::NotFound) {
                    self.leave_out(name, &error.to_string());
                }
                return None;
            }
        };
        let mut bytes = Vec::new();
        // one byte more than allowed: the file may grow while it is read
        if let Err(error) = file.take(FILE_MAX + 1).read_to_end(&mut bytes) {
            self.leave_out(name, &error.to_string());
            return None;
        }
        let length = bytes.len() as u64;
        if length > FILE_MAX {
            self.leave_out(name, &format!("it is larger than {}", units::bytes(FILE_MAX)));
            return None;
        }
        let Some(left) = self.left.checked_sub(length) else {
            self.leave_out(
                name,
                &format!("the project's settings are larger than {}", units::bytes(ALL_MAX)),
            );
            return None;
        };
        self.left = left;
        Some(bytes)
    }

    fn text<'b>(&mut self, bytes: &'b [u8], name: &str) -> Option<&'b str> {
        let Ok(text) = str::from_utf8(bytes) else {
            self.leave_out(name, "it is not UTF-8 text");
            return None;
        };
        Some(text.strip_prefix('\u{feff}').unwrap_or(text))
    }

    fn leave_out(&mut self, name: &str, why: &str) {
        // a project that brings thousands of such names brings no thousands of lines
        if self.notes.len() < FILES_MAX {
            self.notes.push(format!("{name} is ignored: {why}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::super::scan::{Scan, scan};
    use super::*;

    fn tree(files: &[(&str, &str)]) -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    fn names(scan: &Scan) -> Vec<String> {
        scan.brings.items.iter().map(Item::name).collect()
    }

    #[test]
    fn everything_is_found_by_its_kind_and_shown_by_what_it_is() {
        let dir = tree(&[
            (".git/HEAD", "ref: refs/heads/main"),
            (".clawd/config.toml", "model = 'm'\nbase_url = 'x'\n[[hooks.Stop]]\ncommand = './h.sh'"),
            (
                ".clawd/config.local.toml",
                "\u{feff}[mcp_servers.s]\ncommand = 'npx'\n[permissions]\nallow = ['Bash']",
            ),
            (".clawd/commands/deploy.md", "x"),
            (".clawd/commands/notes.txt", "x"),
            (".clawd/commands/below/deep.md", "x"),
            (".clawd/skills/draw/SKILL.md", "x"),
            (".clawd/skills/draw/other.md", "x"),
            (".clawd/agents/critic.md", "x"),
            (".mcp.json", r#"{"mcpServers": {"far": {"url": "https://e/mcp"}}}"#),
            ("sub/.clawd/config.toml", "model = 'deep'"),
        ]);
        let found = scan(&dir.path().join("sub"), None);
        let shown: Vec<(ItemKind, String, String)> =
            found.brings.items.iter().map(|item| (item.kind, item.name(), item.shows.join("|"))).collect();
        let expected = [
            (ItemKind::Settings, ".clawd/config.toml", "model = \"m\""),
            (ItemKind::Hook, ".clawd/config.toml hooks.Stop", "Stop: ./h.sh"),
            (ItemKind::Server, ".clawd/config.local.toml mcp_servers.s", "s: npx"),
            (ItemKind::Command, ".clawd/commands/deploy.md", "deploy"),
            (ItemKind::Skill, ".clawd/skills/draw/SKILL.md", "draw"),
            (ItemKind::Agent, ".clawd/agents/critic.md", "critic"),
            (ItemKind::Server, ".mcp.json mcp_servers.far", "far: https://e/mcp"),
        ];
        assert_eq!(shown, expected.map(|(kind, name, shows)| (kind, name.to_owned(), shows.to_owned())));
        let left_out = ["base_url (.clawd/config.toml)", "allow Bash (.clawd/config.local.toml)"];
        assert_eq!(found.brings.left_out, left_out);
        assert_eq!(found.notes, [""; 0]);
    }

    #[test]
    fn what_leads_out_of_the_project_or_is_no_file_is_left_out() {
        let outside = tree(&[("evil.toml", "model = 'evil'"), ("clawd/config.toml", "model = 'evil'")]);
        let dir = tree(&[("inner.toml", "model = 'm'"), (".clawd/commands/a.md", "x")]);
        let path = |name: &str| dir.path().join(name);
        symlink(outside.path().join("evil.toml"), path(".clawd/config.toml")).unwrap();
        symlink("../inner.toml", path(".clawd/config.local.toml")).unwrap();
        symlink("/etc", path(".clawd/agents")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, path(".mcp.json"), rustix::fs::Mode::RWXU).unwrap();
        fs::create_dir(path(".clawd/commands/dir.md")).unwrap();
        symlink("none", path(".clawd/commands/gone.md")).unwrap();
        let found = scan(dir.path(), None);
        assert_eq!(names(&found), [".clawd/config.local.toml", ".clawd/commands/a.md"]);
        let notes = found.notes.join("\n");
        for expected in [
            ".clawd/config.toml is ignored: it is a symlink that leads out of the project",
            ".clawd/agents is ignored: it is a symlink that leads out of the project",
            "it is a named pipe",
            "it is a directory",
        ] {
            assert!(notes.contains(expected), "{expected}: {notes}");
        }
        let linked = tree(&[]);
        symlink(outside.path().join("clawd"), linked.path().join(".clawd")).unwrap();
        let found = scan(linked.path(), None);
        assert_eq!((names(&found), found.notes.len()), (Vec::new(), 1));
        let file = tree(&[(".clawd", "x")]);
        assert_eq!(scan(file.path(), None).notes, [""; 0]);
    }

    #[test]
    fn the_users_own_configuration_is_never_the_projects() {
        let home = tree(&[(".clawd/config.toml", "base_url = 'http://mine/v1'\nmodel = 'mine'")]);
        let found = scan(home.path(), Some(&home.path().join(".clawd/AGENTS.md")));
        assert_eq!((names(&found), found.notes.len()), (Vec::new(), 0));
        assert_eq!(names(&scan(home.path(), None)).len(), 1);
    }

    #[test]
    fn no_more_is_read_than_anybody_writes() {
        let dir = tree(&[(".clawd/config.toml", &"#".repeat(10 << 20)), (".mcp.json", "{ \n \n oops")]);
        for n in 0..150 {
            let path = dir.path().join(format!(".clawd/commands/{n:03}.md"));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        for n in 0..40 {
            let path = dir.path().join(format!(".clawd/agents/{n:02}.md"));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x".repeat(200 << 10)).unwrap();
        }
        let found = scan(dir.path(), None);
        let of = |kind| found.brings.items.iter().filter(|item| item.kind == kind).count();
        assert_eq!((of(ItemKind::Settings), of(ItemKind::Command), of(ItemKind::Agent)), (0, 100, 20));
        let server = &found.brings.items.last().unwrap().shows;
        assert_eq!(server, &["cannot read .mcp.json: line 3: not valid JSON"]);
        assert_eq!(found.notes[0], ".clawd/config.toml is ignored: it is larger than 256 KB");
        assert_eq!(found.notes[1], ".clawd/commands contains more than 100 files: the rest is ignored");
        assert!(
            found.notes[2].ends_with("the project's settings are larger than 4 MB"),
            "{}",
            found.notes[2]
        );
    }
}
