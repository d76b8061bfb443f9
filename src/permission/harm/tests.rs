//! What is harm and what is not, as tables. Nothing here runs.

use super::*;
use crate::permission::scope::{Exists, Links, Variables};

fn scope() -> Scope {
    Scope {
        project: PathBuf::from("/w"),
        workspace: vec![PathBuf::from("/w"), PathBuf::from("/added")],
        temporary: vec![PathBuf::from("/tmp"), PathBuf::from("/private/tmp")],
        home: Some(PathBuf::from("/home/u")),
        ..Scope::default()
    }
}

fn exec(command: &str) -> ExecAccess {
    ExecAccess { command: command.to_owned(), cwd: PathBuf::from("/w/src") }
}

/// The target of a recursive delete that asks in every mode; `?` where it is not known.
fn target(command: &str, scope: &Scope) -> Option<String> {
    deletes_outside(&exec(command), scope).map(|target| match target {
        Target::Outside(path) => path.display().to_string(),
        Target::Unknown => "?".to_owned(),
    })
}

#[track_caller]
fn outside(command: &str, expected: &str) {
    assert_eq!(target(command, &scope()).as_deref(), Some(expected), "{command}");
}

#[test]
fn a_recursive_delete_of_what_is_not_known_asks() {
    for command in [
        "rm -rf $(cat list)",
        "rm -rf \"$(cat list)\"",
        "rm -rf `cat list`",
        "rm -rf $(cat list)/*",
        "rm -rf /$X",
        "rm -rf \"$BUILD\"",
        "xargs rm -rf < list",
        "xargs -0 rm -rf -- < list",
        "xargs -I{} rm -rf {} < list",
        "cat list | xargs rm -rf",
        "cat list | sort | xargs -n1 rm -rf",
        "read p < list; rm -rf $p",
        "read p < list; rm -rf \"$p\"/*",
        "while read p; do rm -rf \"$p\"; done < list",
        "cat list | while read -r p; do rm -rf \"$p\"; done",
        "for d in $(cat list); do rm -rf \"$d\"; done",
        "mapfile -t all < list; rm -rf \"${all[@]}\"",
        "f(){ rm -rf \"$1\"; }; f /x",
        "f() { rm -rf \"$@\"; }; f /x",
        "function f { rm -rf $1; }; f /x",
        "cd \"$(cat list)\" && rm -rf *",
        "cd \"$(cat list)\" && find . -delete",
        "find $(cat list) -delete",
        "find -L . -delete",
        "find -L . -type f -exec rm -f {} +",
        "find . -follow -delete",
        "find -L . | xargs rm -rf",
        "fd -L . -x rm -rf",
    ] {
        outside(command, "?");
    }
    for command in [
        "rm -rf \"$dir/build\"",
        "for d in */; do rm -rf \"$d/target\"; done",
        "D=$(mktemp -d) && cd \"$D\" && rm -rf *",
        "T=$(mktemp -d /tmp/x.XXXX); trap 'rm -rf \"$T\"' EXIT; ls",
        "rm $(cat list)",
        "xargs rm -f < list",
        "find . -name node_modules | while read -r d; do rm -rf \"$d\"; done",
        "for d in $(find . -name node_modules); do rm -rf \"$d\"; done",
        "git ls-files -o | xargs rm -rf",
        "ls | grep old | xargs rm -rf",
        "find -L . -name '*.pyc' -delete",
        "cd \"$(dirname \"$0\")\" && rm -rf build",
        "cd \"$(dirname \"$0\")\" && find . -name __pycache__ -exec rm -rf {} +",
    ] {
        assert_eq!(target(command, &scope()), None, "{command}");
    }
}

#[test]
fn a_link_that_the_line_makes_is_followed() {
    let exists = Exists::new(|path| match path.to_str() {
        Some("/w/src" | "/w/src/lib") => Found::Directory,
        _ => Found::Nothing,
    });
    let scope = Scope { exists, ..scope() };
    let check = |command: &str, expected: Option<&str>| {
        assert_eq!(target(command, &scope).as_deref(), expected, "{command}");
    };
    check("ln -s /srv l; rm -rf l/x", Some("/srv/x"));
    check("ln -s /srv l && rm -rf l/*", Some("/srv/*"));
    check("ln -s /srv l && rm -rf l/", Some("/srv"));
    check("ln -sfn ../../srv l; cd l && rm -rf x", Some("/srv/x"));
    check("ln -s /srv; rm -rf srv/x", Some("/srv/x"));
    check("ln -s /srv .; rm -rf srv/x", Some("/srv/x"));
    check("ln -s /srv lib; rm -rf lib/srv/x", Some("/srv/x"));
    check("ln --symbolic -t lib /srv; find lib/srv/ -delete", Some("/srv"));
    check("ln -s /srv .; rm -rf build", None);
    check("ln -s /srv lib; rm -rf lib/x", None);
    check("ln -s ../lib l; rm -rf l/x", None);
    check("ln -s /srv l; rm -rf l", None);
    check("ln -s /srv l; rm -rf build", None);
}

