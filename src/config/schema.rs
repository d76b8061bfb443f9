//! What editors are told of `config.toml`: the JSON Schema in `config.schema.json`, for tests alone.
//!
//! The file is made here (`CLAWD_TEST_WRITE_SCHEMA=1 cargo test --lib config::schema`) and compared with what is made otherwise, so
//! it cannot be forgotten. That it tells the truth is held from three sides: its keys are the very lists by which the reader
//! knows a key; each value that it calls right or wrong is given to the reader, who must agree; and every configuration that
//! any test of this crate reads must satisfy it. The surprise: what is checked only by reading on (an address, a rule, a
//! provider that is not there) is no affair of a schema, and stays an error with a line.

use std::fmt::Write as _;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::budget::PRICE_KEYS;
use super::file::{KEYS, PERMISSION_KEYS};
use super::provider::PROVIDER_KEYS;
use super::{Credentials, FileConfig, Flags, Layers, fold, parse, sandbox, tui};
use crate::os::env::Env;
use crate::permission::Mode;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config.schema.json");
/// Set, the file is written instead of compared.
const WRITE: &str = "CLAWD_TEST_WRITE_SCHEMA";

/// Tables that are known, and not read by this version.
const UNREAD: [&str; 2] = ["mcp_servers", "hooks"];

type Keys = Vec<(&'static str, Value)>;

static SCHEMA: LazyLock<Value> = LazyLock::new(schema);

/// Called with every text that was read without an error.
pub(super) fn hold(text: &str, config: &FileConfig) {
    if config.warnings.is_empty() {
        let fit = fits(&SCHEMA, &document(text), "");
        assert!(
            fit.is_ok(),
            "config.schema.json rejects a configuration that clawd accepts: {fit:?}\n{text}"
        );
    }
}

fn schema() -> Value {
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "clawd: config.toml",
    });
    let keys = [root(), model(), limits(), budget(), tables()].concat();
    let root = table(
        "Settings of clawd. Command-line options override environment variables, these override the project's \
         `.clawd/config.toml`, and that overrides this file. A project's file may set only `model`, \
         `context_window`, `edit_tool`, `nudge`, and `ask` and `deny` in `[permissions]`.",
        keys,
    );
    schema.as_object_mut().unwrap().extend(root.as_object().unwrap().clone());
    schema
}

fn root() -> Keys {
    let modes = [&Mode::ALL.map(Mode::name)[..], &["autoEdit", "yolo"]].concat();
    vec![
        (
            "base_url",
            address(
                "Base URL of an OpenAI-compatible endpoint, up to and including `/v1`. `--base-url`, \
                 `CLAWD_BASE_URL` and `OPENAI_BASE_URL` override it. Default: `https://api.openai.com/v1`.",
            ),
        ),
        (
            "api_key_env",
            one_or_more(
                "Environment variable that contains the API key for `base_url`, or a list of variables to \
                 rotate through. A host that only this file names gets no other key, except one that clawd \
                 saved for it. Default: `CLAWD_API_KEY`, then `OPENAI_API_KEY`, for OpenAI only.",
                "OPENAI_API_KEY",
            ),
        ),
        (
            "provider",
            example(
                text("Use the endpoint in `[providers.NAME]`. `--provider` overrides it. Default: none."),
                "x",
            ),
        ),
        ("ca_file", certificates()),
        (
            "permission_mode",
            word(
                "What runs without asking: reads in the workspace and read-only commands (`default`), also \
                 edits in the workspace (`accept-edits`), only reads and read-only commands, with all else \
                 denied (`plan`), or everything that no deny rule matches (`bypass`). `autoEdit` and `yolo` \
                 are other names of `accept-edits` and `bypass`. `--permission-mode` overrides it.",
                &modes,
                Some("default"),
            ),
        ),
        (
            "nudge",
            yes_no("Remind the model to act when its answer only announces an action, at most twice.", true),
        ),
        (
            "edit_tool",
            word(
                "Tool that the model gets for editing files: `Edit` (`edit`), `ApplyPatch` (`patch`), or the \
                 one that the model was trained on (`auto`).",
                &["auto", "edit", "patch"],
                Some("auto"),
            ),
        ),
    ]
}

/// Of the root table and of a provider's.
fn model() -> Keys {
    [naming(), answering()].concat()
}

