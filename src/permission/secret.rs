//! Files whose names say that they hold secrets, and files that act later when they are changed.
//!
//! By name alone: nothing is opened. What is public by its name (`*.pub`, `.env.example`) is not a secret. Case does not
//! count, for some file systems do not tell cases apart. The surprise: places are known as well as names. `hosts.yml` is
//! a secret below `gh/`, and everything is below `.ssh/`.

use std::path::{Component, Path, PathBuf};

/// Whole names: variables of projects, words, logins, registries, clouds, keys, and files that repeat what they hold.
const NAMES: [&str; 75] = [
    ".env",
    ".envrc",
    ".dev.vars",
    ".secrets",
    "credentials",
    ".credentials",
    "credentials.json",
    ".credentials.json",
    "credentials.toml",
    "credentials.yml",
    "credentials.yaml",
    "credentials.csv",
    "credentials.db",
    "credentials.xml",
    "credentials.tfrc.json",
    "secret.json",
    "secret.toml",
    "secret.yml",
    "secret.yaml",
    "secrets.json",
    "secrets.toml",
    "secrets.yml",
    "secrets.yaml",
    "client_secret.json",
    "client_secrets.json",
    "password.txt",
    "passwords.txt",
    ".netrc",
    "_netrc",
    ".authinfo",
    ".authinfo.gpg",
    ".git-credentials",
    ".my.cnf",
    ".mylogin.cnf",
    ".pgpass",
    "pgpass.conf",
    ".htpasswd",
    ".npmrc",
    ".pypirc",
    ".terraformrc",
    "terraform.rc",
    ".boto",
    ".s3cfg",
    ".dockercfg",
    ".vault-token",
    ".vault_pass",
    ".vault_pass.txt",
    "kubeconfig",
    ".kubeconfig",
    "application_default_credentials.json",
    "access_tokens.db",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_ecdsa_sk",
    "id_ed25519_sk",
    "ssh_host_rsa_key",
    "ssh_host_dsa_key",
    "ssh_host_ecdsa_key",
    "ssh_host_ed25519_key",
    "secring.gpg",
    "rclone.conf",
    "wallet.dat",
    "login.keychain",
    "login.keychain-db",
    "key3.db",
    "key4.db",
    "terraform.tfstate",
    "terraform.tfstate.backup",
    ".histfile",
    ".zhistory",
    "fish_history",
    ".claude.json",
    "oauth_creds.json",
];

/// Ends of names: private keys, stores of them, and values that are kept apart because they are secrets.
const EXTENSIONS: [&str; 17] = [
    "pem", "key", "p8", "p12", "pfx", "pkcs12", "ppk", "jks", "jceks", "bks", "keystore", "keytab", "kdbx",
    "ovpn", "env", "agekey", "tfvars",
];

/// Ends of the names of copies that editors, and people, leave next to a file.
const BACKUPS: [&str; 8] = ["~", ".bak", ".backup", ".old", ".orig", ".save", ".swp", ".swo"];

/// Beginnings of JSON files with the key of a program's own account.
const SERVICE_ACCOUNTS: [&str; 5] =
    ["service-account", "service_account", "serviceaccount", "client_secret", "gcp-credentials"];

/// Directories that hold secrets under any name.
const DIRECTORIES: [&str; 8] =
    [".ssh", ".gnupg", ".aws", ".azure", ".kube", ".gcloud", ".password-store", ".1password"];

/// Names that say it only in their place: ends of paths.
const PLACES: [&str; 23] = [
    ".docker/config.json",
    "containers/auth.json",
    ".composer/auth.json",
    ".codex/auth.json",
    "opencode/auth.json",
    "github-copilot/apps.json",
    "github-copilot/hosts.json",
    "huggingface/token",
    "io.datasette.llm/keys.json",
    ".continue/config.json",
    "gh/hosts.yml",
    ".config/hub",
    "glab-cli/config.yml",
    ".config/git/credentials",
    ".gem/credentials",
    ".gradle/gradle.properties",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".nuget/nuget/nuget.config",
    "sops/age/keys.txt",
    "etc/shadow",
    "etc/shadow-",
    "etc/gshadow",
];

