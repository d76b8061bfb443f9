//! The environment of a command, a hook or a server: what is on a list, and nothing else. What runs with the user's own rights
//! gets all but secrets.
//!
//! Three lists: what every program needs, what builds need (a table by trade, from the manuals of its tools), and what
//! the user adds. A name that says "secret", or an address with a password in it, passes only where the user has written
//! that very name. The program's own keys never pass, under whatever name they stand; neither does what makes a shell or
//! the loader run something nobody asked for.
//!
//! The surprise: `SSH_AUTH_SOCK` is on the list. It lends the use of keys and not the keys, and without it no `git push`
//! works; a command that may reach the network has been asked for. `DISPLAY` and its like are not: whoever has them reads
//! every key that is pressed on the desktop.

use std::ffi::{OsStr, OsString};
use std::str::FromStr;

use super::env::{Env, has_password, is_secret_name, is_token};

/// Variables that make a shell or the loader run something nobody asked for, or turn on options.
const RUNS_CODE: [&str; 8] = [
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "SHELLOPTS",
    "BASHOPTS",
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
];

/// The program's own keys, whatever the configuration says.
pub const OWN_KEYS: [&str; 2] = ["CLAWD_API_KEY", "OPENAI_API_KEY"];

/// Shorter keys (`ollama`, `none`) are words, and would take other variables along.
const LEAST_KEY: usize = 8;

