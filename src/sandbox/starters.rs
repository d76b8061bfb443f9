//! Threads that hold commands, kept from one command to the next.
//!
//! Most of what the second tier costs is that a thread gives up its rights: some hundred files are opened for its rules, and a
//! filter is compiled. A session's commands are held to two or three profiles, so each has a thread that stays, as long as
//! what its rules were made from is as it was (`seen`). The surprise: a directory that somebody is changing keeps no
//! thread; then each command has a new one, and only that takes longer.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::plan::Profile;
use super::seen::Seen;
use super::thread::starter;
use crate::os::starter::Starter;

/// Profiles that have a thread at the same time. A session has two: for what only looks, and for what does more.
const MOST: usize = 4;

/// One for each profile, the last used at the end.
#[derive(Debug, Default)]
pub struct Starters(Mutex<Vec<Kept>>);

#[derive(Debug)]
struct Kept {
    profile: Profile,
    seen: Seen,
    starter: Arc<Starter>,
}

impl Starters {
    /// The thread that holds commands to this profile, as the files are now.
    pub(super) fn of(&self, profile: Profile) -> io::Result<Arc<Starter>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = all.iter().position(|kept| kept.profile == profile) {
            let kept = all.remove(at);
            if kept.seen.is_as_it_was() {
                let starter = Arc::clone(&kept.starter);
                all.push(kept);
                return Ok(starter);
            }
        }
        let mut seen = Seen::default();
        let starter = Arc::new(starter(&profile, &mut seen)?);
        if seen.has_rested() {
            all.push(Kept { profile, seen, starter: Arc::clone(&starter) });
            let too_many = all.len().saturating_sub(MOST);
            all.drain(..too_many);
        }
        Ok(starter)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant};

    use super::*;

    /// Only for what would hang.
    const LONG: Duration = Duration::from_mins(1);

    /// A directory in one that no other test changes all the time.
    fn quiet() -> tempfile::TempDir {
        tempfile::tempdir_in("/var/tmp").unwrap()
    }

    /// A thread that is kept; what is looked at must have rested first.
    fn kept(starters: &Starters, profile: &Profile) -> Arc<Starter> {
        let begun = Instant::now();
        while begun.elapsed() < LONG {
            let (one, two) = (starters.of(profile.clone()).unwrap(), starters.of(profile.clone()).unwrap());
            if Arc::ptr_eq(&one, &two) {
                return one;
            }
        }
        panic!("none is kept: something that is listed never rests");
    }

    fn hiding(masked: &[PathBuf]) -> Profile {
        Profile { masked: masked.to_vec(), ..Profile::read_only() }
    }

    fn reads(starter: &Starter, path: &Path) -> bool {
        let path = path.to_owned();
        starter.run(move || fs::read(path).is_ok()).unwrap()
    }

    #[test]
    fn each_profile_keeps_a_thread_of_its_own() {
        let starters = Starters::default();
        let dir = quiet();
        fs::write(dir.path().join("secret"), "").unwrap();
        let (hidden, open) = (hiding(&[dir.path().join("secret")]), hiding(&[]));
        let (one, two) = (kept(&starters, &hidden), kept(&starters, &open));
        assert!(!Arc::ptr_eq(&one, &two));
        assert!(!reads(&one, &dir.path().join("secret")) && reads(&two, &dir.path().join("secret")));
        assert!(Arc::ptr_eq(&kept(&starters, &hidden), &one) && Arc::ptr_eq(&kept(&starters, &open), &two));
    }

    #[test]
    fn where_something_came_or_was_replaced_the_rules_are_made_anew() {
        let starters = Starters::default();
        let dir = quiet();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("private")).unwrap();
        fs::write(at("private/key"), "").unwrap();
        let profile = hiding(&[at("private")]);
        let first = kept(&starters, &profile);
        assert!(!reads(&first, &at("private/key")));
        fs::write(at("new"), "").unwrap();
        let second = kept(&starters, &profile);
        assert!(!reads(&first, &at("new")) && reads(&second, &at("new")));
        fs::create_dir(at("other")).unwrap();
        fs::write(at("other/key"), "").unwrap();
        let third = kept(&starters, &profile);
        assert!(reads(&third, &at("other/key")));
        fs::rename(at("private"), at("was")).unwrap();
        fs::rename(at("other"), at("private")).unwrap();
        let fourth = starters.of(profile).unwrap();
        assert!(reads(&third, &at("private/key")), "its rules are for files");
        assert!(!reads(&fourth, &at("private/key")) && reads(&fourth, &at("was/key")));
    }

    #[test]
    fn a_few_are_kept_and_the_longest_unused_goes() {
        let starters = Starters::default();
        let profiles: Vec<Profile> =
            (0..=MOST).map(|number| hiding(&[format!("/nowhere/{number}").into()])).collect();
        let all: Vec<_> = profiles.iter().map(|profile| kept(&starters, profile)).collect();
        assert_eq!(starters.0.lock().unwrap().len(), MOST);
        assert!(Arc::ptr_eq(&starters.of(profiles[MOST].clone()).unwrap(), &all[MOST]));
        assert!(!Arc::ptr_eq(&starters.of(profiles[0].clone()).unwrap(), &all[0]));
    }
}
