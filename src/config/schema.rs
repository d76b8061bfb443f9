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
        assert!(fit.is_ok(), "config.schema.json refuses what is read: {fit:?}\n{text}");
    }
}

fn schema() -> Value {
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "clawd: config.toml",
    });
    let keys = [root(), model(), limits(), budget(), tables()].concat();
    let root =
        table("What you always use. Options beat the environment, the environment beats this file.", keys);
    schema.as_object_mut().unwrap().extend(root.as_object().unwrap().clone());
    schema
}

fn root() -> Keys {
    let modes = [&Mode::ALL.map(Mode::name)[..], &["autoEdit", "yolo"]].concat();
    vec![
        ("base_url", address()),
        (
            "api_key_env",
            one_or_more(
                "The variable that holds the key of `base_url`, or several that take turns.",
                "OPENAI_API_KEY",
            ),
        ),
        ("provider", example(text("The provider that is used: NAME of a `[providers.NAME]`."), "x")),
        ("ca_file", certificates()),
        ("permission_mode", word("What runs unasked: see `--permission-mode`.", &modes, Some("default"))),
        ("nudge", yes_no("Whether a model that only announces what it will do is asked to do it.", true)),
        (
            "edit_tool",
            word(
                "How the model changes files: `Edit`, `ApplyPatch`, or what it was trained on.",
                &["auto", "edit", "patch"],
                Some("auto"),
            ),
        ),
    ]
}

/// Of the root table and of a provider's.
fn model() -> Keys {
    vec![
        ("model", text("The model.")),
        (
            "context_window",
            whole(
                "Tokens of the model's window, where neither the endpoint nor the model's name tells.",
                1,
                None,
            ),
        ),
        (
            "fallback_models",
            texts(
                "Models that are asked in order when the model is gone or stays overloaded.",
                &["gpt-5-mini"],
            ),
        ),
        (
            "max_output_tokens",
            whole("The most tokens of an answer; 0 is not sent.", 0, Some(u32::MAX.into())),
        ),
        ("temperature", amount("Sent only where it is set.")),
        (
            "reasoning_effort",
            text("How long a model thinks, in its own words (`low`, `high`); sent only where it is set."),
        ),
        (
            "text_calls",
            word(
                "Calls that a model wrote as text: left text, taken where tagged, or from fenced JSON too.",
                &["off", "tags", "all"],
                None,
            ),
        ),
        ("stream", described("Whether answers are streamed.", json!({"type": "boolean"}))),
    ]
}

fn limits() -> Keys {
    const DAY: i64 = 86_400;
    vec![
        (
            "max_turns",
            or(
                whole(
                    "Turns of a run, at most 100; -1: as many, and then you are asked; 0: nothing is sent.",
                    -1,
                    None,
                ),
                -1,
            ),
        ),
        ("connect_timeout_secs", or(whole("Seconds until a connection stands.", 1, Some(DAY)), 10)),
        (
            "first_byte_timeout_secs",
            or(
                whole(
                    "Seconds until an answer begins: a local model may read a long prompt for minutes.",
                    1,
                    Some(DAY),
                ),
                600,
            ),
        ),
        (
            "request_timeout_secs",
            or(whole("Seconds of silence in the middle of an answer.", 1, Some(DAY)), 120),
        ),
        ("max_retries", or(whole("How often a request that can be asked again is.", 0, Some(100)), 5)),
    ]
}

fn budget() -> Keys {
    let price = |what: &str| amount(&format!("Dollars for a million tokens {what}."));
    let keys = vec![
        ("input", price("that are sent")),
        ("output", price("of answers")),
        ("cached", price("that the endpoint had cached; as `input`, where it is left out")),
    ];
    let prices = needing(table("What this model costs.", keys), &["input", "output"]);
    vec![
        (
            "max_cost",
            or(amount("What a session may cost, in dollars; 0: no limit. At the limit you are asked."), 0.0),
        ),
        (
            "max_tokens",
            or(whole("Tokens that a session may use; 0: no limit. At the limit you are asked.", 0, None), 0),
        ),
        ("prices", by_name("What models cost, by their exact names.", &prices)),
    ]
}