#[test]
fn a_recursive_delete_outside_is_recognised_in_many_forms() {
    outside("rm -rf /", "/");
    outside("rm -rf ~", "/home/u");
    outside("rm -r ~/x", "/home/u/x");
    outside("rm -rf \"$HOME\"/x", "/home/u/x");
    outside("rm -fR ${HOME}", "/home/u");
    outside("rm --recursive --force /etc", "/etc");
    outside("rm --rec /etc", "/etc");
    outside("rm -rf -- /etc", "/etc");
    outside("sudo rm -rf build /usr/lib", "/usr/lib");
    outside("/bin/rm -rf ../../other", "/other");
    outside("rm ../../other -rf", "/other");
    outside("bash -c 'rm -rf /opt/*'", "/opt/*");
    outside("cd / && rm -rf *", "/*");
    outside("cd; rm -rf x", "/home/u/x");
    outside("cd /etc; cd ..; rm -rf opt", "/opt");
    outside("find / -name x -delete", "/");
    outside("find /etc /w -type f -exec rm {} +", "/etc");
    outside("find ~ -name '*.o' | xargs rm -f", "/home/u");
    outside("find ~ -name '*.o' | sort | xargs -n1 rm -rf", "/home/u");
    outside("find /etc -exec sh -c 'rm -rf \"$1\"' _ {} \\;", "/etc");
    outside("true; r''m -rf /", "/");
    outside("$'rm' -rf /etc", "/etc");
    outside("D=/etc; rm -rf \"$D\"", "/etc");
    outside("export D=/etc && rm -rf ${D}/x", "/etc/x");
    outside("for d in /etc /opt; do rm -rf $d; done", "/etc");
    outside("for d in a /opt; do rm -rf \"$d\"; done", "/opt");
    outside("for d in a /opt; do e=$d/x; rm -rf \"$e\"; done", "/opt/x");
    outside("if true; then rm -rf /etc; fi", "/etc");
    outside("f() { rm -rf /etc; }; f", "/etc");
    outside("(cd /etc && rm -rf .)", "/etc");
    outside("{ rm -rf /etc; }", "/etc");
    outside("rm -rf {a,/etc}", "/etc");
    outside("{rm,-rf,/etc}", "/etc");
    outside("rm${IFS}-rf${IFS}/etc", "/etc");
    outside("eval 'rm -rf /etc'", "/etc");
    outside("echo $(rm -rf /etc)", "/etc");
    outside("echo `rm -rf /etc`", "/etc");
    outside("cat <(rm -rf /etc)", "/etc");
    outside("bash <<E\nrm -rf /etc\nE", "/etc");
    outside("bash <<< 'rm -rf /etc'", "/etc");
    outside("echo 'rm -rf /etc' | sh", "/etc");
    outside("nohup rm -rf /etc &", "/etc");
    outside("timeout 5 env A=b nice -n 5 rm -rf /etc", "/etc");
    outside("busybox rm -rf /etc", "/etc");
    outside("trap 'rm -rf /etc' EXIT", "/etc");
    outside("ssh host rm -rf /srv", "/srv");
    outside("rm -rf /etc/$X", "/etc");
    outside("rm -rf $(pwd)/../../etc", "/etc");
    outside("rm -rf $(git rev-parse --show-toplevel)/../x", "/x");
    outside("rsync -a --delete empty/ /srv/www/", "/srv/www");
    outside("git -C /srv/repo clean -fdx", "/srv/repo");
    outside("rm -rf /w", "/w");
    outside("rm -rf $PWD/..", "/w");
    outside("rm -rf /w/", "/w");
    outside("rm -rf /tmp/../etc", "/etc");
    outside("rm \\\n -rf /etc", "/etc");
    outside("A=1 rm -rf /etc", "/etc");
    outside("! rm -rf /etc", "/etc");
    outside("true || rm -rf /etc", "/etc");
    outside("while sleep 1; do rm -rf /etc; done", "/etc");
    outside("export D=~/x; rm -rf $D", "/home/u/x");
    outside("readonly D=~; rm -rf \"$D/x\"", "/home/u/x");
    outside("cd ~/other && git clean -fdx", "/home/u/other");
    outside("(cd ~/repo; git clean -ffdx)", "/home/u/repo");
    outside("git clean -fdx ~/other", "/home/u/other");
    outside("git worktree remove --force ~/wt", "/home/u/wt");
    outside("tar --remove-files -cf /tmp/x.tar ~/x", "/home/u/x");
    outside("fd . ~/x -X rm -rf", "/home/u/x");
    outside("fd -H . ~/x/ -x rm -rf {}", "/home/u/x");
    outside("echo ~/x | xargs rm -rf", "/home/u/x");
    outside("printf '%s\\n' ~/x | xargs rm -rf", "/home/u/x");
    outside("xargs rm -rf <<< ~/x", "/home/u/x");
    outside("ls -d ~/x/* | xargs rm -rf", "/home/u/x/*");
    outside("echo ~/x | xargs -I{} rm -rf {}/y", "/home/u/x/y");
    outside("su -lc 'rm -rf /etc'", "/etc");
    outside("script -qec 'rm -rf /etc'", "/etc");
    outside("flock f -c 'rm -rf /etc'", "/etc");
    outside("env -S 'rm -rf /etc'", "/etc");
    outside("tmux new -d 'rm -rf /etc'", "/etc");
    outside("env -C ~/x rm -rf y", "/home/u/x/y");
    outside("sudo -D /opt rm -rf y", "/opt/y");
    outside("taskset -c 1 rm -rf /etc", "/etc");
    outside("uv run rm -rf /etc", "/etc");
    outside("npx rimraf ~/x", "/home/u/x");
    outside("find -O3 /opt/x -delete", "/opt/x");
    outside("bash /dev/stdin <<< 'rm -rf /etc'", "/etc");
    outside(". /dev/stdin <<E\nrm -rf /etc\nE", "/etc");
    outside("D=(~/x ~/y); rm -rf \"${D[@]}\"", "/home/u/x");
    outside("D=(a /opt); for d in \"${D[@]}\"; do rm -rf $d; done", "/opt");
    outside("set -- ~/x; rm -rf \"$1\"", "/home/u/x");
    outside("set -- a ~/x; rm -rf \"$@\"", "/home/u/x");
    outside("rm -rf \"${HOME?}/x\"", "/home/u/x");
    outside("rm -rf \"$(dirname \"$PWD\")/../x\"", "/x");
    outside("rm -rf \"$(cd ../.. && pwd)/x\"", "/x");
}

