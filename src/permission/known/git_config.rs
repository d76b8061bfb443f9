//! Whether a repository's own configuration starts nothing and reaches nowhere when git is asked the verbs of `git`.
//!
//! A list of what is known, by section and key; values are not looked at. Pagers, editors, hooks and monitors stand in
//! it because the guard takes them away or no listed verb uses them. What is not in it, however harmless, makes git ask:
//! filters, drivers, other files, other work trees, repositories that fetch what they miss. What is written
//! in an unusual way is not calm either.

use crate::text::git_config::{Entry, Form, GitConfig, PLAIN_CORE_KEYS};

/// Keys of every name are known in these.
const SECTIONS: [&str; 20] = [
    "branch",
    "user",
    "author",
    "committer",
    "gc",
    "pull",
    "push",
    "fetch",
    "init",
    "color",
    "advice",
    "pack",
    "index",
    "rerere",
    "maintenance",
    "alias",
    "credential",
    "http",
    "url",
    "gui",
];

/// Sections without a name of their own, each with the keys that are known.
const KEYS: [(&str, &[&str]); 10] = [
    ("core", &PLAIN_CORE_KEYS),
    (
        "core",
        &[
            "safecrlf",
            "quotepath",
            "abbrev",
            "compression",
            "longpaths",
            "protectntfs",
            "protecthfs",
            "untrackedcache",
            "splitindex",
            "commentchar",
            "editor",
            "pager",
            "excludesfile",
            "hookspath",
            "fsmonitor",
            "whitespace",
            "sharedrepository",
            "checkstat",
            "trustctime",
            "preloadindex",
            "fscache",
            "hidedotfiles",
            "multipackindex",
            "commitgraph",
            "sshcommand",
            "askpass",
        ],
    ),
    ("extensions", &["objectformat", "refstorage", "worktreeconfig", "preciousobjects", "noop"]),
    ("lfs", &["repositoryformatversion"]),
    ("commit", &["gpgsign", "template", "verbose"]),
    ("merge", &["ff", "conflictstyle", "renames", "stat"]),
    ("tag", &["gpgsign", "sort"]),
    ("rebase", &["autosquash", "autostash", "updaterefs"]),
    (
        "diff",
        &["renames", "algorithm", "mnemonicprefix", "noprefix", "colormoved", "context", "indentheuristic"],
    ),
    ("status", &["short", "branch", "showuntrackedfiles"]),
];

/// The same for sections that have a name: `[remote "origin"]`.
const NAMED_KEYS: [(&str, &[&str]); 3] = [
    ("remote", &["url", "fetch", "push", "pushurl", "tagopt", "prune", "prunetags", "mirror", "gh-resolved"]),
    ("submodule", &["url", "active", "branch", "ignore"]),
    ("lfs", &["access", "locksverify"]),
];

/// Whether all of it is written in the usual way, and every key is known.
pub(super) fn is_calm(text: &str) -> bool {
    let config = GitConfig::read(text);
    config.form == Form::Usual && config.entries.iter().all(is_known)
}

fn is_known(Entry { section, of, key, value: _ }: &Entry) -> bool {
    let keys: &[(&str, &[&str])] = if of.is_some() { &NAMED_KEYS } else { &KEYS };
    let in_keys = keys.iter().any(|(name, keys)| name == section && keys.contains(&key.as_str()));
    SECTIONS.contains(&section.as_str()) || in_keys
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n\
        \thooksPath = .husky\n\tfsmonitor\n[remote \"origin\"]\n\turl = git@host:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
        # said by hand\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n[user]\r\n\tname = \"A [b]\"\n\
        [alias]\n\tx = !sh\n[submodule \"lib/x\"]\n\tactive = true\n[lfs \"https://host/a.git/info/lfs\"]\n\taccess = basic\n";

    #[test]
    fn a_usual_configuration_is_calm() {
        assert!(is_calm(""));
        assert!(is_calm(USUAL));
    }

    #[test]
    fn what_starts_or_reaches_something_is_not_calm() {
        for more in [
            "[filter \"x\"]\nclean = sh -c id",
            "[diff]\nexternal = ./x",
            "[diff \"x\"]\ntextconv = ./x",
            "[include]\npath = ../x",
            "[includeIf \"gitdir:/\"]\npath = x",
            "[core]\nworktree = /etc",
            "[core]\nattributesFile = /x",
            "[core]\ngitProxy = ./x",
            "[remote \"origin\"]\npromisor = true",
            "[remote \"origin\"]\nuploadpack = ./x",
            "[remote \"x\"]\nvcs = ext",
            "[extensions]\npartialClone = origin",
            "[gpg]\nprogram = ./x",
            "[log]\nshowSignature = true",
            "[format]\npretty = %G?",
            "[pretty]\na = %GK",
            "[merge \"x\"]\ndriver = ./x",
            "[submodule \"a\"]\nupdate = !x",
            "[status]\nsubmoduleSummary = true",
            "[trailer \"x\"]\ncommand = ./x",
            "[core] worktree = /etc",
            "[core]\nbare = a\\\nworktree = /etc",
            "[core \"x\"]\nbare = a",
            "[remote \"x\"] vcs = \"]",
            "[core.x]\nbare = a",
            "[a\"b\"]",
            "odd",
            "[lfs]\ncustomtransfer = x",
            "[credential\n",
            "[remote \"a\\\"b\"]\nurl = x",
            "[protocol]\nallow = always",
            "\u{feff}[core]",
            "[core]\nbare extra",
            "[core]\n[x]\ny",
        ] {
            assert!(!is_calm(&format!("{USUAL}{more}\n")), "{more}");
        }
        assert!(!is_calm("url = x"));
    }
}