/// Directories of programs with some secret among what nobody looks for.
const HIDDEN_DIRECTORIES: [&str; 10] = [
    ".docker",
    ".codex",
    ".composer",
    ".continue",
    ".gradle",
    ".m2",
    ".nuget",
    "github-copilot",
    "glab-cli",
    "io.datasette.llm",
];

/// Parts of a name that say "only an example": `.env.example`, `example.env`.
const EXAMPLES: [&str; 8] = ["example", "examples", "sample", "template", "dist", "defaults", "tmpl", "pub"];

/// What stands behind `.env.` in the name of a file that shows what belongs into one.
const ENV_EXAMPLES: [&str; 3] = ["example", "sample", "template"];

/// What of a home directory is nothing for a command, whatever it is for: the list that a sandbox covers.
const OF_A_HOME: [&str; 73] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".gcloud",
    ".config/gcloud",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/git/credentials",
    ".config/containers/auth.json",
    ".config/rclone",
    ".config/op",
    ".config/sops",
    ".config/age",
    ".local/share/keyrings",
    ".password-store",
    ".1password",
    ".netrc",
    ".authinfo",
    ".authinfo.gpg",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".boto",
    ".s3cfg",
    ".dockercfg",
    ".vault-token",
    ".terraform.d/credentials.tfrc.json",
    ".cargo/credentials.toml",
    ".cargo/credentials",
    // logins and conversations of other assistants
    ".claude.json",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".qwen/oauth_creds.json",
    ".config/github-copilot",
    ".claude/history.jsonl",
    ".claude/projects",
    ".codex/history.jsonl",
    ".codex/sessions",
    ".gemini/tmp",
    ".local/share/opencode",
    ".local/share/goose",
    ".config/goose",
    ".config/io.datasette.llm/keys.json",
    ".cache/huggingface/token",
    ".continue/config.json",
    // input histories, which contain passwords
    ".bash_history",
    ".zsh_history",
    ".zhistory",
    ".histfile",
    ".sh_history",
    ".local/share/fish/fish_history",
    ".psql_history",
    ".mysql_history",
    ".python_history",
    ".node_repl_history",
    ".ash_history",
    ".mariadb_history",
    ".sqlite_history",
    ".rediscli_history",
    ".mongodb/mongosh",
    ".viminfo",
    // a browser's cookies are logins
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    "Library/Keychains",
];

/// Files and directories in the home directory that hold nothing but secrets. None of them need exist.
///
/// Whoever covers them for a command covers what logs the user in elsewhere. Not among them is what programs need for
/// their work and may hold a secret besides (`.m2/settings.xml`, `.gitconfig`). Pure: whether they are there is not asked.
pub fn home_secrets(home: &Path) -> Vec<PathBuf> {
    OF_A_HOME.iter().map(|below| home.join(below)).collect()
}

/// Whether a file's name, or its place, says that it holds a secret.
pub fn is_secret(path: &Path) -> bool {
    let parts: Vec<String> = path.components().filter_map(normal).collect();
    let Some(name) = parts.last().map(|name| without_backup(name)) else { return false };
    if is_example(name) {
        return false;
    }
    says_so(name)
        || parts.iter().any(|part| DIRECTORIES.contains(&part.as_str()))
        || PLACES.iter().any(|place| ends_in(&parts, place))
        || is_of_a_process(&parts)
}

/// A name that says so anywhere.
fn says_so(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let of_an_account =
        || SERVICE_ACCOUNTS.iter().any(|start| name.starts_with(start)) || name.contains("firebase-adminsdk");
    NAMES.contains(&name)
        || name.starts_with(".env.")
        // what was typed into a shell, an interpreter or a database
        || (name.starts_with('.') && name.ends_with("_history"))
        || extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
        || (extension == Some("json") && of_an_account())
}

