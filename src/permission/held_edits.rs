//! What a rule that holds edits back sees of commands.
//!
//! Tests alone: tables of ways to write a file by a command whose words name it, and of commands that only look alike.

use std::path::PathBuf;

use super::*;
use crate::protocol::ExecAccess;

fn found(path: &Path) -> Found {
    let is_directory = path.extension().is_none() && path.file_name().is_some_and(|name| name.len() > 1);
    if is_directory { Found::Directory } else { Found::File }
}

fn policy(mode: Mode, allow: &str, ask: &str, deny: &str) -> Policy {
    let scope = Scope {
        project: PathBuf::from("/w"),
        workspace: vec![PathBuf::from("/w")],
        temporary: vec![PathBuf::from("/tmp")],
        home: Some(PathBuf::from("/home/u")),
        exists: Exists::new(found),
        names: Names::new(|directory| {
            (directory == Path::new("/w")).then(|| ["src/", "b"].map(Into::into).to_vec())
        }),
        ..Scope::default()
    };
    let list = |rules: &str| Rule::parse_list(rules).unwrap();
    let rules = Rules { allow: list(allow), ask: list(ask), deny: list(deny) };
    Policy { mode, rules, scope, ..Policy::default() }
}

fn verdict(policy: &Policy, command: &str) -> &'static str {
    let exec = ExecAccess { command: command.replace('⏎', "\n"), cwd: PathBuf::from("/w") };
    match policy.judge(CallForm::Native, &"Bash".into(), &Access::Exec(exec)) {
        Verdict::Deny { .. } => "deny",
        Verdict::Allow(_) => "allow",
        Verdict::Ask { .. } => "ask",
    }
}