fn naming() -> Keys {
    vec![
        (
            "model",
            example(
                text(
                    "Name of the model, as the endpoint lists it. `--model`, `CLAWD_MODEL` and `OPENAI_MODEL` \
                     override it. Default: the endpoint's model, if it lists exactly one.",
                ),
                "qwen3-coder",
            ),
        ),
        (
            "context_window",
            example(
                whole(
                    "Size of the model's context window in tokens. Default: reported by the endpoint, or \
                     known for the model's name.",
                    1,
                    None,
                ),
                128_000,
            ),
        ),
        (
            "fallback_models",
            texts(
                "Models to try, in this order, when the model does not exist or stays overloaded. Default: \
                 none.",
                &["gpt-5-mini"],
            ),
        ),
    ]
}

fn answering() -> Keys {
    vec![
        (
            "max_output_tokens",
            example(
                whole(
                    "Maximum number of tokens per answer, sent to the endpoint. 0: no limit is sent. \
                     Default: 0.",
                    0,
                    Some(u32::MAX.into()),
                ),
                16_000,
            ),
        ),
        (
            "temperature",
            example(amount("Sampling temperature, sent to the endpoint. Default: not sent."), 0.2),
        ),
        (
            "reasoning_effort",
            example(
                text(
                    "How much the model reasons, sent to the endpoint as it is, for example `low`, `medium` or \
                     `high`. Default: not sent.",
                ),
                "high",
            ),
        ),
        (
            "text_calls",
            word(
                "Tool calls that the model writes as plain text: ignore them (`off`), accept tagged ones such \
                 as `<tool_call>` (`tags`), or also fenced JSON (`all`). Default: `tags`.",
                &["off", "tags", "all"],
                None,
            ),
        ),
        (
            "stream",
            example(
                described(
                    "Stream answers and show them as they arrive. false: request each answer in one piece. \
                     Default: true.",
                    json!({"type": "boolean"}),
                ),
                false,
            ),
        ),
    ]
}

fn limits() -> Keys {
    const DAY: i64 = 86_400;
    vec![
        (
            "max_turns",
            example(
                or(
                    whole(
                        "Maximum number of turns (requests to the model) per run, at most 100. -1: ask after \
                         100 turns. 0: chat is disabled and nothing is sent. `--max-turns` overrides it.",
                        -1,
                        None,
                    ),
                    -1,
                ),
                50,
            ),
        ),
        (
            "connect_timeout_secs",
            or(whole("Seconds to wait for a connection to the endpoint.", 1, Some(DAY)), 10),
        ),
        (
            "first_byte_timeout_secs",
            or(
                whole(
                    "Seconds to wait for the first byte of an answer. A local model may read a long prompt \
                     for minutes.",
                    1,
                    Some(DAY),
                ),
                600,
            ),
        ),
        (
            "request_timeout_secs",
            or(
                whole(
                    "Seconds without any data in the middle of an answer, after which the request is \
                     aborted.",
                    1,
                    Some(DAY),
                ),
                120,
            ),
        ),
        (
            "max_retries",
            or(
                whole(
                    "How many times a failed request is retried. Errors that a retry cannot fix, such as 400 \
                     and 401, are never retried.",
                    0,
                    Some(100),
                ),
                5,
            ),
        ),
    ]
}

fn budget() -> Keys {
    let keys = vec![
        ("input", example(amount("Dollars per million input tokens."), 0.3)),
        ("output", example(amount("Dollars per million output tokens."), 1.2)),
        (
            "cached",
            example(
                amount("Dollars per million input tokens read from the cache. Default: same as `input`."),
                0.03,
            ),
        ),
    ];
    let prices = needing(table("Price of one model.", keys), &["input", "output"]);
    vec![
        (
            "max_cost",
            example(
                or(
                    amount(
                        "Budget of a session in dollars. At the limit clawd asks whether to continue; a \
                         headless run ends. 0: no limit. `--max-cost` overrides it.",
                    ),
                    0.0,
                ),
                5.0,
            ),
        ),
        (
            "max_tokens",
            example(
                or(
                    whole(
                        "Budget of a session in tokens. At the limit clawd asks whether to continue; a \
                         headless run ends. 0: no limit. `--max-tokens` overrides it.",
                        0,
                        None,
                    ),
                    0,
                ),
                2_000_000,
            ),
        ),
        (
            "prices",
            by_name(
                "Prices of models, each in a table `[prices.\"MODEL\"]` with the model's exact name. clawd \
                 knows the prices of some models at their vendors' own endpoints. Without a price the cost \
                 is shown as unknown and `max_cost` has no effect.",
                &prices,
            ),
        ),
    ]
}