/// The name of the file that this is a copy of, or its own: `.env~`, `id_rsa.bak`, `.id_rsa.swp`.
fn without_backup(name: &str) -> &str {
    let copied = BACKUPS.iter().find_map(|end| name.strip_suffix(end)).filter(|copied| !copied.is_empty());
    let Some(copied) = copied else { return name };
    let is_hidden_by_editor = [".swp", ".swo"].iter().any(|end| name.ends_with(end));
    let hidden = copied.strip_prefix('.').filter(|_| is_hidden_by_editor);
    without_backup(hidden.unwrap_or(copied))
}

fn is_example(name: &str) -> bool {
    name.split('.').skip(1).any(|part| EXAMPLES.contains(&part))
        || name == "example.env"
        || name == "sample.env"
}

fn ends_in(parts: &[String], place: &str) -> bool {
    let mut parts = parts.iter().rev();
    place.rsplit('/').all(|wanted| parts.next().is_some_and(|part| part == wanted))
}

/// `/proc/1/environ`: the variables of another program, its keys among them.
fn is_of_a_process(parts: &[String]) -> bool {
    parts.first().is_some_and(|part| part == "proc")
        && parts.last().is_some_and(|part| matches!(part.as_str(), "environ" | "mem" | "auxv"))
}

/// Patterns, in lower case, of the names that [`is_secret`] knows, for programs that look through directories. Names that
/// are secret in one place alone are in them wherever they are.
pub(super) fn hidden_files() -> impl Iterator<Item = String> {
    let ends = EXTENSIONS.iter().map(|extension| format!("*.{extension}"));
    let accounts = SERVICE_ACCOUNTS.iter().map(|start| format!("{start}*.json"));
    let accounts = accounts.chain(["*firebase-adminsdk*.json".to_owned()]);
    let places = PLACES
        .iter()
        .filter(|place| !hidden_directories().any(|name| place.split('/').any(|part| part == name)));
    let in_places = places.filter_map(|place| place.rsplit('/').next()).filter(|name| !NAMES.contains(name));
    let copies = BACKUPS.iter().map(|end| format!("*{end}"));
    let names =
        NAMES.into_iter().chain([".*_history"]).chain(in_places).map(str::to_owned).chain(variables());
    names.chain(ends).chain(accounts).chain(copies)
}

/// `.env.*` but for `.env.example` and its like, in patterns that have no "but": all that differs from each of those names at
/// one letter or ends before it.
fn variables() -> impl Iterator<Item = String> {
    let firsts: String = ENV_EXAMPLES.iter().filter_map(|word| word.chars().next()).collect();
    let behind = ENV_EXAMPLES.iter().flat_map(|word| {
        let parts = word.char_indices().skip(1).filter_map(move |(at, c)| Some((word.get(..at)?, c)));
        let shorter = parts.clone().map(|(part, _)| format!(".env.{part}"));
        let other = parts.map(|(part, c)| format!(".env.{part}[!{c}]*"));
        shorter.chain(other).chain([format!(".env.{word}[!.]*")])
    });
    [format!(".env.[!{firsts}]*")].into_iter().chain(behind)
}

/// Names, in lower case, of the directories that hold secrets.
pub(super) fn hidden_directories() -> impl Iterator<Item = &'static str> {
    DIRECTORIES.into_iter().chain(HIDDEN_DIRECTORIES)
}

/// Files, below any directory, that other programs obey or that assistants take instructions from.
const OBEYED: [&str; 8] = [
    ".gitmodules",
    ".vscode/tasks.json",
    ".vscode/mcp.json",
    ".cursor/mcp.json",
    "agents.md",
    "claude.md",
    "clawdcode.md",
    ".agents/skills",
];

/// Whether changing this file can make something run later, or can loosen the rules that apply here.
///
/// `path` is relative to the workspace where it lies in it: a workspace may itself lie below a `.git` or `.clawd`.
pub fn is_protected(path: &Path) -> bool {
    let parts: Vec<String> = path.components().filter_map(normal).collect();
    let is_obeyed =
        |end: usize| parts.get(..end).is_some_and(|parts| OBEYED.iter().any(|place| ends_in(parts, place)));
    is_control_file(path) || parts.iter().any(|part| part == ".husky") || (1..=parts.len()).any(is_obeyed)
}

