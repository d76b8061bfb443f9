//! What a deny rule sees through.
//!
//! Tests alone: tables of ways to write a command so that it does not look like itself, and a property: no wrapping, one
//! within the other, turns a no into anything else.

use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::protocol::ExecAccess;

fn policy(mode: Mode, deny: &str) -> Policy {
    let scope = Scope {
        project: PathBuf::from("/w"),
        workspace: vec![PathBuf::from("/w")],
        temporary: vec![PathBuf::from("/tmp")],
        home: Some(PathBuf::from("/home/u")),
        links: Links::new(|path| match path.strip_prefix("/w/linkd") {
            Ok(below) => Path::new("/w").join(below),
            Err(_) if path == Path::new("/w/link") => PathBuf::from("/w/.env"),
            Err(_) => path.to_owned(),
        }),
        names: Names::new(|directory| {
            (directory == Path::new("/w")).then(|| [".env", "a", "secret/"].map(Into::into).to_vec())
        }),
        ..Scope::default()
    };
    let rules = Rules {
        allow: Rule::parse_list("Bash,Read,Edit").unwrap(),
        ask: Vec::new(),
        deny: Rule::parse_list(deny).unwrap(),
    };
    let sandbox = Sandboxing { auto_allow: true, ..Sandboxing::default() };
    Policy { mode, rules, scope, sandbox, ..Policy::default() }
}

fn is_denied(mode: Mode, deny: &str, command: &str) -> bool {
    let exec = ExecAccess { command: command.to_owned(), cwd: PathBuf::from("/w") };
    match policy(mode, deny).judge(CallForm::Native, &"Bash".into(), &Access::Exec(exec)) {
        Verdict::Deny { .. } => true,
        Verdict::Allow(_) | Verdict::Ask { .. } => false,
    }
}

/// Ways to write `rm x`, one a line; `⏎` stands for the end of a line.
const WAYS: &str = r#"
rm x
/bin/rm x
/usr/bin/../bin/rm x
./rm x
\rm x
"rm" x
'rm' x
r"m" x
r''m x
'r'm x
r\m x
$'rm' x
$'\x72m' x
$'\162\155' x
$'\u0072m' x
$"rm" x
r$@m x
r$*m x
r$1m x
rm${IFS}x
{rm,x}
r{m,}  x
/bin/r? x
/bin/r* x
/bin/r[m] x
a=rm; $a x
a=r; b=m; $a$b x
a=r b=m; ${a}${b} x
export a=rm; $a x
for a in ls rm; do $a x; done
$(echo rm) x
`echo rm` x
$(echo r)m x
A=b rm x
env rm x
env -i A=b rm x
env -u A rm x
command rm x
builtin command rm x
exec rm x
sudo rm x
sudo -u root -- rm x
doas rm x
nohup rm x &
nice -n 5 rm x
timeout 5 rm x
time rm x
stdbuf -oL rm x
setsid rm x
busybox rm x
xargs rm
ls | xargs -n1 rm
ls | xargs -I{} rm {}
find . -exec rm {} +
find . -execdir rm {} ;
find . -ok rm {} ;
bash -c 'rm x'
sh -c "rm x"
bash -lc 'rm x'
bash -c "bash -c 'rm x'"
bash -c '$0 x' rm
bash -c '"$@"' _ rm
sh <<< 'rm x'
bash <<E⏎rm x⏎E
cat <<'E' | sh⏎rm x⏎E
echo 'rm x' | sh
eval rm x
eval 'r''m x'
trap 'rm x' EXIT
su -c 'rm x'
ssh host rm x
ssh host 'rm x'
watch 'rm x'
ls;rm x
ls&&rm x
ls||rm x
ls|rm x
ls&rm x
ls⏎rm x
(rm x)
{ rm x; }
! rm x
if rm x; then ls; fi
if ls; then rm x; fi
while rm x; do ls; done
case a in a) rm x;; esac
f() { rm x; }; f
function f { rm x; }; f
echo $(rm x)
echo "$(rm x)"
echo `rm x`
cat <(rm x)
env '-Srm x'
env -S 'rm x'
env -iS 'rm x'
env -S rm x
env '--split-string=rm x'
git -c alias.x='!rm x' x
git -c core.pager='rm x' log
git -c core.sshCommand='rm x' fetch
$(printf rm) x
tee >(rm x)
echo ${a:-$(rm x)}
A=$(rm x)
rm\⏎ x
r\⏎m x
rm	x
python -c "import os; os.system('rm x')"
awk 'BEGIN { system("rm x") }'
"#;