fn of_provider() -> Keys {
    let own = vec![
        ("base_url", address("Base URL of this OpenAI-compatible endpoint, up to and including `/v1`.")),
        (
            "api_key_env",
            one_or_more(
                "Environment variable that contains the API key, or a list of variables: clawd switches to \
                 the next key when one is rejected, rate-limited or out of quota. Default: none.",
                "DEEPSEEK_API_KEY",
            ),
        ),
        (
            "headers",
            by_name(
                "HTTP headers of every request, for example `headers = { X-Team = \"${TEAM}\" }`. `${TEAM}` is \
                 replaced with the environment variable `TEAM`. Default: none.",
                &json!({"type": "string"}),
            ),
        ),
        (
            "extra_body",
            described(
                "Additional fields in the JSON body of every request, for example `extra_body = { top_k = 20 \
                 }`. `messages`, `tools` and `stream` cannot be set. Default: none.",
                json!({"type": "object"}),
            ),
        ),
        ("ca_file", certificates()),
    ];
    [own, model()].concat()
}

fn tables() -> Keys {
    let provider = table(
        "An endpoint and its settings. Model settings that are missing here are taken from the top level.",
        of_provider(),
    );
    let providers = by_name(
        "Endpoints by name. Choose one with `--provider NAME` or `provider = \"NAME\"`.",
        &needing(provider, &["base_url"]),
    );
    vec![
        ("providers", providers),
        (
            "permissions",
            table(
                "Permission rules: deny overrides ask, and ask overrides allow. A rule is `Tool`, \
                 `Bash(prefix:*)`, `Bash(exact command)`, `Read(glob)`, `Edit(glob)`, \
                 `WebFetch(domain:HOST)` or `Outside(prefix:*)`.",
                permissions(),
            ),
        ),
        ("sandbox", table("The sandbox of commands that the model runs.", of_sandbox())),
        (
            "mcp_servers",
            described(
                "MCP servers by name. This version does not support MCP and ignores them with a warning.",
                json!({"type": "object"}),
            ),
        ),
        (
            "hooks",
            described(
                "Commands to run at events. This version does not support hooks and ignores them with a \
                 warning.",
                json!({"type": "object"}),
            ),
        ),
        ("tui", table("The user interface.", of_tui())),
    ]
}

fn permissions() -> Keys {
    vec![
        (
            "allow",
            texts(
                "Calls that run without asking. `Outside(docker:*)` is different: matching commands run \
                 outside the sandbox, but still require approval. Default: none.",
                &["Bash(git status:*)", "Edit(src/**)"],
            ),
        ),
        (
            "ask",
            texts(
                "Calls that always require approval, even if an allow rule matches. Default: none.",
                &["Bash(git push:*)"],
            ),
        ),
        (
            "deny",
            texts(
                "Calls that are always denied, in every mode. Default: none.",
                &["Read(./.env)", "WebFetch"],
            ),
        ),
    ]
}

fn of_sandbox() -> Keys {
    vec![
        (
            "mode",
            word(
                "What commands can write: the workspace, `writable_roots` and a temporary directory \
                 (`workspace-write`), nothing (`read-only`), or everything, because there is no sandbox \
                 (`off`). If this key is set and the system cannot provide the sandbox, clawd exits with an \
                 error. In `bypass` mode there is no sandbox unless this key or `--sandbox` is set. \
                 `--sandbox` overrides it.",
                &["off", "read-only", "workspace-write"],
                Some("workspace-write"),
            ),
        ),
        ("network", yes_no("Allow network access in the sandbox without asking.", false)),
        (
            "writable_roots",
            texts(
                "Additional directories that commands can write. Relative paths start at the working \
                 directory. Default: none.",
                &["../shared"],
            ),
        ),
        (
            "auto_allow",
            yes_no(
                "Run sandboxed commands without asking, except destructive ones. Has no effect if the sandbox \
                 uses Landlock, which cannot protect `.git/hooks`.",
                false,
            ),
        ),
        (
            "environment",
            texts(
                "Additional environment variables that commands get. `MYAPP_*` is a prefix. A variable whose \
                 name looks like a secret must be listed by its full name. Default: none; common variables \
                 such as `PATH` and `LANG` are always passed.",
                &["DATABASE_URL", "MYAPP_*"],
            ),
        ),
    ]
}

