//! `config.toml`, broken: each mistake is told with its file, its line, its key and a cure, in one line, before anything is done.
//!
//! Through `clawd config`, which says what is in force and sends nothing. What a broken file does to a run is in `bad_input`.

use crate::endpoint::{Endpoint, text};
use crate::harness::Clawd;
use crate::headless::expect_one_line;

/// The line that is wrong (the first is a comment), the key that is named, what was written, and a part of the cure.
const BROKEN: [(usize, &str, &str, &str); 55] = [
    (2, "model", "model = ", "try"),
    (2, "model", r#"model = "a"#, "try"),
    (2, "model", r#"model "a""#, "try"),
    (2, "model", r#"model = "a" b"#, "try"),
    (3, "model", "model = \"a\"\nmodel = \"b\"", "removing one"),
    (2, "tui", "[tui", "try `[name]`"),
    (2, "", "= 5", "try `key"),
    (2, "model", "model = 7", r#""qwen3-coder""#),
    (2, "model", r#"model = ["a"]"#, r#""qwen3-coder""#),
    (2, "base_url", r#"base_url = "no url""#, "https://"),
    (2, "base_url", r#"base_url = "ftp://x/v1""#, "http"),
    (2, "base_url", "base_url = 5", "http://"),
    (2, "api_key_env", "api_key_env = 5", r#""OPENAI_API_KEY""#),
    (2, "api_key_env", "api_key_env = [1]", r#""OPENAI_API_KEY""#),
    (2, "provider", r#"provider = "gone""#, "adding a `[providers.NAME]`"),
    (2, "max_turns", r#"max_turns = "many""#, "max_turns = 50"),
    (2, "max_turns", "max_turns = -7", "try 50"),
    (2, "max_turns", "max_turns = 1.5", "max_turns = 50"),
    (2, "permission_mode", r#"permission_mode = "wild""#, "accept-edits"),
    (2, "permission_mode", "permission_mode = true", r#""default""#),
    (2, "context_window", "context_window = 0", "128000"),
    (2, "context_window", r#"context_window = "128k""#, "128000"),
    (2, "fallback_models", r#"fallback_models = "a""#, r#"["gpt-5-mini"]"#),
    (2, "connect_timeout_secs", "connect_timeout_secs = 0", "10"),
    (2, "first_byte_timeout_secs", "first_byte_timeout_secs = 100000000", "600"),
    (2, "request_timeout_secs", r#"request_timeout_secs = "2m""#, "120"),
    (2, "max_retries", "max_retries = -1", "5"),
    (2, "max_output_tokens", "max_output_tokens = -1", "0"),
    (2, "temperature", r#"temperature = "hot""#, "0.2"),
    (2, "temperature", "temperature = -1", "0.2"),
    (2, "text_calls", r#"text_calls = "some""#, r#""tags""#),
    (2, "nudge", r#"nudge = "yes""#, "nudge = true"),
    (2, "edit_tool", r#"edit_tool = "sed""#, r#""patch""#),
    (2, "stream", "stream = 1", "stream = false"),
    (2, "reasoning_effort", "reasoning_effort = 5", r#""high""#),
    (2, "ca_file", "ca_file = 5", ".pem"),
    (2, "permissions", "permissions = 5", "[permissions]"),
    (3, "permissions.allow", "[permissions]\nallow = \"Read\"", r#"["Bash("#),
    (5, "permissions.allow", "[permissions]\nallow = [\n  \"Read\",\n  \"Bash(\",\n]", "Tool(specifier)"),
    (3, "permissions.deny", "[permissions]\ndeny = [5]", "Read(./.env)"),
    (3, "permissions.ask", "[permissions]\nask = [\"*\"]", "Bash(cargo test)"),
    (3, "sandbox.mode", "[sandbox]\nmode = \"strict\"", "workspace-write"),
    (3, "sandbox.network", "[sandbox]\nnetwork = \"off\"", "network = false"),
    (3, "sandbox.auto_allow", "[sandbox]\nauto_allow = 1", "auto_allow = false"),
    (3, "sandbox.environment", "[sandbox]\nenvironment = [\"A=B\"]", r#""NAME""#),
    (2, "providers", "providers = 5", "[providers]"),
    (3, "providers.x", "[providers]\nx = 5", "[providers.x]"),
    (3, "providers.x.base_url", "[providers.x]\nbase_url = \"x\"", "https://x"),
    (2, "providers.x", "[providers.x]\nmodel = \"m\"", "base_url ="),
    (
        4,
        "providers.x.headers",
        "[providers.x]\nbase_url = \"http://h/v1\"\nheaders = \"a\"",
        "[providers.x.headers]",
    ),
    (
        4,
        "providers.x.headers.A b",
        "[providers.x]\nbase_url = \"http://h/v1\"\nheaders = { \"A b\" = \"c\" }",
        "X-Team",
    ),
    (2, "tui", "tui = true", "[tui]"),
    (3, "tui.theme", "[tui]\ntheme = 5", r#""auto""#),
    (3, "tui.vim", "[tui]\nvim = \"on\"", "vim = true"),
    (3, "tui.output_lines", "[tui]\noutput_lines = -1", "8"),
];

#[test]
fn every_mistake_is_told_with_file_line_key_and_cure() {
    let clawd = Clawd::alone();
    for (line, key, written, cure) in BROKEN {
        let clawd = clawd.again().home_file("config.toml", &format!("# mine\n{written}\n"));
        let file = clawd.clawd_home().join("config.toml");
        let output = clawd.again().arg("config").run().expect_code(2);
        let place = format!("cannot read {}: line {line}: ", file.display());
        let named = if key.is_empty() { String::new() } else { format!("`{key}`") };
        let named = if written.starts_with("[tui") && cure.contains("[name]") { "[" } else { &named };
        expect_one_line(&output, &["Error: ", &place, named, "try", cure]);
        assert_eq!(output.stdout, "", "{written}");
    }
}

#[test]
fn a_value_in_a_line_that_cannot_be_read_is_not_repeated() {
    let clawd =
        Clawd::alone().home_file("config.toml", "headers = { Authorization = \"Bearer hidden-value\"\n");
    let output = clawd.again().arg("config").run().expect_code(2);
    expect_one_line(&output, &["line 1", "`headers`"]);
    assert!(!output.stderr.contains("hidden"), "{}", output.stderr);
}

#[test]
fn a_theme_that_the_screen_would_refuse_is_told_without_a_screen_too() {
    let wrong = [
        ("[tui]\ntheme = \"drak\"\n", "", "no theme is called `drak`"),
        ("[tui]\ntheme = \"mine\"\n", "gud = \"red\"\n", "mine.toml: line 1"),
    ];
    for (config, own, told) in wrong {
        let endpoint = Endpoint::script([text("Done.")]);
        let clawd = Clawd::new(&endpoint).home_file("config.toml", config).home_file("themes/mine.toml", own);
        let output = clawd.args(["-p", "go"]).run().expect_code(0);
        assert_eq!(output.stdout, "Done.\n");
        expect_one_line(&output, &[told, "; using theme auto"]);
        endpoint.finish();
    }
    for config in ["[tui]\ntheme = \"colour-blind\"\n", "[tui]\ntheme = \"mine\"\n", ""] {
        let endpoint = Endpoint::script([text("Done.")]);
        let clawd = Clawd::new(&endpoint)
            .home_file("config.toml", config)
            .home_file("themes/mine.toml", "accent = \"red\"\n");
        assert_eq!(clawd.args(["-p", "go"]).run().expect_code(0).stderr, "");
        endpoint.finish();
    }
}
