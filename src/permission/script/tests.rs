//! Lines as they are read: tables of lines with their commands, and lines that mean harm to the reader.

use super::*;
use crate::permission::scope::Variables;

fn scope() -> Scope {
    Scope {
        project: PathBuf::from("/w"),
        workspace: vec![PathBuf::from("/w")],
        temporary: vec![PathBuf::from("/tmp")],
        home: Some(PathBuf::from("/home/u")),
        ..Scope::default()
    }
}

/// The commands, parted by bars; `…` stands for what only the shell knows.
fn shown_in(scope: &Scope, line: &str) -> String {
    let exec = ExecAccess { command: line.to_owned(), cwd: PathBuf::from("/w/src") };
    let one = |command: &Command| {
        let words = command.words.iter().map(|word| word.replace(UNKNOWN, "…"));
        let files = command.empties.iter().map(|file| format!(">{file}"));
        let grown = command.grows.iter().map(|file| format!(">>{file}"));
        words.chain(files).chain(grown).collect::<Vec<_>>().join(" ")
    };
    read(&exec, scope).iter().map(one).collect::<Vec<_>>().join(" | ")
}

#[track_caller]
fn check(line: &str, expected: &str) {
    assert_eq!(shown_in(&scope(), line), expected, "{line}");
}

#[test]
fn quotes_and_escapes_are_taken_off() {
    check("r\"m\" 'a b' c\\ d", "rm a b c d");
    check("$'rm' $'\\x72\\155' $\"rm\" \\rm r''m", "rm rm rm rm rm");
    check("a \"b\\\"c\\$d\\e\" '' \"\"", "a b\"c$d\\e  ");
    check("r\\\nm a", "rm a");
    check("# rm a\nls # rm b\nls a#b", "ls | ls a#b");
    check("a $'it\\'s' b", "a it's b");
}

#[test]
fn what_variables_hold_is_put_in() {
    check(
        "rm ~/a ~ ~u/b a~b $HOME/c ${HOME} \"$HOME\"",
        "rm /home/u/a /home/u …/b a~b /home/u/c /home/u /home/u",
    );
    check(
        "rm $PWD/a $TMPDIR/b $(pwd) $(git rev-parse --show-toplevel)",
        "pwd | git rev-parse --show-toplevel | rm /w/src/a /tmp/b /w/src /w",
    );
    check("a=r; b=m; $a$b x", "rm x");
    check("D=/etc; rm -rf $D \"${D}\" '$D' ${D:-x} ${D%/} ${D#x}", "rm -rf /etc /etc $D /etc /etc …");
    check("D='a b'; rm $D \"$D\"", "rm a b a b");
    check("export D=/etc && rm $D; unset D; rm $D", "export D=/etc | rm /etc | unset D | rm …");
    check("D=$(mktemp -d); rm -rf \"$D\"", "mktemp -d | rm -rf /tmp/mktemp");
    check("$(echo rm) a `echo b`", "echo rm | echo b | rm a b");
    check("rm${IFS}-rf${IFS}/", "rm -rf /");
    check("r$@m a; r$1m b", "rm a | rm b");
    check("set -- x; rm $1", "set -- x | rm x");
    check("rm $X $? $((1+2)) ${!a} x$Y/z", "rm … … … … x…/z");
    check("read D; rm $D ${D:-/etc}", "read D | rm … … | rm … /etc");
    check("HOME=/x; rm ~ $HOME", "rm /x /x");
}

#[test]
fn a_variable_that_nothing_sets_is_empty_where_all_are_known() {
    let known = Variables::new(
        [("BUILD", "/w/b"), ("WORDS", "a b")].map(|(name, value)| (name.into(), value.into())),
    );
    let scope = Scope { variables: known, ..scope() };
    let check = |line: &str, expected: &str| assert_eq!(shown_in(&scope, line), expected, "{line}");
    check("rm -rf $BUILD \"$DIR/\"* $DIR", "rm -rf /w/b /*");
    check("rm ${DIR:-/etc} $WORDS", "rm /etc a b");
    check("cd $DIR; rm $RANDOM $UID", "cd | rm … …");
    check("DIR=x; rm $DIR", "rm x");
    check("for DIR in $(ls); do rm $DIR; done", "ls | rm …");
    check(". ./env; rm $DIR", ". ./env | rm …");
    check("printf -v DIR x; rm $DIR", "printf -v DIR x | rm …");
}

#[test]
fn braces_become_words() {
    check("{rm,-rf,x}", "rm -rf x");
    check("rm a{b,c}d {x} {} '{a,b}' {e,f{g,h}}", "rm abd acd {x} {} {a,b} e fg fh");
    let many = format!("rm {}", "{a,b}".repeat(40));
    assert!(shown_in(&scope(), &many).len() < 100_000);
}