/// Whether it is one of the files that decide what git, the program itself and other assistants run: no command that does more
/// than look may even name them.
pub(super) fn is_control_file(path: &Path) -> bool {
    let parts: Vec<String> = path.components().filter_map(normal).collect();
    parts.iter().any(|part| matches!(part.as_str(), ".git" | ".clawd" | ".claude"))
        || parts.last().is_some_and(|name| name == ".mcp.json")
}

/// A component in lower case: some file systems do not tell cases apart.
fn normal(component: Component<'_>) -> Option<String> {
    match component {
        Component::Normal(part) => Some(part.to_string_lossy().to_ascii_lowercase()),
        Component::CurDir | Component::ParentDir | Component::RootDir | Component::Prefix(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "/w/.env /w/.env.local /w/sub/.ENV.production /w/prod.env /w/.envrc /w/.dev.vars /w/id_rsa \
        /w/server.pem /w/tls.key /w/AuthKey_1.p8 /w/store.jks /w/a.p12 /w/a.PFX /w/vpn.ovpn /w/credentials.json \
        /w/Credentials.CSV /w/secrets.yaml /w/client_secret_1-x.apps.json /w/service-account-prod.json \
        /w/x-firebase-adminsdk-1.json /w/prod.tfvars /w/terraform.tfstate /h/.netrc /h/.npmrc /h/.pypirc /h/.pgpass /h/.my.cnf \
        /h/.git-credentials /h/.aws/credentials /h/.aws/config /h/.ssh/config /h/.ssh/work /h/.kube/config /h/.azure/x \
        /h/.docker/config.json /h/.config/gh/hosts.yml /h/.config/hub /h/.m2/settings.xml /h/.gnupg/x /etc/shadow \
        /etc/ssh/ssh_host_ed25519_key /h/.config/gcloud/application_default_credentials.json /h/.vault-token \
        /h/.cargo/credentials.toml /h/.config/sops/age/keys.txt /proc/1/environ /proc/self/environ /h/.bash_history \
        /h/.local/share/fish/fish_history /h/.zhistory /h/.python_history /w/.env~ /w/.env.bak /w/.env.local.old /w/id_rsa.bak \
        /w/id_rsa~ /w/.id_rsa.swp /w/..env.swp /w/tls.key.orig /w/credentials.json.save /h/.claude.json \
        /h/.gemini/oauth_creds.json /h/.local/share/opencode/auth.json /h/.config/github-copilot/apps.json \
        /h/.cache/huggingface/token /h/.claude/.credentials.json";

    const PUBLIC: &str = "/w/.env.example /w/.env.sample /w/.env.template /w/.env.local.example /w/example.env /w/id_rsa.pub \
        /h/.ssh/id_ed25519.pub /w/env /w/src/env.rs /w/key.rs /w/config.json /w/credentials.rs /w/environment /w/.environment \
        /w/keys/readme.md / /w/tokenizer.json /w/keyboard.rs /w/secret.rs /w/secrets/mod.rs /w/locales/en/auth.json \
        /w/password_test.go /w/monkey.txt /w/.yarnrc.yml /w/hub/config /w/config.yml /w/hosts.yml /w/settings.xml \
        /w/terraform.tfvars.example /w/service-account.md /w/src/environ /w/proc/environ.c /w/keymap.json /w/public.keys \
        /w/a.rs~ /w/main.rs.bak /w/.env.example~ /w/.bak /w/~ /w/history.rs /w/src/token";

    #[test]
    fn secrets_are_known_by_name_in_any_case() {
        for path in SECRET.split_whitespace() {
            for written in [path.to_owned(), path.to_ascii_uppercase(), path.to_ascii_lowercase()] {
                assert!(is_secret(Path::new(&written)), "{written}");
            }
        }
        for path in PUBLIC.split_whitespace() {
            for written in [path.to_owned(), path.to_ascii_uppercase()] {
                assert!(!is_secret(Path::new(&written)), "{written}");
            }
        }
    }

    #[test]
    fn the_secrets_of_a_home_lie_below_it_each_once() {
        let all = home_secrets(Path::new("/h"));
        let lone = |path: &&PathBuf| !all.iter().any(|other| other != *path && path.starts_with(other));
        assert_eq!(all.iter().filter(lone).count(), all.len());
        assert!(all.iter().all(|path| path.starts_with("/h") && path != Path::new("/h")));
        for below in [".ssh", ".netrc", ".config/gh"] {
            assert!(all.contains(&Path::new("/h").join(below)), "{below}");
        }
    }

    #[test]
    fn what_is_a_secret_is_hidden_from_searches() {
        use crate::text::glob::GitGlob;
        let secret = "/w/.env /w/.env.local /w/prod.env /w/id_rsa /w/server.pem /w/credentials.json /h/.aws/config \
                      /h/.ssh/config /w/service-account-prod.json /h/.docker/config.json /h/gh/hosts.yml /etc/shadow";
        let hidden: Vec<GitGlob> = hidden_files().map(|pattern| GitGlob::new(&pattern).unwrap()).collect();
        for part in
            ["e", "ex", "exampl", "examples", "example_", "s", "samples", "x", "templat", "tf", "local", "."]
        {
            let name = format!(".env.{part}");
            assert!(hidden.iter().any(|glob| glob.matches(Path::new(&name), false)), "{name}");
        }
        for name in [".env.example", ".env.sample", ".env.template", ".env.example.local"] {
            assert!(!is_secret(Path::new(name)), "{name}");
            assert!(!hidden.iter().any(|glob| glob.matches(Path::new(name), false)), "{name}");
        }
        let listed = NAMES
            .iter()
            .map(|name| format!("/w/{name}"))
            .chain(PLACES.iter().map(|place| format!("/w/{place}")));
        let listed = listed.chain(DIRECTORIES.iter().map(|name| format!("/w/{name}/x")));
        let all = secret.split_whitespace().chain(SECRET.split_whitespace()).map(str::to_owned).chain(listed);
        for path in all.map(|path| path.to_ascii_lowercase()).filter(|path| !path.starts_with("/proc")) {
            let path = Path::new(&path);
            assert!(is_secret(path) || path.starts_with("/w/etc"), "{path:?}");
            let below = path.strip_prefix("/").unwrap();
            let in_hidden = path.iter().any(|part| hidden_directories().any(|name| part == name));
            assert!(in_hidden || hidden.iter().any(|glob| glob.matches(below, false)), "{path:?}");
        }
    }

    #[test]
    fn files_that_act_later_are_known_by_place() {
        let control = ".clawd/config.toml .git/hooks/pre-commit .git/config .mcp.json sub/.mcp.json sub/.git/hooks/x .git \
                       .GIT/Hooks/x .git/modules/a/config .git/worktrees/a/commondir .git/HEAD .git/index .git/objects/x \
                       .git/rebase-merge/git-rebase-todo .claude/settings.json .CLAUDE/commands/x.md";
        for path in control.split_whitespace() {
            assert!(is_protected(Path::new(path)) && is_control_file(Path::new(path)), "{path}");
        }
        let obeyed = ".vscode/tasks.json sub/.vscode/tasks.json .cursor/mcp.json .husky/pre-commit .husky/_/x .gitmodules \
                      AGENTS.md sub/agents.md CLAUDE.md sub/CLAWDCODE.md .agents/skills/x/SKILL.md";
        for path in obeyed.split_whitespace() {
            assert!(is_protected(Path::new(path)) && !is_control_file(Path::new(path)), "{path}");
        }
        let ordinary = ".github/workflows/x.yml .gitignore src/hooks/config clawd/x mcp.json git/HEAD .vscode/settings.json \
                        vscode/tasks.json docs/agents.rst agents/md src/agents.md.rs";
        for path in ordinary.split_whitespace() {
            assert!(!is_protected(Path::new(path)), "{path}");
        }
    }
}