/// What passes, by trade. A `*` stands for any end of a name; names are told apart by case as the system does.
const PASSES: &[(&str, &str)] = &[
    (
        "every program",
        "PATH HOME USER LOGNAME SHELL PWD OLDPWD TMPDIR TMP TEMP LANG LANGUAGE LC_* TZ TERM COLORTERM TERMINFO \
         TERMINFO_DIRS NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE MANPATH INFOPATH XDG_* SOURCE_DATE_EPOCH",
    ),
    (
        "the network",
        "HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY http_proxy https_proxy all_proxy ftp_proxy no_proxy \
         SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GIT_SSL_CAINFO SSH_AUTH_SOCK",
    ),
    (
        "Git",
        "GIT_AUTHOR_* GIT_COMMITTER_* GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_CEILING_DIRECTORIES \
         GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_LFS_* GNUPGHOME",
    ),
    ("continuous integration", "CI GITHUB_ACTIONS GITLAB_CI"),
    (
        "C, C++ and linkers",
        "CC CXX CPP LD AR AS NM RANLIB STRIP OBJCOPY CC_* CXX_* AR_* CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CFLAGS_* \
         CXXFLAGS_* LDFLAGS_* LDLIBS LIBRARY_PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH CPATH \
         C_INCLUDE_PATH CPLUS_INCLUDE_PATH PKG_CONFIG* ACLOCAL_PATH CMAKE_* CTEST_* MAKE MAKEFLAGS MAKELEVEL NINJA_STATUS \
         MESON_* CCACHE_* SDKROOT DEVELOPER_DIR MACOSX_DEPLOYMENT_TARGET CUDA_* LLVM_* LIBCLANG_PATH OPENSSL_DIR \
         OPENSSL_LIB_DIR OPENSSL_INCLUDE_DIR OPENSSL_STATIC OPENSSL_NO_VENDOR PROTOC PROTOC_INCLUDE ASAN_OPTIONS \
         LSAN_OPTIONS MSAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS",
    ),
    ("Rust", "CARGO CARGO_* RUSTC RUSTC_* RUSTDOC RUSTFLAGS RUSTDOCFLAGS RUSTUP_* RUST_* SCCACHE_DIR"),
    (
        "Go",
        "GOROOT GOPATH GOBIN GOCACHE GOMODCACHE GOTMPDIR GOENV GOFLAGS GOPROXY GOPRIVATE GONOPROXY GONOSUMDB GOSUMDB \
         GOINSECURE GOVCS GOOS GOARCH GOARM GOAMD64 GOTOOLCHAIN GOWORK GOEXPERIMENT GODEBUG GOTRACEBACK GOGC GOMEMLIMIT \
         GOMAXPROCS GO111MODULE CGO_*",
    ),
    (
        "Java and its like",
        "CLASSPATH JAVA_* JDK_* MAVEN_* M2_HOME GRADLE_* ANT_* KOTLIN_* SBT_* SDKMAN_DIR ANDROID_HOME ANDROID_SDK_ROOT ANDROID_NDK*",
    ),
    (
        "Node and its like",
        "NODE_* NPM_CONFIG_* npm_config_* NVM_* PNPM_* YARN_* COREPACK_* BUN_INSTALL DENO_DIR VOLTA_* FNM_* ELECTRON_* \
         PLAYWRIGHT_* PUPPETEER_* CHROME_BIN",
    ),
    (
        "Python",
        "PYTHON* VIRTUAL_ENV* CONDA_* PIP_* PIPENV_* PIPX_* POETRY_* PDM_* UV_* PYENV_* TOX_* NOX_* PYTEST_* MPLBACKEND",
    ),
    // not BUNDLE_*: a name of a server may stand behind it, and the value is a password then
    (
        "Ruby",
        "RUBY* GEM_* RBENV_* RAILS_ENV RACK_ENV BUNDLE_GEMFILE BUNDLE_PATH BUNDLE_BIN BUNDLE_WITH BUNDLE_WITHOUT \
         BUNDLE_JOBS BUNDLE_RETRY BUNDLE_FROZEN BUNDLE_DEPLOYMENT BUNDLE_APP_CONFIG BUNDLE_USER_* BUNDLER_VERSION",
    ),
    (".NET", "DOTNET_* MSBUILD* NUGET_PACKAGES NUGET_HTTP_CACHE_PATH"),
    (
        "other languages",
        "COMPOSER_HOME COMPOSER_CACHE_DIR COMPOSER_VENDOR_DIR PHPRC PHP_INI_SCAN_DIR PERL5LIB PERL_LOCAL_LIB_ROOT \
         PERL_MB_OPT PERL_MM_OPT MIX_* HEX_HOME ERL_* REBAR_* CABAL_* STACK_ROOT GHC* OPAM* OCAML* CAML_LD_LIBRARY_PATH \
         ZIG_* LUA_PATH LUA_CPATH JULIA_* R_HOME R_LIBS* PUB_CACHE FLUTTER_ROOT SWIFT_*",
    ),
    (
        "web frameworks and databases",
        "DJANGO_* FLASK_* FASTAPI_* UVICORN_* GUNICORN_* LARAVEL_* SYMFONY_* APP_ENV APP_DEBUG ASPNETCORE_* SPRING_* NEXT_* NUXT_* \
         VITE_* REACT_APP_* EXPO_* STORYBOOK_* WEBPACK_* PORT HOST HOSTNAME DATABASE_URL REDIS_URL MONGO_URL MONGODB_URI \
         DB_HOST DB_PORT DB_NAME DB_USER PGHOST PGPORT PGUSER PGDATABASE PGSSLMODE MYSQL_HOST MYSQL_PORT MYSQL_USER \
         MYSQL_DATABASE POSTGRES_HOST POSTGRES_PORT POSTGRES_USER POSTGRES_DB",
    ),
    (
        "numbers and models",
        "HF_* TRANSFORMERS_* TORCH_* PYTORCH_* TOKENIZERS_PARALLELISM XLA_* JAX_* TF_CPP_* NCCL_* OMP_* MKL_* OPENBLAS_* \
         NUMEXPR_* NUMBA_* RAY_* OLLAMA_HOST OLLAMA_MODELS",
    ),
    (
        "cloud tools and containers",
        "AWS_PROFILE AWS_DEFAULT_PROFILE AWS_REGION AWS_DEFAULT_REGION AWS_CONFIG_FILE AWS_SDK_LOAD_CONFIG AWS_ENDPOINT_URL* \
         AWS_PAGER GOOGLE_CLOUD_PROJECT CLOUDSDK_* GCLOUD_PROJECT AZURE_CONFIG_DIR AZURE_LOCATION KUBECONFIG KUBE_* HELM_* \
         MINIKUBE_* DOCKER_CONFIG DOCKER_DEFAULT_PLATFORM COMPOSE_* BUILDKIT_* TF_* TERRAGRUNT_* PACKER_* PULUMI_HOME VAGRANT_* \
         ANSIBLE_*",
    ),
    (
        "C++ packages, the web, robots",
        "VCPKG_* CONAN_* EMSDK* EM_CONFIG EM_CACHE WASI_SDK_PATH ROS_* AMENT_* COLCON_*",
    ),
    (
        "tools around them",
        "NIX_* IN_NIX_SHELL GUIX_* HOMEBREW_* MISE_* ASDF_* DOCKER_HOST DOCKER_CONTEXT DOCKER_BUILDKIT COMPOSE_FILE \
         COMPOSE_PROJECT_NAME WSL_DISTRO_NAME WSL_INTEROP",
    ),
];