fn tables() -> Keys {
    let own = vec![
        ("base_url", address()),
        (
            "api_key_env",
            one_or_more(
                "The variable that holds the key, or several that take turns when one is refused or empty.",
                "DEEPSEEK_API_KEY",
            ),
        ),
        (
            "headers",
            by_name(
                "Headers of every request; `${VAR}` is taken from the environment.",
                &json!({"type": "string"}),
            ),
        ),
        ("extra_body", described("More fields of every request.", json!({"type": "object"}))),
        ("ca_file", certificates()),
    ];
    let provider = table("An endpoint with all that belongs to it.", [own, model()].concat());
    let providers = by_name(
        "Endpoints to be chosen with `--provider NAME` or `provider = \"NAME\"`.",
        &needing(provider, &["base_url"]),
    );
    vec![
        ("providers", providers),
        ("permissions", table("Rules; deny beats ask beats allow.", permissions())),
        ("sandbox", table("What commands may write and reach.", of_sandbox())),
        (
            "mcp_servers",
            described("MCP servers by name. This version starts none.", json!({"type": "object"})),
        ),
        ("hooks", described("Commands at events. This version runs none.", json!({"type": "object"}))),
        ("tui", table("How the screen looks and behaves.", of_tui())),
    ]
}

fn permissions() -> Keys {
    vec![
        ("allow", texts("What runs unasked.", &["Bash(git status:*)", "Edit(src/**)"])),
        ("ask", texts("What is asked for, whatever allows it.", &["Bash(git push:*)"])),
        ("deny", texts("What is never done.", &["Read(./.env)", "WebFetch"])),
    ]
}

fn of_sandbox() -> Keys {
    vec![
        (
            "mode",
            word(
                "What commands may write: everything, nothing, or the project and a few places more.",
                &["off", "read-only", "workspace-write"],
                Some("workspace-write"),
            ),
        ),
        ("network", yes_no("Whether commands may reach the network unasked.", false)),
        (
            "writable_roots",
            texts("Directories that commands may write too, from the working directory.", &["../shared"]),
        ),
        ("auto_allow", yes_no("Held commands run unasked, but for those that destroy something.", false)),
        (
            "environment",
            texts("Variables that commands get besides the usual ones.", &["DATABASE_URL", "MYAPP_*"]),
        ),
    ]
}

fn of_tui() -> Keys {
    const MOST: Option<i64> = Some(10_000);
    vec![
        (
            "theme",
            or(text("auto, dark, light, ansi, colour-blind, or the name of your own in themes/."), "auto"),
        ),
        ("vim", yes_no("vi's keys in the input.", false)),
        ("notifications", yes_no("Tell you, while you look elsewhere, that you are waited for.", true)),
        ("reduced_motion", yes_no("Nothing moves by itself, only words change.", false)),
        ("output_lines", or(whole("Rows of a command's output before it is folded.", 1, MOST), 8)),
        ("diff_lines", or(whole("Rows of a change before it is folded.", 1, MOST), 40)),
        (
            "reasoning_lines",
            or(whole("Rows of the model's reasoning; 0: only how long it took.", 0, MOST), 0),
        ),
        ("plain", yes_no("Told line by line, for a screen reader.", false)),
        ("fullscreen", yes_no("The whole screen, as with --fullscreen; not in plain mode.", false)),
        ("mouse", yes_no("The wheel scrolls there, and selecting needs Shift.", false)),
    ]
}

fn address() -> Value {
    example(text("The endpoint's address, up to and including `/v1`."), "http://127.0.0.1:11434/v1")
}

fn certificates() -> Value {
    text("A file with certificates that are believed too, from this file's directory.")
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
    #[expect(clippy::disallowed_methods, reason = "a wish of whoever runs this one test")]
    let is_wanted = std::env::var(WRITE).is_ok();
    if is_wanted {
        std::fs::write(FILE, &made).unwrap();
    }
    let there = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(
        there == made,
        "config.schema.json is old: {WRITE}=1 cargo test --lib config::schema makes it anew"
    );
}