fn of_tui() -> Keys {
    const MOST: Option<i64> = Some(10_000);
    vec![
        (
            "theme",
            example(
                or(
                    text(
                        "Colour theme: `auto`, `dark`, `light`, `ansi`, `colour-blind`, or NAME of a file \
                         `themes/NAME.toml`.",
                    ),
                    "auto",
                ),
                "light",
            ),
        ),
        ("vim", yes_no("Use vi keys in the input.", false)),
        (
            "notifications",
            yes_no("Notify you when clawd is waiting for you and the terminal is not focused.", true),
        ),
        ("reduced_motion", yes_no("Show no animations.", false)),
        (
            "output_lines",
            or(
                whole("Lines of a command's output to show. The rest is folded; Ctrl+O shows it.", 1, MOST),
                8,
            ),
        ),
        (
            "diff_lines",
            or(whole("Lines of a diff to show. The rest is folded; Ctrl+O shows it.", 1, MOST), 40),
        ),
        (
            "reasoning_lines",
            or(whole("Lines of the model's reasoning to show. 0: only its duration.", 0, MOST), 0),
        ),
        (
            "plain",
            yes_no(
                "Plain mode: write line by line and never redraw, for screen readers and simple terminals.",
                false,
            ),
        ),
        (
            "fullscreen",
            yes_no("Use the alternate screen, as `--fullscreen` does. Ignored in plain mode.", false),
        ),
        ("mouse", yes_no("In fullscreen, scroll with the mouse wheel (hold Shift to select text).", false)),
    ]
}

fn address(what: &str) -> Value {
    example(text(what), "http://127.0.0.1:11434/v1")
}

fn certificates() -> Value {
    example(
        text(
            "PEM file with additional CA certificates to trust. A relative path starts at the directory of \
             this file. Default: none.",
        ),
        "~/company-ca.pem",
    )
}

fn described(what: &str, mut schema: Value) -> Value {
    schema["description"] = json!(what);
    schema
}

fn or(mut schema: Value, default: impl Into<Value>) -> Value {
    schema["default"] = default.into();
    schema
}

fn example(mut schema: Value, example: impl Into<Value>) -> Value {
    schema["examples"] = json!([example.into()]);
    schema
}

fn needing(mut schema: Value, keys: &[&str]) -> Value {
    schema["required"] = json!(keys);
    schema
}

fn text(what: &str) -> Value {
    described(what, json!({"type": "string"}))
}

fn word(what: &str, words: &[&str], default: Option<&str>) -> Value {
    let word = described(what, json!({"type": "string", "enum": words}));
    default.map_or(word.clone(), |default| or(word, default))
}

fn yes_no(what: &str, default: bool) -> Value {
    or(described(what, json!({"type": "boolean"})), default)
}

fn whole(what: &str, least: i64, most: Option<i64>) -> Value {
    let mut whole = described(what, json!({"type": "integer", "minimum": least}));
    whole.as_object_mut().unwrap().extend(most.map(|most| ("maximum".to_owned(), json!(most))));
    whole
}

fn amount(what: &str) -> Value {
    described(what, json!({"type": "number", "minimum": 0}))
}

fn texts(what: &str, examples: &[&str]) -> Value {
    example(described(what, json!({"type": "array", "items": {"type": "string"}})), examples.to_vec())
}

fn one_or_more(what: &str, one: &str) -> Value {
    let forms = json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]});
    example(described(what, forms), one)
}

fn table(what: &str, keys: Keys) -> Value {
    let keys: Map<String, Value> = keys.into_iter().map(|(key, schema)| (key.to_owned(), schema)).collect();
    described(what, json!({"type": "object", "additionalProperties": false, "properties": keys}))
}

fn by_name(what: &str, each: &Value) -> Value {
    described(what, json!({"type": "object", "additionalProperties": each}))
}

/// The text as JSON.
fn document(text: &str) -> Value {
    serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap()
}

