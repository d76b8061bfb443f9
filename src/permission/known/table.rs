//! The tables as one: which commands are known by name.

use super::options::{Command, lists};
use super::{Table, files, git, machine, scripts, search, shells_own, text, versions};

/// Those that read no configuration and write nothing by any option that is listed for them, sandbox or not. Left out
/// on purpose: what has a language of its own (`awk`, `jq`; `sed` only prints lines by their numbers there) and what starts another program
/// (`xargs`).
const BARE: &str = "[ base64 basename cat cksum cmp column comm command cut date df diff dirname du echo egrep \
                    expand expr false fgrep find fold grep head ls md5sum nl nproc od paste printf pwd \
                    readlink realpath rev rg sed seq sha1sum sha256sum sort stat tac tail test tr true uniq wc";

/// Those that may join them in a line that runs in the sandbox of another command in it.
const BESIDE: &str = "git";

/// The families, in the order in which a name is looked up.
const FAMILIES: [&[Command]; 8] = [
    shells_own::COMMANDS,
    files::COMMANDS,
    text::COMMANDS,
    search::COMMANDS,
    scripts::COMMANDS,
    git::COMMANDS,
    machine::COMMANDS,
    versions::COMMANDS,
];

/// The command of this name.
pub(super) fn find(name: &str, table: Table) -> Option<&'static Command> {
    let is_listed = match table {
        Table::Full => true,
        Table::Beside => lists(BARE, name) || lists(BESIDE, name),
        Table::Bare => lists(BARE, name),
    };
    is_listed.then(|| FAMILIES.into_iter().flatten().find(|command| command.name == name)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_stands_twice_and_the_few_are_among_all() {
        let mut names: Vec<&str> = FAMILIES.into_iter().flatten().map(|command| command.name).collect();
        assert!(BARE.split(' ').chain(BESIDE.split(' ')).all(|name| names.contains(&name)));
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