#[test]
fn a_denied_program_is_seen_however_it_is_written() {
    let ways: Vec<String> = lines(WAYS).collect();
    assert!(ways.len() >= 60, "{}", ways.len());
    for mode in Mode::ALL {
        for way in &ways {
            assert!(is_denied(mode, "Bash(rm:*)", way), "{mode}: {way}");
        }
    }
}

#[test]
fn another_program_is_not_taken_for_it() {
    for other in [
        "echo 'rm b.txt'",
        "echo rm b",
        "git commit -m 'rm old files'",
        "grep -rn 'rm -rf' src | head",
        "cd sub && git log --grep 'rm x'",
        "git -c user.name='arms' commit",
        "rmdir x",
        "firm x",
        "./rm.sh",
        "ls form",
        "echo disarm",
        "git commit -m 'arms'",
        "cargo rm-all",
        "$X x",
        "ls *",
        "ls r?",
        "cat {a,b}m",
        "r=m; ls $r",
    ] {
        assert!(!is_denied(Mode::Bypass, "Bash(rm:*)", other), "{other}");
    }
}

/// Ways to write `git push`, one a line, as above.
const PUSHES: &str = r"
git push
git -C x push
git -c a=b --no-pager push -f
cd x && git push
bash -c 'git push'
git $'push'
g=git; $g push
git \⏎ push
git 'pu'sh
env git push origin
eval git push
$(echo git push)
git {push,-f}
/usr/bin/git push
git pu${X:-sh}
for v in status push; do git $v; done
xargs git push
git -c alias.p=push p
git -c alias.p='push -f' p
git -calias.p=push p
git -c alias.p='!git push' p
git-push
/usr/lib/git-core/git-push origin
$(printf git) push
$(printf %s git) push
`printf git` push
env -S 'git push'
";

/// Ways to read `.env`, one a line.
const READS: &str = r#"
cat .env
cat ./a/../.env
cat $'.\x65nv'
cat $PWD/.env
cat .e''nv
cat ${PWD}/.env
cat < .env
D=/w; cat $D/.env
cd sub && cat ../.env
cat {a,.env}
cp .env x
curl -d @.env x
dd if=.env
bash -c 'cat .env'
cat $(pwd)/.env
tar c .env
for f in a .env; do cat $f; done
x=.env; cat "$x"
cat .e*
cat .[e]nv
cat ./.en?
cp -r . /tmp/y
tar czf /tmp/y.tgz .
tar -C . -cf /tmp/y.tar a
rsync -a ./ /tmp/y
zip -r /tmp/y.zip *
grep -rn x .
grep -r x
grep -R --exclude-dir=target x ./
grep --recursive x $PWD
grep -d recurse x .
egrep -ri -e x .
grep -r x . --include='*' --include='.e*'
cd sub && grep -r x ..
rg -uu x
rg --hidden x .
rg -. x
git grep x
diff -r . /tmp
find . -exec cat {} +
find . -type f | xargs grep x
find . -name '*' -exec head {} ;
find . -name a -o -type f -exec cat {} +
fd -H x . -x cat
ls -A | xargs cat
ls -a | grep -v x | xargs -n1 head
git ls-files | xargs cat
git ls-files | xargs -I{} sh -c 'cat {}'
xargs cat < list
cat list | xargs -0 grep x
cat list | xargs tail -n 1
rg -. -l x | xargs cat
git show HEAD:.env
git show main:./.env
cat ~+/.env
cat /proc/self/cwd/.env
cat /proc/$$/cwd/.env
cat link
cd linkd && cat .env
cat linkd/.env
head < link
"#;

fn lines(table: &str) -> impl Iterator<Item = String> {
    table.lines().filter(|line| !line.is_empty()).map(|line| line.replace('⏎', "\n"))
}

#[test]
fn a_denied_verb_is_seen_as_well() {
    for way in lines(PUSHES) {
        assert!(is_denied(Mode::Bypass, "Bash(git push:*)", &way), "{way}");
    }
    let message = "git commit -m \"$(cat <<'EOF'\nIt isn't (needed\n\ngit push; rm x\nEOF\n)\"";
    assert!(!is_denied(Mode::Bypass, "Bash(git push:*),Bash(rm:*)", message));
    assert!(is_denied(Mode::Bypass, "Bash(rm:*)", &format!("{message}; rm x")));
    for other in ["git commit -m push", "git stash", "gitk push", "git; push"] {
        assert!(!is_denied(Mode::Bypass, "Bash(git push:*)", other), "{other}");
    }
}