/// Whether `value` satisfies `schema`, as far as this schema goes; a word that is not known here is no schema.
fn fits(schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    for (word, wanted) in schema.as_object().unwrap() {
        let fit = match word.as_str() {
            "$schema" | "title" | "description" | "default" | "examples" | "properties" => true,
            "type" => is_a(value, wanted.as_str().unwrap()),
            "enum" => wanted.as_array().unwrap().contains(value),
            "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= wanted.as_f64().unwrap()),
            "anyOf" => wanted.as_array().unwrap().iter().any(|form| fits(form, value, at).is_ok()),
            "required" => {
                let keys = wanted.as_array().unwrap();
                value
                    .as_object()
                    .is_none_or(|table| keys.iter().all(|key| table.contains_key(key.as_str().unwrap())))
            }
            "items" => {
                value.as_array().into_iter().flatten().try_for_each(|item| fits(wanted, item, at))?;
                true
            }
            "additionalProperties" => {
                let of_key =
                    |key: &str| schema.get("properties").and_then(|keys| keys.get(key)).unwrap_or(wanted);
                for (key, value) in value.as_object().into_iter().flatten() {
                    let at = format!("{at}.{key}");
                    if of_key(key) == &json!(false) {
                        return Err(format!("{at}: no such key"));
                    }
                    fits(of_key(key), value, &at)?;
                }
                true
            }
            other => panic!("the check does not know `{other}`"),
        };
        if !fit {
            return Err(format!("{at}: {word} {wanted}"));
        }
    }
    Ok(())
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the check does not know the type `{other}`"),
    }
}

fn read(text: &str) -> Result<FileConfig, String> {
    parse(std::path::Path::new("/c/config.toml"), text).map_err(|error| error.to_string())
}

