//! The tables as one: which commands are known by name.

use super::options::Command;
use super::{Table, files, git, machine, scripts, search, shells_own, text, versions};

/// The few that read no configuration and write nothing, sandbox or not.
const BARE: [&str; 10] = ["ls", "cat", "head", "tail", "wc", "pwd", "stat", "cut", "tr", "grep"];

/// Those beside them that write nothing by any option that is listed for them. Here no sandbox may keep them from it: they
/// stand in a line that is held as another command in it needs it.
const BESIDE: [&str; 6] = ["echo", "true", "false", "sort", "uniq", "git"];

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
        Table::Beside => BARE.contains(&name) || BESIDE.contains(&name),
        Table::Bare => BARE.contains(&name),
    };
    is_listed.then(|| FAMILIES.into_iter().flatten().find(|command| command.name == name)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_stands_twice_and_the_few_are_among_all() {
        let mut names: Vec<&str> = FAMILIES.into_iter().flatten().map(|command| command.name).collect();
        assert!(BARE.iter().chain(&BESIDE).all(|name| names.contains(name)));
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
