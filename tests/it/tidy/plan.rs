//! The house as tables. The essay to them is the head of `src/lib.rs`.

/// Every room in reading order, each with what it may import: a room, or one thing of a room.
///
/// Only what stands earlier may be named, so the order is the direction. A list holds what is needed, not what might be.
pub(super) const ROOMS: &[(&str, &[&str])] = &[
    ("protocol", &[]),
    ("text", &[]),
    ("os", &["text"]),
    ("permission", &["protocol", "text"]),
    ("workbench", &["protocol", "text", "os"]),
    ("config", &["protocol", "text", "os", "permission"]),
    ("project", &["protocol", "text", "os", "config"]),
    ("trust", &["protocol", "text", "os", "permission", "config", "project"]),
    ("chat", &["protocol", "text", "os"]),
    ("tools", &["protocol", "text", "os", "workbench"]),
    ("context", &["protocol", "text", "chat"]),
    ("agent", &["protocol", "text", "os::clock", "workbench", "chat", "tools", "permission", "context"]),
    ("session", &["protocol", "text", "os", "agent::Sink"]),
    ("conversation", &["protocol", "text", "os::clock", "agent", "session", "workbench", "permission"]),
    ("error", &["protocol", "os", "config", "chat", "session"]),
    ("cli", &["protocol", "config", "permission", "error"]),
    (
        "app",
        &[
            "protocol",
            "text",
            "os",
            "permission",
            "workbench",
            "config",
            "project",
            "trust",
            "chat",
            "tools",
            "context",
            "agent",
            "session",
            "conversation",
            "error",
            "cli",
        ],
    ),
    (
        "tui",
        &[
            "protocol",
            "text",
            "os::signals",
            "os::env::Env",
            "permission::Policy",
            "conversation",
            "error",
            "cli::Cli",
            "app",
        ],
    ),
    (
        "headless",
        &[
            "protocol",
            "text",
            "os::outlet",
            "os::signals",
            "conversation",
            "error",
            "cli::OutputFormat",
            "app",
        ],
    ),
    (
        "start",
        &["protocol", "text", "os", "config", "error", "cli", "conversation", "app", "tui", "headless"],
    ),
];

/// The rooms of the screen, each with what it may import of the screen. `tui/mod.rs` sees all of them.
pub(super) const SCREEN: &[(&str, &[&str])] = &[
    ("key", &[]),
    ("screen", &[]),
    ("model", &["key"]),
    ("slash", &[]),
    ("keymap", &["key", "model"]),
    ("effect", &[]),
    ("msg", &["key", "model::facts", "model::setup"]),
    ("update", &["key", "model", "keymap", "slash", "msg", "effect"]),
    ("view", &["model", "keymap", "slash", "screen::Pace", "screen::Spot"]),
    ("frames", &["screen::Pace"]),
    ("terminal", &["key", "screen::SAFE_ERASE"]),
    ("painter", &["model", "view", "screen", "terminal"]),
    ("runner", &["msg", "effect", "model::facts", "model::setup"]),
];

/// What pure code does not name: whoever calls it hands in what they give.
pub(super) const WORLD: &[&str] = &[
    "tokio",
    "tokio_util",
    "std::fs",
    "std::net",
    "std::process",
    "std::env",
    "std::thread",
    "Instant::now",
    "SystemTime",
    "crossterm",
    "reqwest",
    "rustix",
];

/// Where pure code stands: beginnings of paths.
pub(super) const PURE: &[&str] = &[
    "src/protocol/",
    "src/text/",
    "src/permission/",
    "src/context/",
    "src/chat/answer/",
    "src/chat/request/",
    "src/chat/classify/",
    "src/chat/discover/known.rs",
    "src/chat/discover/list.rs",
    "src/chat/discover/routes.rs",
    "src/chat/error.rs",
    "src/tools/near/mend.rs",
    "src/tools/near/same.rs",
    "src/tools/read/decode.rs",
    "src/tools/read/form.rs",
    "src/tools/read/image.rs",
    "src/tools/read/notebook.rs",
    "src/tools/read/window.rs",
    "src/agent/intent/",
    "src/agent/loops.rs",
    "src/app/doctor/evidence.rs",
    "src/app/doctor/judge.rs",
    "src/app/doctor/page.rs",
    "src/app/doctor/probes.rs",
    "src/app/doctor/setup.rs",
    "src/tools/patch/form.rs",
    "src/tools/patch/hunks.rs",
    "src/tools/patch/lines.rs",
    "src/tools/patch/parse.rs",
    "src/tools/patch/place.rs",
    "src/session/entry/mod.rs",
    "src/conversation/phase.rs",
    "src/headless/report.rs",
    "src/headless/stream_json.rs",
    "src/error.rs",
    "src/cli/",
    "src/tui/key.rs",
    "src/tui/keymap.rs",
    "src/tui/slash.rs",
    "src/tui/msg.rs",
    "src/tui/effect.rs",
    "src/tui/frames.rs",
    "src/tui/model/",
    "src/tui/update/",
    "src/tui/view/",
];