/// Each table with the head under which a key of it stands, and what has to be there besides.
fn places() -> [(&'static str, &'static [&'static str], &'static str, &'static str); 6] {
    const PROVIDER: &str = "[providers.x]\nbase_url = \"http://localhost/v1\"\n";
    [
        ("", &KEYS, "", PROVIDER),
        ("/permissions", &PERMISSION_KEYS, "[permissions]\n", ""),
        ("/sandbox", &sandbox::KEYS, "[sandbox]\n", ""),
        ("/tui", &tui::KEYS, "[tui]\n", ""),
        ("/providers", &PROVIDER_KEYS, PROVIDER, ""),
        ("/prices", &PRICE_KEYS, "[prices.m]\ninput = 1\noutput = 2\n", ""),
    ]
}

/// The keys of a table.
fn keys_of(place: &str) -> &'static Map<String, Value> {
    let root = SCHEMA.pointer("/properties").unwrap();
    let table = match place {
        "" => &SCHEMA,
        "/providers" | "/prices" => root.pointer(&format!("{place}/additionalProperties")).unwrap(),
        other => root.pointer(other).unwrap(),
    };
    table["properties"].as_object().unwrap()
}

/// Values that a schema calls right, and values that it calls wrong, as TOML.
fn samples(schema: &Value) -> (Vec<Value>, Vec<Value>) {
    let listed = |key: &str| schema.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut right =
        [listed("examples"), listed("enum"), schema.get("default").cloned().into_iter().collect()].concat();
    let bound = |key: &str| schema.get(key).and_then(Value::as_i64);
    let wrong = match schema.get("type").and_then(Value::as_str) {
        Some("string") if schema.get("enum").is_some() => vec![json!("no such word"), json!(1)],
        Some("string") => {
            if right.is_empty() {
                right.push(json!("x"));
            }
            vec![json!(1), json!(true), json!(["x"])]
        }
        Some("boolean") => {
            right.extend([json!(true), json!(false)]);
            vec![json!("true"), json!(1)]
        }
        Some("integer") => {
            let (least, most) = (bound("minimum").unwrap(), bound("maximum"));
            right.extend([Some(least), Some(least + 1), most].into_iter().flatten().map(Value::from));
            let outside = [Some(least - 1), most.map(|most| most + 1)].into_iter().flatten().map(Value::from);
            outside.chain([json!("1"), json!(1.5)]).collect()
        }
        Some("number") => {
            right.extend([json!(0), json!(0.25), json!(3)]);
            vec![json!(-1), json!(-0.5), json!("1")]
        }
        Some("array") => vec![json!("x"), json!([1]), json!([["x"]])],
        Some("object") => vec![json!(1), json!([])],
        None => {
            right.push(json!(["A", "B"]));
            vec![json!(1), json!([1])]
        }
        Some(other) => panic!("no sample of `{other}`"),
    };
    (right, wrong)
}

fn with(head: &str, key: &str, value: &Value, rest: &str) -> String {
    let others = head.lines().filter(|line| !line.starts_with(&format!("{key} = ")));
    let mut text: String = others.flat_map(|line| [line, "\n"]).collect();
    // a list and a scalar are written in TOML as in JSON
    write!(text, "{key} = {value}\n{rest}").unwrap();
    text
}

#[test]
fn its_keys_are_those_that_the_reader_knows() {
    for (place, known, _, _) in places() {
        let mut keys: Vec<&str> = keys_of(place).keys().map(String::as_str).collect();
        let mut known = known.to_vec();
        keys.sort_unstable();
        known.sort_unstable();
        assert_eq!(keys, known, "{place}");
        assert!(
            keys_of(place)
                .values()
                .all(|key| key["description"].as_str().is_some_and(|what| what.ends_with('.')))
        );
    }
}

#[test]
fn it_and_the_reader_agree_on_every_value() {
    let mut held = 0;
    for (place, _, head, rest) in places() {
        for (key, schema) in keys_of(place) {
            let (right, wrong) = samples(schema);
            for value in right {
                let text = with(head, key, &value, rest);
                assert_eq!(fits(&SCHEMA, &document(&text), ""), Ok(()), "{text}");
                assert_eq!(read(&text).map(|config| config.warnings), Ok(Vec::new()), "{text}");
                held += 1;
            }
            for value in wrong {
                let text = with(head, key, &value, if schema["type"] == "object" { "" } else { rest });
                assert!(fits(&SCHEMA, &document(&text), "").is_err(), "{text}");
                assert!(UNREAD.contains(&key.as_str()) || read(&text).is_err(), "{text}");
                held += 1;
            }
        }
    }
    assert!(held > 250, "{held}");
}

#[test]
fn a_default_is_what_is_meant_where_nothing_is_said() {
    let env = Env::default();
    let meant = |text: &str| {
        let file = read(text).unwrap();
        let layers = Layers {
            flags: Flags::default(),
            env: &env,
            file,
            credentials: Credentials::default(),
            project: Vec::new(),
        };
        format!("{:?}", fold(layers).unwrap()).replace("UserFile", "Default")
    };
    let mut held = 0;
    for (place, _, head, _) in places().into_iter().take(4) {
        for (key, schema) in keys_of(place) {
            if let Some(default) = schema.get("default") {
                let text = with(head, key, default, "");
                assert_eq!(meant(&text), meant(""), "{text}");
                held += 1;
            }
        }
    }
    assert!(held > 20, "{held}");
}

#[test]
fn what_is_no_key_or_leaves_out_what_is_needed_does_not_satisfy_it() {
    for (text, expected) in [
        ("modle = \"x\"", ".modle: no such key"),
        ("[tui]\nmodel = \"x\"", ".tui.model: no such key"),
        ("[providers.a]\nmodel = \"x\"", ".providers.a: required [\"base_url\"]"),
        ("[providers]\nbase_url = \"http://localhost/v1\"", ".providers.base_url: type \"object\""),
        (
            "[providers.a]\nbase_url = \"http://localhost/v1\"\nmax_retries = 1",
            ".providers.a.max_retries: no such key",
        ),
        (
            "[providers.a]\nbase_url = \"http://localhost/v1\"\nheaders = { X = 1 }",
            ".providers.a.headers.X: type \"string\"",
        ),
        ("[prices.m]\ninput = 1", ".prices.m: required [\"input\",\"output\"]"),
        ("[permissions]\nallow = [\"Read\", 1]", ".permissions.allow: type \"string\""),
        ("sandbox = \"off\"", ".sandbox: type \"object\""),
    ] {
        assert_eq!(fits(&SCHEMA, &document(text), ""), Err(expected.to_owned()), "{text}");
        assert!(read(text).is_err() || !read(text).unwrap().warnings.is_empty(), "{text}");
    }
}

#[test]
fn the_file_for_editors_is_up_to_date() {
    let made = format!("{:#}\n", *SCHEMA);
    #[expect(clippy::disallowed_methods, reason = "set by the developer who runs this one test")]
    let is_wanted = std::env::var(WRITE).is_ok();
    if is_wanted {
        std::fs::write(FILE, &made).unwrap();
    }
    let there = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(
        there == made,
        "config.schema.json is out of date (try {WRITE}=1 cargo test --lib config::schema)"
    );
}