/// Ways to change something in `src`, one a line.
const WRITES: &str = r#"
echo x > src/a
echo x >> src/a
echo x >| ./src/a
echo x > /w/src/a
echo x > src/$X
cat b &> src/a
cat 2>> src/a
cat 1<> src/a
cd src && echo x > a
(cd src; : > a)
D=src; echo x > "$D/a"
for d in b src; do echo x > $d/a; done
for d in b src; do e=$d; echo x > $e/a; done
bash -c 'echo x > src/a'
env X=1 rm src/a
timeout 5 touch src/a
sudo chmod +x src/a
ls | xargs touch src/a
xargs -I{} cp {} src/a
find . -exec cp {} src/a \;
find . -name x -fprint src/a
echo x | tee -a src/a
tee b src/a < c
sponge src/a
tee s*/a
sed -i s/a/b/ sr?/a
cp b s[r]c/a
touch src/a
touch -d now src/a
mkdir -p src/a/b
rmdir src/a
chmod +x src/a
chmod -x src/a
chmod -R u+w src
chmod -R u+w .
chown u src/a
chmod --reference=b src/a
truncate -s +1 src/a
truncate -s 0 src/a
shred -n 3 src/a
dd if=b of=src/a
cp b src/a
cp b c src/
cp -n b src/a
cp -t src b
cp -tsrc b
cp -vt src b
cp -vtsrc b
cp b -t src
cp --target-directory src b
cp --target-directory=src b
cp --target src b
cp -S .bak b src/a
cp -r /tmp/src .
cp -r /tmp/src/. src
mv src/a b
mv b src/a
mv src gone
mv /tmp/src .
mv -t /tmp src/a
ln -s b src/a
ln -s b c src
install b src/a
install -m 644 b src/a
install -m644 b src/a
install -Dm644 b -t src
install -d src/a
install --mode 644 b src/a
rsync b src/a
rsync -a b/ src/
rsync -a b/ src
rsync -av --exclude x -e ssh host:b src
rsync -a --delete b/ .
scp host:b src/a
scp -rP 22 host:x/src .
rm src/a
rm -rf src
rm -rf ./src/
rm -rf .
rm -rf *
rm -rf s*
rm -rf ./*
rm -rf /w
rm -rf ..
find src -delete
find . -delete
find . -name '*.rs' -exec rm {} +
find src -name '*.pyc' -delete
find src -type f | xargs rm
sed -i s/a/b/ src/a
sed -i.bak -e s/a/b/ src/a
sed -ni p src/a
sed -Ei s/a/b/ src/a
sed --in-place s/a/b/ src/a
sed --in-pl=.bak s/a/b/ src/a
sed s/a/b/ -i src/a
perl -pi -e s/a/b/ src/a
perl -i -pe s/a/b/ src/a
perl -0777 -i.bak -pe s/a/b/ src/a
ruby -i -pe '$_' src/a
gawk -i inplace 1 src/a
sort -o src/a b
sort b -o src/a
sort -osrc/a b
sort -uo src/a b
sort --output=src/a b
sort --output src/a b
sort --out=src/a b
shuf -o src/a b
uniq b src/a
xxd -r b src/a
split -l 5 b src/x
csplit -f src/x b 3
patch src/a b
patch -d src < b
patch -o src/a b
curl -o src/a https://x
curl -sSLo src/a https://x
curl -fsSL https://x --output src/a
curl --output-dir src -O https://x/a
cd src && curl -O https://x/a
curl -D src/a https://x
wget -O src/a https://x
wget -qO src/a https://x
wget -P src https://x/a
wget --directory-prefix=src https://x/a
tar xf b.tar -C src
tar -xzf b.tgz -C src
tar -C src -xf b.tar
tar xfC b.tar src
tar --extract --file=b.tar --directory=src
tar xf b.tar src/a
tar cf src/a b
tar -czf src/a.tgz b
tar -rf src/a b
unzip b.zip -d src
unzip -d src b.zip
unzip b.zip src/a
zip src/a b
zip -m b.zip src/a
7z x b.7z -osrc
gzip src/a
gunzip src/a.gz
gunzip -k src/a.gz
xz -z src/a
zstd b -o src/a
gcc -c b.c -o src/a
gcc -osrc/a b.c
go build -o src/a
rustfmt src/a
gofmt -w src/a
gofmt -w .
prettier --write src
prettier --write .
black .
clang-format -i src/a
eslint --fix src
ruff check --fix src
vim -c wq src/a
ed src/a < b
script -c ls src/a
git checkout -- src/a
git checkout src/a
git checkout src
git checkout HEAD~1 -- src
git checkout .
git checkout :/
git restore src/a
git restore -s HEAD~1 src/a
git restore .
git rm src/a
git rm -r src
git mv src/a b
git mv b src/a
git mv b src/
git clean -fd src
git clean -fdx
git -C src checkout -- a
git -C src clean -f
git diff --output=src/a
git diff --output src/a
git archive -o src/a HEAD
git format-patch -o src HEAD~1
git worktree add src/a
git clone https://x src/a
"#;

/// Commands that change nothing of it, one a line.
const LOOKS: &str = r"
cat src/a
cat < src/a
cp src/a b
cp -r src b
cp -t b src/a
install -m 644 src/a b
ln -s src/a b
rsync -a src/ b/
rsync -a src host:b
rsync -an --delete b/ src/
scp src/a host:b
sed -n p src/a
sed -ne s/i/j/p src/a
sed -e i src/a
perl -Mstrict -ne print src/a
perl -ne print src/a
gawk -f inplace src/a
sort src/a > b
sort -k 1 src/a
sort src/a -o b
uniq src/a b
uniq src/a
shuf src/a
split -l 5 src/a
tee b < src/a
dd if=src/a of=b
echo 'src/a > b'
echo x > src2
echo x > srcs/a
touch -r src/a b
chmod --reference=src/a b
truncate -r src/a b
tar cf b.tar src
tar czf b.tgz src
tar tf b.tar src/a
tar xf b.tar
tar xOf b.tar src/a
tar xf src/a -C b
unzip -l b.zip src/a
unzip src/a.zip -d b
unzip b.zip
zip -r b.zip src
gzip -c src/a
zcat src/a
zstd -l src/a
curl -d @src/a https://x
curl -F f=@src/a https://x
curl -o /dev/null https://x/src/a
curl -o - https://x/src/a
wget --post-file src/a https://x -O b
wget --spider https://x/src/a
patch b src/x.diff
patch --dry-run -d src < b
gcc -c src/a.c -o b.o
gcc -O2 src/a.c
rustfmt --check src/a
gofmt -l src
prettier --check src
black --check src
eslint src
ruff check src
git status src
git diff src
git log --oneline -- src
git add src
git checkout main
git checkout -b src
git commit -m src
git restore --staged src/a
git rm --cached src/a
git clean -n src
git mv a b
git diff --output=b src
git stash
git switch main
rm -rf target
rm -rf b/*
rm -rf t*
rm b
find src -name x
find . -name '*.pyc' -delete
find b -delete
find src | xargs grep x
ls src/* | head
mv b c
mkdir b
";

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty())
}

#[test]
fn what_holds_edits_back_defers_commands_that_write() {
    for mode in [Mode::AcceptEdits, Mode::Bypass] {
        let denies = policy(mode, "Bash", "", "Edit(src/**),Edit(*.lock)");
        let wrong: Vec<&str> = lines(WRITES).filter(|line| verdict(&denies, line) != "deny").collect();
        assert!(wrong.is_empty(), "{mode}: not denied: {wrong:#?}");
        let wrong: Vec<&str> = lines(LOOKS).filter(|line| verdict(&denies, line) == "deny").collect();
        assert!(wrong.is_empty(), "{mode}: denied: {wrong:#?}");
    }
    assert!(lines(WRITES).count() > 150 && lines(LOOKS).count() > 80);
}

#[test]
fn a_rule_for_a_name_holds_in_every_directory() {
    let denies = policy(Mode::Bypass, "Bash", "", "Edit(*.lock)");
    for line in ["echo x > sub/Cargo.lock", "rm /etc/x.lock", "mv Cargo.lock b", "sed -i d a/b/Cargo.lock"] {
        assert_eq!(verdict(&denies, line), "deny", "{line}");
    }
    for line in ["cat Cargo.lock", "cargo build", "rm -rf target", "echo x > Cargo.locks"] {
        assert_eq!(verdict(&denies, line), "allow", "{line}");
    }
}

#[test]
fn the_place_of_a_rule_lies_below_what_is_taken_away() {
    let check = |deny: &str, line: &str, expected: &str| {
        assert_eq!(verdict(&policy(Mode::Bypass, "Bash", "", deny), line), expected, "{deny}: {line}");
    };
    check("Edit(src/gen/*.rs)", "rm -rf src", "deny");
    check("Edit(src/gen/*.rs)", "rm -rf src/gen", "deny");
    check("Edit(src/gen/*.rs)", "rm -rf src/*/x", "allow");
    check("Edit(src/gen/*.rs)", "rm -rf src/g*", "deny");
    check("Edit(src/gen/*.rs)", "rm -rf src/other", "allow");
    check("Edit(./Cargo.toml)", "git checkout .", "deny");
    check("Edit(//srv/www/**)", "mv /srv /b", "deny");
    check("Edit(~/notes/**)", "chmod -R a-w ~", "deny");
    check("Edit(~/notes/**)", "chmod -R a-w .", "allow");
}

#[test]
fn nothing_is_changed_where_nothing_is_kept() {
    assert_eq!(verdict(&policy(Mode::Bypass, "", "", "Edit"), "echo x > a"), "allow");
    let everything = policy(Mode::Bypass, "", "", "Edit(**)");
    assert_eq!(verdict(&everything, "ls 2>/dev/null >&2"), "allow", "nothing is changed");
    assert_eq!(verdict(&everything, "ls 2>/dev/nul"), "deny");
}

#[test]
fn such_a_rule_asks_as_well_and_lets_no_command_through() {
    let asked = policy(Mode::AcceptEdits, "Bash", "Edit(src/**)", "");
    assert_eq!(verdict(&asked, "echo x > src/a"), "ask");
    let allowed = policy(Mode::Default, "Edit(src/**)", "", "");
    assert_eq!(verdict(&allowed, "echo x > src/a"), "ask", "an edit is let through, no command");
}
