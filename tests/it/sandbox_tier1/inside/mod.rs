//! The tests proper. Where `TIER` is not set, in an ordinary run of the suite, there is nothing to do.

mod git;
mod life;
mod places;
mod walls;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::Command;

use clawd::os::process::{Children, Exit, Running, Spawn};
use clawd::sandbox::{Profile, Sandbox, Tier};
use tempfile::TempDir;

use super::{HELPER, PLACE, TIER, bwrap};

/// A workspace, what lies around it, and who holds commands.
struct World {
    root: PathBuf,
    profile: Profile,
    sandbox: Sandbox,
    children: Children,
    _directory: TempDir,
}

/// How a command ended.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    exit: Exit,
    said: String,
}

/// `None` where these tests are not to run.
fn world() -> Option<World> {
    let tier = match std::env::var(TIER).ok()?.as_str() {
        "namespaces" => Tier::Namespaces,
        "bwrap" => Tier::Bubblewrap,
        _ => return None,
    };
    let directory = tempfile::tempdir_in(std::env::var_os(PLACE)?).unwrap();
    let root = directory.path().canonicalize().unwrap();
    for name in ["workspace", "outside", "home/.ssh", "home/.cargo", "state/scratch", "state/open"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    for name in
        ["outside/file", "home/.ssh/id", "home/.netrc", "home/.cargo/old", "home/.cargo/token", "state/key"]
    {
        fs::write(root.join(name), "old\n").unwrap();
    }
    fs::set_permissions(root.join("state/scratch"), Permissions::from_mode(0o700)).unwrap();
    let at = |name: &str| root.join(name);
    let profile = Profile {
        masked: ["home/.ssh", "home/.netrc", "home/.cargo/token", "state"].map(at).into(),
        caches: vec![at("home/.cargo")],
        scratch: Some(at("state/scratch")),
        ..Profile::writing([at("workspace"), at("state/open")])
    };
    let sandbox = Sandbox::with(tier).helped_by(HELPER).wrapped_by(bwrap());
    Some(World { root, profile, sandbox, children: Children::new(), _directory: directory })
}

impl World {
    fn at(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn spawn(&self, script: &str) -> Spawn {
        let at = |name: &str| self.at(name).into_os_string();
        let env: [(&str, OsString); 6] = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
            ("HOME", at("home")),
            ("OUT", at("outside")),
            ("ROOT", at("")),
            ("GIT_CONFIG_GLOBAL", "/dev/null".into()),
            ("GIT_CONFIG_PARAMETERS", "'user.name=u' 'user.email=u@x' 'init.defaultBranch=main'".into()),
        ];
        let env = env.into_iter().map(|(name, value)| (name.into(), value)).collect();
        let argv = ["bash", "--noprofile", "--norc", "-c", script];
        Spawn { env, ..Spawn::new(argv, self.at("workspace")) }
    }

    fn start(&self, script: &str) -> Running {
        self.start_spawn(self.spawn(script))
    }

    fn start_spawn(&self, spawn: Spawn) -> Running {
        let held = self.sandbox.hold(spawn, &self.profile);
        self.children.start(&held).unwrap()
    }

    async fn run(&self, script: &str) -> Told {
        told(&mut self.start(script)).await
    }

    /// Without anybody to hold it.
    async fn bare(&self, script: &str) -> Told {
        told(&mut self.children.start(&self.spawn(script)).unwrap()).await
    }

    #[track_caller]
    fn prepare(&self, script: &str) {
        self.prepare_in("workspace", script);
    }

    #[track_caller]
    fn prepare_in(&self, directory: &str, script: &str) {
        let spawn = self.spawn(script);
        let mut command = Command::new("bash");
        command.args(&spawn.argv[1..]).envs(spawn.env).current_dir(self.at(directory));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// All that lies below a directory, with what can be changed of it.
    fn all_of(&self, name: &str) -> BTreeMap<PathBuf, (u32, i64, Vec<u8>)> {
        let mut found = BTreeMap::new();
        let mut left = vec![self.at(name)];
        while let Some(path) = left.pop() {
            let meta = path.symlink_metadata().unwrap();
            if meta.is_dir() {
                left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            let bytes = if meta.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            let time = if meta.is_file() { meta.mtime() } else { 0 };
            found.insert(path, (meta.mode(), time, bytes));
        }
        found
    }
}

async fn told(running: &mut Running) -> Told {
    let finished = running.wait().await;
    let said = String::from_utf8_lossy(&finished.output.whole().unwrap()).into_owned();
    Told { exit: finished.exit, said }
}

/// Each script succeeds, one after the other.
#[track_caller]
fn succeeds(script: &str, told: &Told) {
    assert!(told.exit.is_success(), "{script}: {told:?}");
}

#[test]
fn what_was_refused_is_told() {
    if std::env::var(TIER).as_deref() != Ok("refused") {
        return;
    }
    let sandbox = Sandbox::with(Tier::Nothing).helped_by(HELPER).wrapped_by("/nowhere/bwrap").or_firmer();
    let told = sandbox.refused();
    assert!(!matches!(sandbox.tier(), Tier::Namespaces | Tier::Bubblewrap), "{told:?}");
    assert!(told[0].contains("namespaces") && told[1].contains("/nowhere/bwrap"), "{told:?}");
}