#[test]
fn a_delete_inside_or_a_plain_one_is_not() {
    let commands = "rm -rf build|rm -rf ../target|rm -rf /tmp/x|rm -rf $TMPDIR/x|rm -rf $TMPDIR|rm /etc/x|rm -f ~/x|find . -delete|\
                    find .. -delete|find /etc -name rm.conf|find /w -name x -delete|cd /w/lib && rm -rf x|ls -r /|\
                    cd $X && rm -rf y|echo -r /etc|rmdir /x -r|rm -rf /added/x|rm -rf *|rm -rf ./*|echo rm -rf /|\
                    git commit -m 'rm -rf /'|grep -rn 'rm -rf' /etc|echo 'rm -rf /' > notes|cat <<E > x\nrm -rf /\nE|\
                    rm -rf $X/etc|rm -rf \"$(find . -name x)\"|rm -rf ''|\
                    D=build; rm -rf $D|D=$(mktemp -d); rm -rf \"$D\"|for d in a b; do rm -rf $d; done|(cd /etc); rm -rf x|\
                    bash script.sh /etc|python -c 'import shutil'|rm -rf ../src/../lib|git clean -fdx|rsync -a src/ /srv/www/|\
                    rm -rf '~'|rm -rf '$HOME'|docker run --rm -v /:/host x|npm rm -r x|# rm -rf /|ls # rm -rf /";
    for command in commands.split('|').map(str::trim).filter(|command| !command.is_empty()) {
        assert_eq!(target(command, &scope()), None, "{command}");
    }
    for command in ["ls | xargs rm -rf", "find . -name x | xargs rm -rf", "find . | sort | xargs rm -rf"] {
        assert_eq!(target(command, &scope()), None, "{command}");
    }
}

