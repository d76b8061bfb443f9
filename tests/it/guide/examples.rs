//! Examples of the manual: configuration files are read, command lines parsed, headless runs run against a scripted model, and
//! the tables of permission rules checked call by call. Each on the real program.

use serde_json::{Value, json};

use super::{markdown, pages, read};
use crate::endpoint::{Call, Endpoint, call, calls, text};
use crate::harness::Clawd;

/// Variables that examples of configuration name.
const NAMED: [&str; 8] = [
    "TEAM",
    "EXAMPLE_API_KEY",
    "DEEPSEEK_API_KEY",
    "ARK_API_KEY",
    "DASHSCOPE_API_KEY",
    "ZHIPU_API_KEY",
    "MOONSHOT_API_KEY",
    "AZURE_OPENAI_API_KEY",
];

#[test]
fn every_example_of_a_configuration_is_read_without_a_warning() {
    let mut count = 0;
    for page in pages() {
        for block in markdown::blocks(&read(&page)).into_iter().filter(|block| block.language == "toml") {
            if block.text.starts_with("base = ") {
                let themes = tempfile::tempdir().unwrap();
                std::fs::write(themes.path().join("mine.toml"), &block.text).unwrap();
                let theme = clawd::config::read_theme(themes.path(), "mine");
                assert!(matches!(theme, Ok(Some(_))), "{page}:{}\n{theme:?}", block.line);
            } else {
                let clawd =
                    NAMED.iter().fold(Clawd::alone(), |clawd, name| clawd.env(name, "key-of-an-example"));
                let output = clawd.home_file("config.toml", &block.text).arg("config").run();
                let is_read = output.code == Some(0) && output.stderr.is_empty();
                let has_warning = output.stdout.contains("# warning");
                assert!(is_read && !has_warning, "{page}:{}\n{}\n{output:#?}", block.line, block.text);
            }
            count += 1;
        }
    }
    assert!(count > 15, "only {count} examples were found");
}

/// A line of a shell that starts the program, with the lines that continue it.
fn command_lines(block: &markdown::Block) -> Vec<String> {
    let joined = block.text.replace("\\\n", " ");
    let lines = joined.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    lines.filter(|line| line.contains("clawd ")).map(str::to_owned).collect()
}

/// The parts of a line that start the program: `a && clawd b` gives `clawd b`.
fn starts(line: &str) -> Vec<&str> {
    let parts = line.split("&&").flat_map(|part| part.split(" | ")).map(str::trim);
    let parts =
        parts.map(|part| part.split(" #").next().unwrap_or(part).split(" > ").next().unwrap_or(part).trim());
    let assigned = |word: &str| word.contains('=') && word.starts_with(|c: char| c.is_ascii_uppercase());
    let parts = parts.map(move |part| match part.split_once(' ') {
        Some((first, rest)) if assigned(first) => rest.trim(),
        _ => part,
    });
    parts.filter(|part| part.starts_with("clawd ")).collect()
}

fn examples() -> Vec<(String, String)> {
    let mut examples = Vec::new();
    for page in pages() {
        for block in markdown::blocks(&read(&page)) {
            if ["sh", "yaml"].contains(&block.language.as_str()) {
                let place = format!("{page}:{}", block.line);
                examples.extend(command_lines(&block).into_iter().map(|line| (place.clone(), line)));
            }
        }
    }
    examples
}

/// A shell that finds the program first on its path.
fn shell(clawd: &Clawd, script: &str) -> Clawd {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_clawd"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    clawd.again().env("PATH", &path).program("bash").args(["-c", script])
}

#[test]
fn every_example_of_a_command_line_is_accepted() {
    let mut count = 0;
    for (place, line) in examples().iter().filter(|(_, line)| !line.contains("clawd -p")) {
        for start in starts(line) {
            let output = shell(&Clawd::alone(), &format!("{start} --help")).run();
            assert!(output.code == Some(0) && output.stderr.is_empty(), "{place}: {start}\n{output:#?}");
            count += 1;
        }
    }
    assert!(count > 20, "only {count} examples were found");
}

