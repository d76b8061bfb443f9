//! Files whose names say that they hold secrets, and files that act later when they are changed.
//!
//! By name alone: nothing is opened. What is public by its name (`*.pub`, `.env.example`) is not a secret.

use std::path::{Component, Path};

/// Whole names.
const NAMES: [&str; 32] = [
    ".env",
    ".envrc",
    "credentials",
    ".credentials",
    "credentials.json",
    ".credentials.json",
    "credentials.toml",
    "credentials.yml",
    "credentials.yaml",
    "secret.json",
    "secrets.json",
    "secrets.toml",
    "secrets.yml",
    "secrets.yaml",
    "client_secret.json",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
    ".dockercfg",
    ".vault-token",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_ecdsa_sk",
    "id_ed25519_sk",
    "kubeconfig",
];

/// Ends of names: private keys and stores of them.
const EXTENSIONS: [&str; 9] = ["pem", "key", "p12", "pfx", "ppk", "jks", "keystore", "kdbx", "env"];

/// Beginnings of JSON files with the key of a program's own account.
const SERVICE_ACCOUNTS: [&str; 2] = ["service-account", "service_account"];

/// Directories that hold secrets under any name.
const DIRECTORIES: [&str; 4] = [".ssh", ".gnupg", ".aws", ".kube"];

/// Parts of a name that say "only an example": `.env.example`, `example.env`.
const EXAMPLES: [&str; 7] = ["example", "sample", "template", "dist", "defaults", "tmpl", "pub"];

/// Whether a file's name says that it holds a secret.
pub fn is_secret(path: &Path) -> bool {
    let Some(name) = path.file_name() else { return false };
    let name = name.to_string_lossy().to_ascii_lowercase();
    if name.split('.').skip(1).any(|part| EXAMPLES.contains(&part))
        || name == "example.env"
        || name == "sample.env"
    {
        return false;
    }
    let above = path.components().filter_map(normal);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    NAMES.contains(&name.as_str())
        || name.starts_with(".env.")
        || extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
        || (extension == Some("json") && SERVICE_ACCOUNTS.iter().any(|start| name.starts_with(start)))
        || above.into_iter().any(|part| DIRECTORIES.contains(&part.as_str()))
        || path.ends_with(".docker/config.json")
        || path.ends_with("gh/hosts.yml")
        || path.ends_with("etc/shadow")
}

/// Patterns, in lower case, of the names that [`is_secret`] knows, for programs that look through directories. Names that
/// are secret in one place alone are in them wherever they are.
pub(super) fn hidden_files() -> impl Iterator<Item = String> {
    let ends = EXTENSIONS.iter().map(|extension| format!("*.{extension}"));
    let accounts = SERVICE_ACCOUNTS.iter().map(|start| format!("{start}*.json"));
    let others = [".env.*", "hosts.yml", "shadow"];
    NAMES.into_iter().chain(others).map(str::to_owned).chain(ends).chain(accounts)
}

/// Names, in lower case, of the directories that hold secrets.
pub(super) fn hidden_directories() -> impl Iterator<Item = &'static str> {
    DIRECTORIES.into_iter().chain([".docker"])
}

/// Whether changing this file can make something run later, or can loosen what holds here.
///
/// `path` is relative to the workspace where it lies in it: a workspace may itself lie below a `.git` or `.clawd`.
pub fn is_protected(path: &Path) -> bool {
    let parts: Vec<String> = path.components().filter_map(normal).collect();
    let git = parts.iter().position(|part| part == ".git");
    let acts = |part: &str| matches!(part, "hooks" | "config" | "config.worktree");
    let in_git = git.is_some_and(|at| match parts.get(at + 1).map(String::as_str) {
        None => true, // the `.git` of a worktree is a file that says where the repository is
        Some("modules" | "worktrees") => parts.iter().skip(at + 1).any(|part| acts(part)),
        Some(next) => acts(next),
    });
    in_git
        || parts.iter().any(|part| part == ".clawd")
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

    #[test]
    fn secrets_are_known_by_name() {
        let secret = "/w/.env /w/.env.local /w/sub/.ENV.production /w/prod.env /w/id_rsa /w/server.pem /w/tls.key \
                      /w/credentials.json /h/.netrc /h/.aws/credentials /h/.aws/config /h/.ssh/config /h/.npmrc \
                      /w/service-account-prod.json /h/.docker/config.json /w/secrets.yaml /w/.envrc /h/.ssh/work";
        for path in secret.split_whitespace() {
            assert!(is_secret(Path::new(path)), "{path}");
        }
        let public = "/w/.env.example /w/.env.sample /w/.env.template /w/.env.local.example /w/example.env /w/id_rsa.pub \
                      /h/.ssh/id_ed25519.pub /w/env /w/src/env.rs /w/key.rs /w/config.json /w/credentials.rs /w/environment \
                      /w/.environment /w/keys/readme.md /";
        for path in public.split_whitespace() {
            assert!(!is_secret(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn what_is_a_secret_is_hidden_from_searches() {
        use crate::text::glob::GitGlob;
        let secret = "/w/.env /w/.env.local /w/prod.env /w/id_rsa /w/server.pem /w/credentials.json /h/.aws/config \
                      /h/.ssh/config /w/service-account-prod.json /h/.docker/config.json /h/gh/hosts.yml /etc/shadow";
        let hidden: Vec<GitGlob> = hidden_files().map(|pattern| GitGlob::new(&pattern).unwrap()).collect();
        for path in secret.split_whitespace().map(Path::new) {
            assert!(is_secret(path), "{path:?}");
            let below = path.strip_prefix("/").unwrap();
            let in_hidden = path.iter().any(|part| hidden_directories().any(|name| part == name));
            assert!(in_hidden || hidden.iter().any(|glob| glob.matches(below, false)), "{path:?}");
        }
    }

    #[test]
    fn files_that_act_later_are_known_by_place() {
        let protected = ".clawd/config.toml .git/hooks/pre-commit .git/config .mcp.json sub/.mcp.json sub/.git/hooks/x .git \
                         .GIT/Hooks/x .git/modules/a/config .git/worktrees/a/config.worktree";
        for path in protected.split_whitespace() {
            assert!(is_protected(Path::new(path)), "{path}");
        }
        for path in
            [".github/workflows/x.yml", ".gitignore", ".git/index", "src/hooks/config", "clawd/x", "mcp.json"]
        {
            assert!(!is_protected(Path::new(path)), "{path}");
        }
    }
}