/// A name that the user lets pass, or the beginning of names: `FOO`, `BAR_*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage(String);

/// A text that names no variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a variable name (try \"NAME\", or \"NAME_*\" for a prefix)")]
pub struct BadPassage(String);

impl FromStr for Passage {
    type Err = BadPassage;

    fn from_str(text: &str) -> Result<Self, BadPassage> {
        let name = text.trim();
        let start = name.strip_suffix('*').unwrap_or(name);
        let fits = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        if name.is_empty() || !start.chars().all(fits) {
            return Err(BadPassage(text.to_owned()));
        }
        Ok(Self(name.to_owned()))
    }
}

impl Passage {
    /// Whether it is this very name.
    fn is(&self, name: &str) -> bool {
        self.0 == name
    }

    fn covers(&self, name: &str) -> bool {
        covers(&self.0, name)
    }
}

/// What decides over a variable besides the table.
#[derive(Debug, Clone, Copy, Default)]
pub struct Passing<'a> {
    /// Variables that hold keys of the program's own, beside [`OWN_KEYS`].
    pub key_variables: &'a [String],
    /// Keys of the program's own from elsewhere: an option, a file.
    pub keys: &'a [&'a str],
    /// What the user lets pass.
    pub listed: &'a [Passage],
}

/// The environment for a command, a hook or a server.
pub fn child_environment(env: &Env, passing: Passing<'_>) -> Vec<(OsString, OsString)> {
    environment(env, passing, |name, value| passes(name, value, passing.listed))
}

/// The environment for what runs with the user's own rights: all but secrets.
pub fn own_environment(env: &Env, passing: Passing<'_>) -> Vec<(OsString, OsString)> {
    environment(env, passing, |name, value| is_listed(name, passing.listed) || !is_secret(name, value))
}

/// What of it is no key of the program's own, runs no code unasked, and passes.
fn environment(
    env: &Env,
    passing: Passing<'_>,
    passes: impl Fn(&str, &OsStr) -> bool,
) -> Vec<(OsString, OsString)> {
    let in_variables = own_keys(passing).filter_map(|name| env.text(name)).map(str::trim);
    let keys: Vec<&str> = in_variables.chain(passing.keys.iter().copied()).collect();
    let holds_key = |value: &OsStr| {
        let value = value.to_string_lossy();
        keys.iter().any(|key| key.len() >= LEAST_KEY && value.contains(key))
    };
    let does_pass = |name: &OsStr, value: &OsStr| {
        let name = name.to_string_lossy();
        !RUNS_CODE.contains(&&*name)
            && !own_keys(passing).any(|own| own == name)
            && passes(&name, value)
            && !holds_key(value)
    };
    let passing = env.vars().filter(|(name, value)| does_pass(name, value));
    passing.map(|(name, value)| (name.into(), value.into())).collect()
}

/// Variables that hold keys of the program's own.
pub fn own_keys(passing: Passing<'_>) -> impl Iterator<Item = &str> {
    OWN_KEYS.into_iter().chain(passing.key_variables.iter().map(String::as_str))
}