#[test]
fn what_the_environment_says_is_put_in() {
    let known = [("BUILD", "/srv/build"), ("HERE", "/w/out"), ("ROOT", "")];
    let variables = Variables::new(known.map(|(name, value)| (name.into(), value.into())));
    let scope = Scope { variables, ..scope() };
    let check = |command: &str, expected: Option<&str>| {
        assert_eq!(target(command, &scope).as_deref(), expected, "{command}");
    };
    check("rm -rf \"$BUILD\"", Some("/srv/build"));
    check("rm -rf $BUILD/x", Some("/srv/build/x"));
    check("rm -rf $HERE", None);
    check("rm -rf \"$ROOT/\"*", Some("/*"));
    check("rm -rf \"$STEAMROOT/\"*", Some("/*"));
    check("rm -rf $STEAMROOT/usr", Some("/usr"));
    check("cd $NOWHERE && rm -rf x", Some("/home/u/x"));
    check("rm -rf \"$STEAMROOT\"", None);
    check("STEAMROOT=$(cat x); rm -rf \"$STEAMROOT/\"*", Some("?"));
    check("read STEAMROOT; rm -rf $STEAMROOT/x", None);
    check(". ./env; rm -rf $STEAMROOT/x", None);
    check("rm -rf ${STEAMROOT:-/srv}/x", Some("/srv/x"));
    check("rm -rf ${STEAMROOT:?}/x", None);
}

#[test]
fn a_path_is_judged_where_it_leads() {
    let links = Links::new(|path| {
        let path = clean(path);
        match path.strip_prefix("/w/link") {
            Ok(below) => PathBuf::from("/srv").join(below),
            Err(_) => path,
        }
    });
    let scope = Scope { links, ..scope() };
    let check = |command: &str, expected: Option<&str>| {
        assert_eq!(target(command, &scope).as_deref(), expected, "{command}");
    };
    check("rm -rf ../link/x", Some("/srv/x"));
    check("rm -rf ../link/", Some("/srv"));
    check("rm -rf ../link/*", Some("/srv/*"));
    check("rm -rf ../link", None);
    check("find ../link/ -delete", Some("/srv"));
}

#[track_caller]
fn lost(command: &str, expected: &str) {
    assert_eq!(destroys(&exec(command), &scope()).as_deref(), Some(expected), "{command}");
}