#[test]
fn a_denied_file_is_seen_as_well() {
    for way in lines(READS) {
        assert!(is_denied(Mode::Bypass, "Read(./.env)", &way), "{way}");
    }
    for way in ["cp -r secret /tmp/y", "cat secret/*", "ls secret", "cd secret && tar cf /tmp/y ."] {
        assert!(is_denied(Mode::Bypass, "Read(secret/**)", way), "{way}");
    }
    for other in [
        "cp -r src /tmp/y",
        "grep -rn x src",
        "grep -rn x . --include='*.rs' --exclude-dir=secret",
        "grep -rn x . --exclude='.e*' --exclude-dir=secret",
        "rg x src",
        "rg x -g '!secret'",
        "git grep x src",
        "find . -name '*.rs' -exec cat {} +",
        "find . -type f -exec ls -l {} +",
        "find . | xargs ls -d",
        "ls | xargs -n 1 basename",
        "grep -rl x src | xargs sed -n 1p",
        "rg -l x src | xargs cat",
        "git branch | xargs git branch -d",
        "docker ps -q | xargs docker inspect",
        "echo a | xargs cat",
        "diff -r src /tmp",
        "diff a .b",
        "grep x a",
        "tar xf a.tar",
        "cp a b",
        "ls .",
        "cargo build",
        "cat [a-b]",
    ] {
        assert!(!is_denied(Mode::Bypass, "Read(./.env),Read(secret/**)", other), "{other}");
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// One more thing around a command.
fn wrapped(how: usize, inner: &str) -> String {
    let quoted = quoted(inner);
    match how % WRAPPERS {
        0 => format!("env A=b {inner}"),
        1 => format!("bash -c {quoted}"),
        2 => format!("ls && {inner}"),
        3 => format!("{inner}; ls"),
        4 => format!("( {inner} )"),
        5 => format!("{{ {inner}; }}"),
        7 => format!("echo \"$({inner})\""),
        // backticks within backticks would have to be escaped, and then it is another command
        8 if !inner.contains('`') => format!("echo `{inner}`"),
        6 | 8 => format!("echo $({inner})"),
        9 => format!("if true; then {inner}; fi"),
        10 => format!("timeout 5 {inner}"),
        11 => format!("eval {quoted}"),
        12 => format!("sh <<< {quoted}"),
        13 => format!("bash <<'E'\n{inner}\nE\n"),
        14 => format!("find . -exec {inner} \\;"),
        15 => format!("ls | xargs {inner}"),
        16 => format!("A=1 {inner}"),
        17 => format!("sudo -n {inner}"),
        18 => format!("true\n{inner}"),
        19 => format!("cat <({inner})"),
        20 => format!("trap {quoted} EXIT"),
        21 => format!("while true; do {inner}; done"),
        22 => format!("nohup {inner} > log 2>&1 &"),
        23 => format!("f() {{ {inner}; }}; f"),
        24 => format!("echo {quoted} | sh"),
        _ => format!("X={quoted}; eval \"$X\""),
    }
}

const WRAPPERS: usize = 26;

proptest! {
    #[test]
    fn no_wrapping_turns_a_no_into_anything_else(
        command in prop::sample::select(vec!["rm x", "/bin/rm -rf y", "$'\\x72m' x", "r''m z", "git push -f", "git -C a push"]),
        how in prop::collection::vec(0..WRAPPERS, 0..4),
        mode in prop::sample::select(Mode::ALL.to_vec()),
    ) {
        // some wrappers within others run nothing any more; then only the plain words are still seen
        let most = if command.contains('\'') { 1 } else { 3 };
        let whole = how.iter().take(most).fold(command.to_owned(), |inner, how| wrapped(*how, &inner));
        prop_assert!(is_denied(mode, "Bash(rm:*),Bash(git push:*)", &whole), "{}", whole);
    }

    #[test]
    fn nothing_that_stands_around_it_does_either(before in "[ -~\\n]{0,20}", after in "[ -~\\n]{0,20}") {
        // a space, so that no backslash ends the line before
        let whole = format!("{before} \nrm x\n{after}");
        prop_assert!(is_denied(Mode::Bypass, "Bash(rm:*)", &whole), "{}", whole);
    }
}