fn passes(name: &str, value: &OsStr, listed: &[Passage]) -> bool {
    if is_listed(name, listed) {
        return true;
    }
    let on_a_list = listed.iter().any(|passage| passage.covers(name))
        || PASSES.iter().any(|(_, names)| names.split_whitespace().any(|pattern| covers(pattern, name)));
    on_a_list && !is_secret(name, value)
}

/// Whether the user has written this very name.
fn is_listed(name: &str, listed: &[Passage]) -> bool {
    listed.iter().any(|passage| passage.is(name))
}

fn is_secret(name: &str, value: &OsStr) -> bool {
    let value = value.to_string_lossy();
    is_secret_name(name) || has_password(&value) || is_token(&value)
}

fn covers(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(env: &Env, key_variables: &[&str], listed: &[&str]) -> Vec<String> {
        let key_variables: Vec<String> = key_variables.iter().map(|&name| name.to_owned()).collect();
        let listed: Vec<Passage> = listed.iter().map(|text| text.parse().unwrap()).collect();
        let pairs = child_environment(
            env,
            Passing { key_variables: &key_variables, keys: &["sk-typed-0123"], listed: &listed },
        );
        pairs.into_iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect()
    }

    fn of(names: &str) -> Env {
        Env::from_pairs(names.split_whitespace().map(|name| (name, "x")))
    }

    #[test]
    fn what_is_on_the_list_passes_and_nothing_else() {
        let on = "CARGO_HOME CI GOFLAGS HOME JAVA_HOME LC_ALL NODE_OPTIONS PATH PYTHONPATH RUSTFLAGS SSH_AUTH_SOCK \
                  VIRTUAL_ENV XDG_CACHE_HOME npm_config_cache";
        let expected: Vec<&str> = on.split_whitespace().collect();
        assert_eq!(passed(&of(on), &[], &[]), expected);
        let off = "FOO CLAWD_HOME DIRENV_DIFF DISPLAY XAUTHORITY \
                   DBUS_SESSION_BUS_ADDRESS BUNDLE_GEMS__EXAMPLE__COM GIT_CONFIG_COUNT GIT_CONFIG_VALUE_0 path";
        assert_eq!(passed(&of(off), &[], &[]), [""; 0]);
    }

    #[test]
    fn everyday_variables_pass_unless_they_hold_a_secret() {
        let plain = "ANSIBLE_CONFIG AWS_PROFILE AWS_REGION CLASSPATH DJANGO_SETTINGS_MODULE DOCKER_CONFIG EMSDK FLASK_APP \
                     GIT_SSH_COMMAND GNUPGHOME HF_HOME KUBECONFIG OMP_NUM_THREADS PORT TF_VAR_region VCPKG_ROOT VITE_API_URL";
        let expected: Vec<&str> = plain.split_whitespace().collect();
        assert_eq!(passed(&of(plain), &[], &[]), expected);
        let secret = "ANSIBLE_VAULT_PASSWORD AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN DJANGO_SECRET_KEY HF_TOKEN TF_VAR_db_password";
        assert_eq!(passed(&of(secret), &[], &[]), [""; 0]);
        for (value, passes) in [
            ("postgres://localhost/app", true),
            ("postgres://app@localhost/app", false),
            ("postgres://localhost/app?user=a&password=b", false),
            ("sk-proj-0123456789abcdef", false),
        ] {
            let env = Env::from_pairs([("DATABASE_URL", value)]);
            assert_eq!(passed(&env, &[], &[]).len(), usize::from(passes), "{value}");
        }
    }

    #[test]
    fn what_runs_with_the_users_own_rights_gets_all_but_secrets() {
        let env = Env::from_pairs([
            ("AWS_SESSION", "ghp_0123456789abcdef0123"),
            ("BASH_ENV", "/tmp/x"),
            ("CLAWD_API_KEY", "sk-0123456789"),
            ("COPY", "sk-0123456789"),
            ("DISPLAY", ":0"),
            ("FOO", "x"),
            ("FOO_TOKEN", "x"),
            ("PROXY", "http://me:pass@proxy.example"),
            ("TEAM_TOKEN", "y"),
        ]);
        let listed = ["TEAM_TOKEN".parse().unwrap()];
        let passing = Passing { listed: &listed, ..Passing::default() };
        let names: Vec<_> = own_environment(&env, passing).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["DISPLAY", "FOO", "TEAM_TOKEN"]);
    }

    #[test]
    fn a_name_that_says_secret_passes_only_where_it_is_listed_itself() {
        let names = "CARGO_REGISTRY_TOKEN FOO_TOKEN NODE_AUTH_TOKEN POETRY_HTTP_BASIC_X_PASSWORD npm_config__auth \
                     npm_config__authToken";
        assert_eq!(passed(&of(names), &[], &[]), [""; 0]);
        assert_eq!(passed(&of(names), &[], &["FOO_*", "*"]), [""; 0]);
        assert_eq!(passed(&of(names), &[], &["FOO_TOKEN", "NODE_*"]), ["FOO_TOKEN"]);
    }

    #[test]
    fn an_address_with_a_password_passes_only_where_its_name_is_listed_itself() {
        let env = Env::from_pairs([
            ("HTTPS_PROXY", "http://me:pass@proxy.example:3128"),
            ("HTTP_PROXY", "http://proxy.example:3128"),
            ("PIP_INDEX_URL", "https://token@pip.example/simple"),
        ]);
        assert_eq!(passed(&env, &[], &[]), ["HTTP_PROXY"]);
        assert_eq!(passed(&env, &[], &["*"]), ["HTTP_PROXY"]);
        assert_eq!(
            passed(&env, &[], &["HTTPS_PROXY", "PIP_INDEX_URL"]),
            ["HTTPS_PROXY", "HTTP_PROXY", "PIP_INDEX_URL"]
        );
    }

    #[test]
    fn the_programs_own_keys_pass_under_no_name_and_what_runs_code_never() {
        let env = Env::from_pairs([
            ("CLAWD_API_KEY", "sk-0123456789"),
            ("OPENAI_API_KEY", "sk-other-0123"),
            ("TEAM", "sk-team-0123"),
            ("NODE_COPY", "Bearer sk-0123456789"),
            ("FOO", "sk-team-0123"),
            ("BAR", "sk-typed-0123"),
            ("PATH", "/bin"),
            ("BASH_ENV", "/tmp/x"),
            ("LD_PRELOAD", "/tmp/x.so"),
        ]);
        let all: Vec<String> = env.vars().map(|(name, _)| name.to_str().unwrap().to_owned()).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).chain(["*"]).collect();
        assert_eq!(passed(&env, &["TEAM"], &all), ["PATH"]);
        let short = Env::from_pairs([("CLAWD_API_KEY", "bin"), ("PATH", "/bin")]);
        assert_eq!(passed(&short, &[], &[]), ["PATH"]);
    }

    #[test]
    fn a_passage_is_a_name_or_its_beginning() {
        for good in ["FOO", "FOO_*", "*", " npm_config_x ", "a.b-c"] {
            assert!(good.parse::<Passage>().is_ok(), "{good}");
        }
        for bad in ["", "FOO=1", "$FOO", "*FOO", "F*O", "FOO BAR"] {
            let error = bad.parse::<Passage>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{bad}` is not a variable name")), "{error}");
        }
    }

    #[test]
    fn no_name_of_the_table_says_secret_or_runs_code() {
        for name in PASSES.iter().flat_map(|(_, names)| names.split_whitespace()) {
            assert!(!is_secret_name(name) && !RUNS_CODE.contains(&name), "{name}");
            assert!(name.parse::<Passage>().is_ok(), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_value_that_is_not_utf8_reaches_the_command_unchanged() {
        use std::os::unix::ffi::OsStringExt;
        let value = OsString::from_vec(vec![b'/', 0xff, 0xfe]);
        let env = Env::from_pairs([(OsString::from("GOPATH"), value.clone())]);
        let passed = child_environment(&env, Passing::default());
        assert_eq!(passed, [(OsString::from("GOPATH"), value)]);
    }
}