#[test]
fn what_would_be_lost_is_said_in_words() {
    let git = "discards uncommitted changes";
    lost("rm -rf src", "recursively deletes `src/src`");
    lost("rm -rf ..", "recursively deletes the workspace");
    lost("rm -rf ../.git", "recursively deletes `.git`");
    lost("rm -rf ../.git/target", "recursively deletes `.git/target`");
    lost("rm -rf *", "recursively deletes `src/*`");
    lost("rm -rf /srv/x", "recursively deletes `/srv/x`, outside the workspace");
    lost("rm -rf \"$X\"", "deletes files whose names are known only at run time");
    lost("ls | xargs rm", "deletes files whose names are known only at run time");
    lost("rm a.rs", "deletes `src/a.rs`");
    lost("rm -f *.rs", "deletes `src/*.rs`");
    lost("unlink a.rs", "deletes `src/a.rs`");
    lost("find . -name '*.rs' -delete", "deletes files in `src`");
    lost("find . -exec rm -f {} +", "deletes files in `src`");
    lost("find . -name '*.pyc' -o -name '*.rs' -delete", "deletes files in `src`");
    lost("find . -name '*.rs' | xargs rm", "deletes files in `src`");
    lost("shred -u a.rs", "overwrites `src/a.rs`");
    lost("truncate -s 0 a.rs", "overwrites `src/a.rs`");
    lost("truncate --size=0 a.rs", "overwrites `src/a.rs`");
    lost("dd if=/dev/zero of=a.rs", "overwrites `src/a.rs`");
    lost("dd if=x of=/dev/sda", "overwrites `/dev/sda`, outside the workspace");
    lost("mv a.rs b.rs", "overwrites `src/b.rs`");
    lost("mv -t lib a.rs", "overwrites `src/lib/a.rs`");
    lost("cp a.rs b.rs", "overwrites `src/b.rs`");
    lost("cp -vtlib a.rs", "overwrites `src/lib/a.rs`");
    lost("cp --target-directory lib a.rs", "overwrites `src/lib/a.rs`");
    lost("install -m 644 a.rs b.rs", "overwrites `src/b.rs`");
    lost("sort --output=a.rs a.rs", "overwrites `src/a.rs`");
    lost("sort -ua.rs -oa.rs", "overwrites `src/a.rs`");
    lost("curl -sSLo a.rs https://x", "overwrites `src/a.rs`");
    lost("wget -qO a.rs https://x", "overwrites `src/a.rs`");
    lost("tar czf a.rs lib", "overwrites `src/a.rs`");
    lost("uniq a b", "overwrites `src/b`");
    lost("for f in /dev/null a.rs; do echo > $f; done", "overwrites `src/a.rs`");
    lost("ln -sf a b", "overwrites `src/b`");
    lost("echo x > a.rs", "overwrites `src/a.rs`");
    lost("> a.rs", "overwrites `src/a.rs`");
    lost(": > a.rs", "overwrites `src/a.rs`");
    lost("echo x | tee a.rs", "overwrites `src/a.rs`");
    lost("sort a | sponge a", "overwrites `src/a`");
    lost("rsync -a --delete a/ b/", "recursively deletes `src/b`");
    lost("rsync -a --delete-after a/ host:b", "deletes files on another machine");
    lost("git clean -fd", "deletes untracked files");
    lost("git clean -xdff", "deletes untracked files");
    lost("git clean --force", "deletes untracked files");
    lost("git -C .. clean -fd", "deletes untracked files");
    lost("pytest --basetemp=src", "recursively deletes `src/src`");
    lost("git checkout-index -fa", git);
    lost("git read-tree -u --reset HEAD", git);
    lost("git merge --abort", git);
    lost("git rebase --abort", git);
    lost("git update-ref refs/heads/main HEAD~5", "moves or deletes refs");
    lost("find lib -type f -exec truncate -s 0 {} +", "overwrites files in `src/lib`");
    lost("fd . lib -X rm", "deletes files in `src/lib`");
    lost("tar --remove-files -cf /tmp/x.tar lib", "recursively deletes `src/lib`");
    lost("git reset --hard", git);
    lost("git reset --hard HEAD~1", git);
    lost("git -c a=b -C . reset --hard", git);
    lost("git checkout -- a.rs", git);
    lost("git checkout .", git);
    lost("git checkout HEAD -- .", git);
    lost("git checkout -f main", git);
    lost("git checkout a.rs", "overwrites `src/a.rs`");
    lost("git restore a.rs", git);
    lost("git restore --staged --worktree a.rs", git);
    lost("git switch -f main", git);
    lost("git switch --discard-changes main", git);
    lost("git stash drop", "discards stashed changes");
    lost("git stash clear", "discards stashed changes");
    lost("git branch -D x", "deletes branches that may not be merged");
    lost("git branch --delete --force x", "deletes branches that may not be merged");
    lost("git worktree remove --force x", git);
    lost("git rm -rf x", git);
    lost("git reflog expire --expire=now --all", "deletes reflog entries");
    lost("git gc --prune=now", "deletes unreachable commits");
    lost("git push --force", "overwrites or deletes refs on the remote");
    lost("git push origin +main", "overwrites or deletes refs on the remote");
    lost("git push origin :main", "overwrites or deletes refs on the remote");
    lost("git push -d origin main", "overwrites or deletes refs on the remote");
    lost("cd .. && make && git reset --hard", git);
    lost("bash -c 'git reset --hard'", git);
    lost("mkfs.ext4 /dev/sda", "formats a disk");
    lost("wipefs -a /dev/sda", "modifies a disk");
}