#[test]
fn every_example_of_a_headless_run_runs() {
    let mut count = 0;
    for (place, line) in examples().iter().filter(|(_, line)| line.contains("clawd -p")) {
        let continues = line.contains(" -c ");
        let answers = if continues { vec![text("Before."), text("Done.")] } else { vec![text("Done.")] };
        let endpoint = Endpoint::script(answers);
        let clawd = Clawd::new(&endpoint).file("a.txt", "hello\n");
        if continues {
            clawd.again().args(["-p", "before"]).run().expect_code(0);
        }
        let script = format!("command -v jq >/dev/null || jq() {{ cat; }}\n{line}");
        let output = shell(&clawd, &script).run();
        assert_eq!(output.code, Some(0), "{place}: {line}\n{output:#?}");
        // a filter of other events than an answer's may print nothing
        let is_filtered = line.contains("select(") || line.contains(" > ");
        assert!(is_filtered || output.stdout.contains("Done."), "{place}: {line}\n{output:#?}");
        endpoint.finish();
        count += 1;
    }
    assert!(count > 5, "only {count} examples were found");
}

/// A call that an example of a rule means: a command has a space or is the rule's own kind, anything else is a path or an address.
fn meant(rule: &str, span: &str) -> Call {
    match rule.split('(').next().unwrap() {
        "WebFetch" => call("WebFetch", json!({"url": span})),
        "Read" if !span.contains(' ') => call("Read", json!({"file_path": span})),
        "Edit" if !span.contains(' ') => call("Write", json!({"file_path": span, "content": "x\n"})),
        _ => call("Bash", json!({"command": span})),
    }
}

/// Which of the calls were denied when the program ran with these options.
fn denied(options: &[&str], made: Vec<Call>) -> Vec<bool> {
    let count = made.len();
    let endpoint = Endpoint::script([calls(made), text("Done.")]);
    let clawd =
        Clawd::new(&endpoint).file("docs/a.md", "x\n").file(".env", "KEY=1\n").file(".env.example", "KEY=\n");
    let clawd = clawd.args(["-p", "--output-format", "stream-json"]).args(options.iter().copied());
    let output = clawd.arg("go").run().expect_code(0);
    let refused: Vec<Value> =
        output.events_of("permission_denied").into_iter().map(|event| event["id"].clone()).collect();
    endpoint.finish();
    (1..=count).map(|number| refused.contains(&json!(format!("call_{number}")))).collect()
}

#[test]
fn every_example_of_a_rule_does_what_its_table_says() {
    let page = "docs/src/safety/rules.md";
    let mut options: Option<[&str; 2]> = None;
    let mut wrong = Vec::new();
    let mut count = 0;
    for cells in markdown::rows(&read(page)) {
        match cells[0].as_str() {
            "allow rule" => options = Some(["--permission-mode=default", "--allowed-tools"]),
            "deny rule" => options = Some(["--yolo", "--disallowed-tools"]),
            _ if cells.len() != 3 => options = None,
            _ => {
                let Some([mode, option]) = options else { continue };
                let rule = markdown::code(&cells[0])[0];
                let (first, second) = (markdown::code(&cells[1]), markdown::code(&cells[2]));
                let spans: Vec<&str> = first.iter().chain(&second).copied().collect();
                let made = spans.iter().map(|span| meant(rule, span)).collect();
                let refused = denied(&[mode, option, rule], made);
                for (number, (span, refused)) in spans.iter().zip(refused).enumerate() {
                    let expected = (number < first.len()) == (option == "--disallowed-tools");
                    if refused != expected {
                        wrong.push(format!("{rule}: `{span}` denied: {refused}"));
                    }
                    count += 1;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{page}: {}", wrong.join("\n"));
    assert!(count > 15, "only {count} examples were found");
}