#[test]
fn a_line_is_taken_apart() {
    check("a;b&c|d||e&&f|&g\nh", "a | b | c | d | e | f | g | h");
    check("if a; then b; elif c; then d; else e; fi", "a | b | c | d | e");
    check("while ! a; do b; done; until c; do d; done", "a | b | c | d");
    check("{ a; }; (b; c); f() { d; }; function g { e; }", "a | b | c | f | d | function g | e");
    check("case $x in y) a;; *) b;; esac", "case … in y | a | * | b | esac");
    check(
        "for d in /etc /opt; do rm -rf $d \"$d/x\"; done",
        "rm -rf /etc /etc/x | rm -rf /etc /opt/x | rm -rf /opt /etc/x | rm -rf /opt /opt/x",
    );
    check("(( a > b )) && c; [[ a > b ]]", "c | [[ a b ]]");
    check("a > b 2>&1 >> c < d 2> e &> f >| g", "a >b >e >f >g >>c");
    check("> a", ">a");
    check("cat <(a) >(b)", "a | b | cat … …");
}

#[test]
fn what_runs_other_commands_is_looked_into() {
    check("env -i A=b rm x", "env -i A=b rm x | rm x");
    check("sudo -u root nohup rm x", "sudo -u root nohup rm x | nohup rm x | rm x");
    check("bash -lc 'rm a; rm b'", "bash -lc rm a; rm b | rm a | rm b");
    check("sh -c 'rm \"$1\"' _ /etc", "sh -c rm \"$1\" _ /etc | rm /etc");
    check("bash -c \"bash -c 'rm a'\"", "bash -c bash -c 'rm a' | bash -c rm a | rm a");
    check("eval \"r\" m 'x'", "eval r m x | r m x");
    check("eval 'D=/etc'; rm $D", "eval D=/etc | rm /etc");
    check("find /etc -name x -exec rm {} +", "find /etc -name x -exec rm {} + | rm /etc/……");
    check(
        "find . -exec sh -c 'rm \"$1\"' _ {} \\;",
        "find . -exec sh -c rm \"$1\" _ {} ; | sh -c rm \"$1\" _ ./…… | rm ./……",
    );
    check("find /etc | xargs -n1 rm -f", "find /etc | xargs -n1 rm -f | rm -f /etc/……");
    check(
        "find /etc | grep x | xargs -I{} rm {}/y",
        "find /etc | grep x | xargs -I{} rm {}/y | rm /etc/……/y",
    );
    check("ls | xargs rm", "ls | xargs rm | rm …");
    check(
        "busybox rm x; command rm x; timeout 5 rm x",
        "busybox rm x | rm x | command rm x | rm x | timeout 5 rm x | rm x",
    );
    check("trap 'rm x' EXIT", "trap rm x EXIT | rm x");
    check("su -c 'rm x' u", "su -c rm x u | rm x");
    check("echo 'rm x' | sh", "echo rm x | sh | rm x");
    check("sh <<< 'rm x'", "sh | rm x");
    check("bash <<E && ls\nrm x\nE\nls", "bash | rm x | ls | ls");
    check("cat <<-'E' | bash -s\n\trm x\n\tE\n", "cat | bash -s | rm x");
    check("cat <<E\nrm x\nE", "cat");
}

#[test]
fn words_that_are_only_said_are_no_commands() {
    check("echo rm -rf /", "echo rm -rf /");
    check("git commit -m 'rm -rf /'", "git commit -m rm -rf /");
    check("grep -rn 'rm -rf' /etc", "grep -rn rm -rf /etc");
}

#[test]
fn a_directory_is_followed_through_the_line() {
    let check = |line: &str, expected: Option<&str>| {
        let exec = ExecAccess { command: line.to_owned(), cwd: PathBuf::from("/w/src") };
        let commands = read(&exec, &scope());
        let last = commands.last().and_then(|command| command.cwd.clone());
        assert_eq!(last, expected.map(PathBuf::from), "{line}");
    };
    check("cd .. && a", Some("/w"));
    check("cd /etc; a", Some("/etc"));
    check("cd; a", Some("/home/u"));
    check("cd $X; a", None);
    check("cd -; a", None);
    check("cd $X; cd /; a", Some("/"));
    check("(cd /etc); a", Some("/w/src"));
    check("(cd /etc; a)", Some("/etc"));
    check("$(cd /etc); a", Some("/w/src"));
    check("bash -c 'cd /etc; a'", Some("/etc"));
    check("cd /etc; sudo rm a", Some("/etc"));
}

proptest::proptest! {
    #[test]
    fn nothing_upsets_the_reading(line in "[ -~\\n]{0,60}") {
        drop(shown_in(&scope(), &line));
    }

    #[test]
    fn signs_of_the_shell_upset_it_as_little(line in "(\\$|\\{|\\}|\\(|\\)|<|>|\"|'|`|;|a|x=| |\\\\|\n|<<E|,|bash -c |find -exec |xargs |~){0,40}") {
        drop(shown_in(&scope(), &line));
    }
}

#[test]
fn a_hostile_line_is_read_in_good_time() {
    for line in [
        "$(".repeat(20_000),
        "{a,b}".repeat(2_000),
        "bash -c '".repeat(500),
        "a=$a$a$a;".repeat(2_000),
        "eval ".repeat(5_000),
        "(".repeat(50_000),
        "find -exec ".repeat(3_000),
    ] {
        shown_in(&scope(), &line);
    }
}
