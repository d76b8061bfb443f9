//! Rust: a package with a part of its own beside it, and nothing from elsewhere.

use super::row::Proof::{Makes, Says};
use super::row::{Files, Row, row};

/// Who keeps a directory of the compiler's results below another project is still asked for no settings of it.
const PACKAGE: Files = &[
    ("clippy.toml", ""),
    ("rustfmt.toml", ""),
    (
        "Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\npart = { path = \"part\" }\n\n\
         [workspace]\n",
    ),
    ("part/Cargo.toml", "[package]\nname = \"part\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
    ("part/src/lib.rs", "/// Twice as much.\npub fn double(n: u32) -> u32 {\n    n * 2\n}\n"),
    (
        "src/main.rs",
        "fn main() {\n    println!(\"it is {}\", part::double(21));\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    \
         fn doubles() {\n        assert_eq!(part::double(2), 4);\n    }\n}\n",
    ),
];

const SCRIPTED: Files = &[
    (
        "Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\nbuild = \"build.rs\"\n\n[workspace]\n",
    ),
    (
        "build.rs",
        "use std::{env, fs, path::Path};\n\nfn main() {\n    let out = env::var(\"OUT_DIR\").unwrap();\n    \
         fs::write(Path::new(&out).join(\"made.rs\"), \"pub const MADE: u32 = 7;\").unwrap();\n}\n",
    ),
    (
        "src/main.rs",
        "include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));\n\nfn main() {\n    println!(\"made {MADE}\");\n}\n",
    ),
];

pub(super) const ROWS: &[Row] = &[
    row(
        "cargo build with a path dependency",
        PACKAGE,
        "cargo build --offline && target/debug/app",
        Says("it is 42"),
    ),
    row("cargo test", PACKAGE, "cargo test --offline", Says("test result: ok. 1 passed")),
    row("cargo run with a build script", SCRIPTED, "cargo run --offline", Says("made 7")),
    row("cargo build in a new home", PACKAGE, "cargo build --offline && target/debug/app", Says("it is 42"))
        .in_a_new_home(),
    row("cargo clippy", PACKAGE, "cargo clippy --offline -- -D warnings && echo clean", Says("clean"))
        .needs(&["cargo clippy --version"]),
    row(
        "cargo fmt",
        PACKAGE,
        "echo 'fn  a( ){}' > src/new.rs && rustfmt src/new.rs && cat src/new.rs",
        Says("fn a() {}"),
    )
    .needs(&["rustfmt --version"]),
    row("cargo doc", PACKAGE, "cargo doc --offline --no-deps", Makes("target/doc/app/index.html")),
    row(
        "cargo install into the home",
        SCRIPTED,
        "cargo install --offline --debug --path . && ~/.cargo/bin/app",
        Says("made 7"),
    )
    .not_by_landlock("Permission denied", "installing"),
];
