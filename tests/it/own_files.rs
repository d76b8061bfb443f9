//! The program's own configuration, where it lies in what commands may write: no command changes it, in either tier.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::endpoint::call;
use crate::harness::Clawd;
use crate::tiers::{Lacks, without};
use crate::workshop::Workshop;

/// What a command tries, with `$OWN` for the directory.
const ATTEMPTS: [&str; 9] = [
    "echo 'permission_mode = \"bypass\"' > $OWN/config.toml",
    "echo 'permission_mode = \"bypass\"' > n; mv n $OWN/config.toml || { rm n; false; }",
    "rm -f $OWN/config.toml",
    "echo x > $OWN/grants.toml",
    "echo x > $OWN/trust.toml",
    "mkdir -p $OWN/skills/x && echo x > $OWN/skills/x/SKILL.md",
    "echo x > $OWN/AGENTS.md",
    "mv $OWN $OWN.away && mkdir $OWN && echo x > $OWN/config.toml",
    "cat $OWN/config.toml; false",
];

/// All files below that commands could want to change: not those that the program itself writes meanwhile.
fn files(own: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![own.to_owned()];
    while let Some(path) = left.pop() {
        let is_its_own = ["sessions", "logs", "history.jsonl"].iter().any(|name| path.ends_with(name));
        if path.is_dir() && !is_its_own {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if !is_its_own {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

fn check(shop: &Workshop, own: &Path) {
    fs::create_dir_all(own).unwrap();
    fs::write(own.join("config.toml"), "# mine\nnudge = true\n").unwrap();
    let before = files(own);
    let attempts = ATTEMPTS.map(|attempt| attempt.replace("$OWN", own.to_str().unwrap()));
    let run = shop.run(attempts.each_ref().map(|attempt| [call("Bash", json!({"command": attempt}))]));
    for (attempt, told) in attempts.iter().zip(&run.told) {
        assert!(told.starts_with("Error: "), "{attempt}: {told}");
        assert!(!told.contains("# mine"), "{attempt}: {told}");
    }
    assert_eq!(files(own), before);
    let all = fs::read_dir(own.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(!all.into_iter().any(|name| name.to_string_lossy().ends_with(".away")));
}

fn shop(change: impl FnOnce(Clawd) -> Clawd) -> Workshop {
    Workshop::in_mode("default").with(change)
}

/// Each way in which it comes to lie there.
fn check_all() {
    let allowed = ["--allowed-tools", "Bash"];
    let inside = shop(|clawd| {
        let home = clawd.project().join("state/clawd");
        clawd.env("CLAWD_HOME", home.to_str().unwrap())
    });
    let inside = inside.options(allowed);
    check(&inside, &inside.path("state/clawd"));
    let added = shop(|clawd| clawd);
    let (own, above) = (added.clawd().clawd_home(), added.clawd().clawd_home().parent().unwrap().to_owned());
    let added = added.options(allowed.into_iter().chain(["--add-dir", above.to_str().unwrap()]));
    check(&added, &own);
    let at_home = shop(|clawd| clawd.without_env("CLAWD_HOME"));
    let home = at_home.clawd().home();
    let at_home = at_home.options(allowed.into_iter().chain(["-C", home.to_str().unwrap()]));
    check(&at_home, &home.join(".config/clawd"));
    let within = shop(|clawd| clawd);
    let own = within.clawd().clawd_home();
    fs::create_dir_all(&own).unwrap();
    let within = within.options(allowed.into_iter().chain(["-C", own.to_str().unwrap()]));
    check(&within, &own);
}

#[test]
fn no_command_writes_the_configuration_wherever_it_lies() {
    check_all();
}

#[test]
fn no_command_writes_the_configuration_in_the_second_tier() {
    if clawd::sandbox::files::abi() >= clawd::sandbox::files::NEEDED {
        without(Lacks::Namespaces, check_all);
    }
}

/// Only where they could be read in the session's own directory are they of any use.
#[test]
fn a_command_reads_its_sessions_long_outputs_and_no_other_session() {
    let shop = shop(|clawd| clawd).options(["--allowed-tools", "Bash"]);
    let sessions = shop.clawd().clawd_home().join("sessions");
    fs::create_dir_all(sessions.join("other")).unwrap();
    fs::write(sessions.join("other/x.jsonl"), "said before\n").unwrap();
    // a command that names these files requires approval, so a script does
    let read =
        format!("cat {0}/*/*/*.txt | tail -n 1; cat {0}/other/x.jsonl || echo hidden", sessions.display());
    fs::write(shop.clawd().project().join("read.sh"), read).unwrap();
    let test = || {
        let bash = |command: &str| call("Bash", json!({"command": command}));
        shop.run([[bash("seq 100000")], [bash("sh read.sh")]]).told
    };
    for told in [test(), without(Lacks::Namespaces, test)] {
        assert!(told[0].contains("full output: "), "{told:?}");
        assert!(
            told[1].contains("100000\n") && told[1].contains("hidden") && !told[1].contains("said before"),
            "{told:?}"
        );
    }
}