/// Every crate that the program is made of, with the places that may name it.
pub(super) const OWNERS: &[(&str, &[&str])] = &[
    ("async-openai", &["src/chat/openai.rs"]),
    ("tower", &["src/chat/openai.rs"]),
    ("secrecy", &["src/chat/openai.rs"]),
    (
        "reqwest",
        &[
            "src/os/http/",
            "src/chat/openai.rs",
            "src/chat/exchange.rs",
            "src/chat/head.rs",
            "src/chat/endpoint.rs",
            "src/chat/discover/mod.rs",
        ],
    ),
    ("base64", &["src/chat/request/wire.rs"]),
    (
        "memchr",
        &[
            "src/chat/answer/sse.rs",
            "src/chat/answer/nesting.rs",
            "src/chat/answer/code_places.rs",
            "src/chat/answer/visible.rs",
            "src/tools/read/",
            "src/tools/grep/bytes.rs",
        ],
    ),
    ("tokio", EVERYWHERE),
    ("tokio-util", EVERYWHERE),
    ("futures-util", EVERYWHERE),
    (
        "ratatui",
        &["src/tui/mod.rs", "src/tui/painter.rs", "src/tui/screen/", "src/tui/terminal/", "src/tui/view/"],
    ),
    ("crossterm", &["src/tui/terminal/"]),
    ("unicode-width", &["src/text/", "src/tui/model/", "src/tui/screen/", "src/tui/view/"]),
    ("unicode-segmentation", &["src/tui/model/", "src/tui/screen/", "src/tui/view/"]),
    ("pulldown-cmark", &["src/tui/view/markdown/"]),
    ("ignore", &["src/tools/"]),
    ("globset", &["src/text/glob.rs"]),
    ("grep-searcher", &["src/tools/grep/"]),
    ("grep-regex", &["src/tools/grep/"]),
    ("regex", &["src/agent/intent/", "src/tools/grep/"]),
    ("similar", &["src/text/diff.rs"]),
    (
        "tempfile",
        &[
            "src/os/file.rs",
            "src/os/stage.rs",
            "src/workbench/outputs.rs",
            "src/tools/bash/directory.rs",
            "src/app/",
        ],
    ),
    ("htmd", &["src/tools/fetch/markdown.rs"]),
    ("encoding_rs", &["src/tools/fetch/charset.rs"]),
    ("jiff", &["src/app/open.rs"]),
    ("dirs", &["src/os/paths.rs"]),
    ("serde", EVERYWHERE),
    ("serde_json", EVERYWHERE),
    ("toml", &["src/config/", "src/trust/"]),
    ("uuid", &["src/session/place.rs"]),
    ("sha2", &["src/os/", "src/workbench/files.rs", "src/workbench/blobs.rs", "src/tools/read"]),
    ("rustix", &["src/os/", "src/tui/terminal/", "src/headless/input.rs"]),
    ("clap", &["src/cli/"]),
    ("thiserror", EVERYWHERE),
    ("tracing", EVERYWHERE),
    ("tracing-subscriber", &["src/os/", "src/app/"]),
];

/// The home of what is a part of the language in all but name.
const EVERYWHERE: &[&str] = &["src/"];

/// The most lines of a file, its tests not counted.
pub(super) const LONGEST: usize = 400;

/// Words that say something about a machine, a service or unfinished work, each with why it does not belong here.
/// Written in two halves: this file is read as well.
pub(super) const FORBIDDEN: &[(&str, &str)] = &[
    (concat!("/wo", "rk/"), "a path of one machine"),
    (concat!("/ro", "ot/"), "a path of one machine"),
    (concat!("/Us", "ers/"), "a path of one machine"),
    (concat!("crates", ".io"), "a registry's host"),
    (concat!("docs", ".rs"), "a registry's host"),
    (concat!("npm", "js."), "a registry's host"),
    (concat!("pypi", ".org"), "a registry's host"),
    (concat!("proxy.gol", "ang"), "a registry's host"),
    (concat!("TO", "DO"), "unfinished work"),
    (concat!("FIX", "ME"), "unfinished work"),
    (concat!("XX", "X"), "unfinished work"),
    (concat!("to be wr", "itten"), "unfinished work"),
];

/// Home directories that examples may have.
pub(super) const EXAMPLE_HOMES: &[&str] = &["u", "v", "ann", "me", "you", "user"];