#[test]
fn what_comes_back_or_is_nobodys_is_no_loss() {
    let commands = "rm -rf ../target|rm -rf node_modules dist build|rm -rf ../target/debug/x|rm -r __pycache__|rm -rf /tmp/x|\
                    rm -rf $TMPDIR/x|rm a.pyc|rm -f *.o|rm nohup.out|find . -name '*.pyc' -delete|\
                    find . -name __pycache__ -exec rm -rf {} +|find . -type d -name node_modules -prune -exec rm -rf {} +|\
                    echo x > /dev/null|echo x >> a.rs|cargo test > test.log 2>&1|echo x > /tmp/x|dd if=a of=/dev/null|tee -a a.rs|\
                    truncate -s +10 a.rs|cp -n a b|mv -n a b|git clean -n|git clean -fdn|git clean|git reset|git reset HEAD a.rs|\
                    git reset --soft HEAD~1|git checkout -b x|git restore --staged a.rs|git stash|git stash pop|git branch -d x|\
                    git branch x|git rm --cached x|git push|git push origin main|git commit -am 'reset --hard'|git log|git switch main|\
                    rsync -a a/ b/|rsync -an --delete a/ b/|cargo test|cargo clean|make clean|ls -la|echo rm -rf x|\
                    grep -r 'git reset --hard' .|mkdir -p a/b|touch a|gcc -o a.rs b.c|tar xf a.tar|curl -o - x|sed -i s/a/b/ a.rs|cat a.rs|sed -n 1p a|rm -rf /private/tmp/x|chmod +x a";
    for command in commands.split('|').map(str::trim).filter(|command| !command.is_empty()) {
        let command = command.trim();
        assert_eq!(destroys(&exec(command), &scope()), None, "{command}");
    }
}

#[test]
fn what_is_not_there_cannot_be_lost() {
    let exists = Exists::new(|path| match path.to_str() {
        Some("/w/src/a.rs" | "/w/src/lib/a.rs") => Found::File,
        Some("/w/src/lib" | "/w/src") => Found::Directory,
        _ => Found::Nothing,
    });
    let scope = Scope { exists, ..scope() };
    let check = |command: &str, expected: Option<&str>| {
        assert_eq!(destroys(&exec(command), &scope).as_deref(), expected, "{command}");
    };
    check("echo x > new", None);
    check("echo x > a.rs", Some("overwrites `src/a.rs`"));
    check("mv a.rs new", None);
    check("mv new a.rs", Some("overwrites `src/a.rs`"));
    check("mv a.rs lib", Some("overwrites `src/lib/a.rs`"));
    check("mv new lib", None);
    check("rm new", None);
    check("rm -rf new", None);
    check("rm -rf lib", Some("recursively deletes `src/lib`"));
    check("git checkout main", None);
    check("git checkout a.rs", Some("overwrites `src/a.rs`"));
    check("git checkout lib", Some("overwrites everything in `src/lib`"));
    check("sort -o new a.rs", None);
    check("curl -o new https://x", None);
    check("tar czf new.tgz lib", None);
}

#[test]
fn harm_that_cannot_be_undone_is_told_from_ordinary_work() {
    let careful = [
        "rm x",
        "git push",
        "git -C dir push",
        "git reset --hard",
        "cargo publish --dry-run",
        "sudo ls",
        "dd if=a of=b",
        "mkfs.ext4 x",
        "git branch -D x",
        "npm i --force",
        "make && git clean -fdx",
        "find . -delete",
        "mv -f a b",
        "git stash drop",
        "docker system prune",
        "ls | xargs rm",
        "bash -c 'rm x'",
        "/usr/bin/sudo ls",
        "git checkout -- x",
        "gcloud compute instances delete x",
        "npx prisma migrate reset",
        "npm unpublish x",
        "aws s3 rb s3://x",
        "docker compose down -v",
        "apt remove x",
        "rails db:drop",
        "php artisan migrate:fresh",
        "psql -c 'DROP TABLE x'",
        "redis-cli FLUSHALL",
        "curl -X DELETE https://x",
        "git tag -d v1",
        "cp a.txt ~/.bashrc",
        "echo x >> ~/.bashrc",
        "touch ~/x",
        "sed -i s/a/b/ /etc/hosts",
        "chmod -R 777 /",
    ];
    for command in careful {
        assert!(is_careful(&exec(command), &scope()), "{command}");
    }
    let ordinary = [
        "cargo test",
        "git commit -m 'clean up and delete the reset button'",
        "tail -f log",
        "grep -rf x",
        "npm install",
        "git checkout -b x",
        "git log --oneline",
        "cargo test -- delete",
        "ls clean.rs",
        "cp a.txt /tmp/x",
        "cargo build 2>/dev/null",
        "touch ../x",
        "cat /etc/hosts",
        "grep -rn 'remove' src",
    ];
    for command in ordinary {
        assert!(!is_careful(&exec(command), &scope()), "{command}");
    }
}
