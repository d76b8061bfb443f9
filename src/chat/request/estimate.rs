//! How many tokens were sent at least, and whether the endpoint has seen them all.
//!
//! Some local servers cut a conversation that is longer than their window and say nothing (Ollama does by default): the
//! model forgets its task, and only the counts tell. This is no token counter: it counts what no tokenizer puts into
//! one token, words and runs of digits, and lets everything else pass. Measured with four tokenizers (o200k, cl100k, p50k,
//! Claude's) on 25 texts of prose, code, listings, hex and a dozen scripts, it found from none to 0.91 of the smallest
//! count, about half for prose and code. The surprising decision: a false alarm is worse than a late one, so each
//! explanation that leaves the endpoint honest is believed, as that it counts only what its cache did not hold.

use super::dialect::{Dialect, EchoReasoning};
use crate::chat::{ChatRequest, RequestMessage};
use crate::protocol::history::Masked;
use crate::protocol::{AssistantMessage, Content, Message, Part, Usage};
use crate::text::units::count;

/// Less than this is sent whole: the smallest default windows hold 2,048 tokens.
const SHORT: u64 = 1_500;

/// No window is as small as this; whoever counts so few of a long conversation counts only what is new to it.
const SMALLEST_WINDOW: u64 = 1_100;

/// A conversation that grew by so many tokens must be counted as longer.
const GROWTH: u64 = 1_000;

/// Caches work in blocks (`OpenAI`: 1,024 tokens and then 128): what is new to one may be so much more.
const BLOCK: u64 = 1_500;

/// The most tokens that an image is charged: four times `OpenAI`'s figure for a large one in high detail.
const IMAGE: u64 = 5_000;

/// What frames a message in a template: a role, a few marks.
const FRAME: u64 = 16;

/// What a request has at least.
#[derive(Debug, Clone)]
pub(in crate::chat) struct Estimate {
    system: u64,
    /// Of each message, in order.
    messages: Vec<u64>,
    fresh: Fresh,
    thoughts: Thoughts,
    dialect: Dialect,
}

/// Of what no earlier request of this conversation had.
#[derive(Debug, Clone, Copy, Default)]
struct Fresh {
    /// Behind the model's last answer.
    least: u64,
    /// That answer and all behind it.
    most: u64,
}

/// Whether thoughts go back with it: many templates drop those of earlier turns, and then a count shrinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thoughts {
    None,
    Echoed,
}

/// What was counted for a request.
#[derive(Debug, Clone)]
pub(in crate::chat) struct Measured {
    messages: usize,
    least: u64,
    counted: u64,
    dialect: Dialect,
}

/// What a count says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::chat) enum Verdict {
    /// Nothing.
    Unknown,
    /// That this endpoint counts only what is new to it: no count of it can ever tell.
    CountsOnlyNew,
    /// That all was seen.
    Whole,
    /// That something is missing.
    Cut,
    /// The same, and no cache can explain it.
    CutForSure,
}

impl Estimate {
    /// What `request` has in `dialect`. Tools are left out, as some endpoints count them apart and templates write them
    /// shorter; so are masked answers, and images, whose price nobody knows.
    pub(in crate::chat) fn of(request: &ChatRequest, dialect: Dialect) -> Self {
        let mut estimate = Self {
            system: at_least(&request.system),
            messages: Vec::with_capacity(request.messages.len()),
            fresh: Fresh::default(),
            thoughts: Thoughts::None,
            dialect,
        };
        for message in &request.messages {
            estimate.add(message);
        }
        estimate
    }

    fn add(&mut self, message: &RequestMessage) {
        let (least, most) = match message {
            RequestMessage::Text(text) => (at_least(text), at_most(text)),
            RequestMessage::Kept(_, Masked::Yes) => (0, 0),
            RequestMessage::Kept(slot, Masked::No) => match &slot.message {
                Message::User(user) => of_content(&user.content),
                Message::Tool(answer) => of_content(&answer.content),
                Message::Assistant(said) => {
                    self.fresh = Fresh::default();
                    if said.reasoning.is_some() && self.dialect.message.reasoning != EchoReasoning::Never {
                        self.thoughts = Thoughts::Echoed;
                    }
                    of_answer(said)
                }
            },
        };
        let is_answer =
            matches!(message, RequestMessage::Kept(slot, _) if matches!(slot.message, Message::Assistant(_)));
        self.fresh.least += if is_answer { 0 } else { least };
        self.fresh.most += most + FRAME;
        self.messages.push(least);
    }

    /// Tokens that the whole request has at least.
    pub(in crate::chat) fn least(&self) -> u64 {
        self.system + self.messages.iter().sum::<u64>()
    }

    /// What was counted for it.
    pub(in crate::chat) fn measured(&self, usage: Usage) -> Measured {
        let (messages, least) = (self.messages.len(), self.least());
        Measured { messages, least, counted: usage.prompt_tokens, dialect: self.dialect }
    }

    /// By how much it is longer than what was measured before; none where it does not go on from there.
    fn growth_since(&self, before: &Measured) -> Option<u64> {
        let same = self.messages.get(..before.messages)?.iter().sum::<u64>() + self.system;
        (same == before.least && self.dialect == before.dialect).then(|| self.least() - same)
    }
}

/// What `usage` says of a request that has `now`; `well` is the last one of this endpoint that was seen whole.
///
/// A count under three quarters of the least is too small (the worst text measured came to 0.91 of a count), and so is one
/// that grew by less than a quarter of what the conversation grew by. Neither says anything where the endpoint says that it
/// read from a cache, or where the count is no more than what is new: then it may have counted that alone. Only where not
/// even half of what is new was counted, no cache explains it.
pub(in crate::chat) fn judge(now: &Estimate, usage: Usage, well: Option<&Measured>) -> Verdict {
    let (least, counted) = (now.least(), usage.prompt_tokens);
    if least < SHORT || counted == 0 || usage.cached_tokens > 0 {
        return Verdict::Unknown;
    }
    let too_few = counted * 4 < least * 3;
    if too_few && counted < SMALLEST_WINDOW {
        return Verdict::CountsOnlyNew;
    }
    let growth = well.filter(|_| now.thoughts == Thoughts::None);
    let growth = growth.and_then(|well| Some((now.growth_since(well)?, well.counted)));
    let stands_still =
        growth.is_some_and(|(growth, before)| growth >= GROWTH && counted < before + growth / 4);
    match too_few || stands_still {
        false => Verdict::Whole,
        true if counted * 2 < now.fresh.least => Verdict::CutForSure,
        true if counted <= now.fresh.most + BLOCK => Verdict::Unknown,
        true => Verdict::Cut,
    }
}

/// What the user is told: `host` counted so few. `host` with its port, by which the usual local servers are known.
pub(in crate::chat) fn notice(host: &str, model: &str, now: &Estimate, usage: Usage) -> String {
    let mend = match host.rsplit_once(':').map(|(_, port)| port) {
        Some("11434") => "start Ollama with a larger OLLAMA_CONTEXT_LENGTH, or raise the model's num_ctx",
        Some("1234") => "load the model with a larger context length in LM Studio",
        _ => {
            "raise the server's context length: OLLAMA_CONTEXT_LENGTH or num_ctx for Ollama, -c for llama.cpp, \
             the model's context length in LM Studio"
        }
    };
    let (counted, least) = (count(usage.prompt_tokens), count(now.least()));
    format!(
        "{host} truncated the prompt: {model} received about {counted} of at least {least} tokens ({mend})"
    )
}

fn of_content(content: &Content) -> (u64, u64) {
    content.0.iter().fold((0, 0), |(least, most), part| match part {
        Part::Text(text) => (least + at_least(text), most + at_most(text)),
        Part::Image { .. } => (least, most + IMAGE),
    })
}

fn of_answer(said: &AssistantMessage) -> (u64, u64) {
    let calls =
        said.tool_calls.iter().map(|call| (at_least(&call.arguments), at_most(&call.arguments) + FRAME));
    let thoughts = said.reasoning.as_ref().map_or(0, |thoughts| at_most(&thoughts.text));
    let text = (at_least(&said.text), at_most(&said.text) + thoughts);
    calls.fold(text, |(least, most), (call_least, call_most)| (least + call_least, most + call_most))
}

/// No tokenizer makes more tokens than bytes.
fn at_most(text: &str) -> u64 {
    text.len() as u64
}

/// What a character belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A word, in whatever script, with its accents and joiners.
    Word,
    Digits,
    /// A script without spaces, whose tokens hold up to two characters and a bit.
    Ideograph,
    /// Whatever may stick to its neighbours or run on for long: spaces, marks, lines.
    Mark,
}

/// Tokens of `text` at least: one a word, one a run of digits, two for five characters of Chinese, Japanese or Korean (1.6 a
/// token measured).
fn at_least(text: &str) -> u64 {
    let (mut runs, mut ideographs, mut before) = (0, 0, Kind::Mark);
    for c in text.chars() {
        let kind = kind(c, before);
        match kind {
            Kind::Word | Kind::Digits if kind != before => runs += 1,
            Kind::Ideograph => ideographs += 1,
            Kind::Word | Kind::Digits | Kind::Mark => {}
        }
        before = kind;
    }
    runs + ideographs * 2 / 5
}

fn kind(c: char, before: Kind) -> Kind {
    match c {
        'a'..='z' | 'A'..='Z' => Kind::Word,
        '0'..='9' => Kind::Digits,
        // `don't` may be one token.
        '\'' if before == Kind::Word => Kind::Word,
        '\0'..='\x7F' | '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FFEF}' => Kind::Mark,
        '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{20000}'..='\u{323AF}' => Kind::Ideograph,
        c if c.is_whitespace() => Kind::Mark,
        _ => Kind::Word,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, OnceLock};

    use proptest::prelude::*;
    use serde_json::Map;

    use super::super::memory::EndpointMemory;
    use super::*;
    use crate::protocol::{ModelId, Reasoning, Slot, StopReason, ToolCall, ToolStatus, UserMessage};

    /// `least` of the counts of o200k, cl100k, p50k and Claude's tokenizer, measured.
    #[track_caller]
    fn check(name: &str, text: &str, least: u64, found: std::ops::RangeInclusive<u64>) {
        let estimate = at_least(text);
        assert!(estimate * 10 <= least * 9 + 9, "{name}: {estimate} of {least}");
        assert!(found.contains(&estimate), "{name}: {estimate}");
    }

    #[test]
    fn no_more_is_found_than_any_tokenizer_counts() {
        let many = |text: &str, times: usize| text.repeat(times);
        check("nothing", "", 0, 0..=0);
        check("spaces", &many(&(" ".repeat(80) + "x\n"), 200), 600, 200..=200);
        check("a line", &many(&("=".repeat(100) + "\n"), 100), 200, 0..=0);
        check("one letter", &many("a", 5000), 313, 1..=1);
        check(
            "boxes",
            &many("┌────────────┬──────────┐\n│ name       │ value    │\n├────────────┼──────────┤\n", 100),
            2900,
            1..=900,
        );
        check("emoji", &many("🎉🚀 done ✅ ok 👍🏽 family 👨‍👩‍👧‍👦 ", 100), 2201, 300..=900);
        let contractions =
            "I don't know; it's what they've said, isn't it? We'll see that you're right and he'd agree. ";
        check("English", &many(contractions, 80), 1681, 1360..=1360);
        let german = "Die Geschwindigkeitsbegrenzung auf Bundesautobahnen wird von der Verkehrsministerkonferenz regelmäßig \
            diskutiert, ohne dass eine Entscheidung getroffen würde. ";
        check("German", &many(german, 60), 1861, 900..=1000);
        check(
            "French",
            &many("L'utilisateur n'a pas besoin d'attendre que l'ordinateur ait terminé aujourd'hui. ", 80),
            1441,
            700..=900,
        );
        let russian = "Каждый файл начинается с того, чем он является и чем не является, а затем говорит об одном неожиданном решении. ";
        check("Russian", &many(russian, 80), 1922, 1520..=1520);
        check(
            "Arabic",
            &many(
                "يبدأ كل ملف بما هو عليه وما ليس عليه، ثم يذكر قرارًا واحدًا مفاجئًا يفهمه القارئ بسرعة. ",
                80,
            ),
            2322,
            1200..=1500,
        );
        let hindi = "हर फ़ाइल इस बात से शुरू होती है कि वह क्या है और क्या नहीं है, और फिर एक आश्चर्यजनक निर्णय बताती है। ";
        check("Hindi", &many(hindi, 80), 2481, 1600..=2000);
        let vietnamese = "Mỗi tệp bắt đầu bằng việc nó là gì và không phải là gì, sau đó nói về một quyết định đáng ngạc nhiên. ";
        check("Vietnamese", &many(vietnamese, 80), 2321, 1900..=2000);
        check(
            "Thai",
            &many("แต่ละไฟล์เริ่มต้นด้วยสิ่งที่มันเป็นและสิ่งที่มันไม่ใช่ จากนั้นบอกการตัดสินใจที่น่าประหลาดใจหนึ่งข้อ ", 80),
            3121,
            100..=200,
        );
    }

    #[test]
    fn no_more_is_found_in_other_scripts_and_in_code() {
        let many = |text: &str, times: usize| text.repeat(times);
        let chinese = "每个文件都以它是什么以及它不是什么开头，然后说明一个令人惊讶的决定。这样读者就能很快明白代码的意图，不需要猜测。";
        check("Chinese", &many(chinese, 80), 3280, 1500..=1700);
        let japanese = "それぞれのファイルは、それが何であり、何でないかを述べることから始まり、次に意外な決定をひとつ説明します。";
        check("Japanese", &many(japanese, 80), 3121, 1500..=1700);
        let korean = "모든 파일은 그것이 무엇이고 무엇이 아닌지로 시작하며, 그 다음에 놀라운 결정 하나를 설명합니다. 안녕하세요 감사합니다. ";
        check("Korean", &many(korean, 80), 2482, 1500..=1700);
        check(
            "snakes",
            &many("let max_output_tokens = first_byte_timeout_secs + request_timeout_secs; ", 100),
            1401,
            1100..=1100,
        );
        check(
            "camels",
            &many("getElementById addEventListener XMLHttpRequest toLocaleUpperCase ", 100),
            801,
            400..=400,
        );
        let hex = "a4abd4448c49562d828115d13a1fccea927f52b4d5459297f8b43e42da89238bc13626e43dcb38ddb082488927ec904fb42057443983e88585179d50551afe62";
        check("hex", &many(hex, 60), 3780, 2700..=2800);
    }

    proptest! {
        #[test]
        fn no_more_is_found_than_there_are_bytes(text in ".{0,200}") {
            prop_assert!(at_least(&text) <= at_most(&text));
        }
    }

    fn kept(message: Message) -> RequestMessage {
        let slot =
            Slot { position: 0, timestamp: 0, message, wire: OnceLock::new(), weight: OnceLock::new() };
        RequestMessage::Kept(Arc::new(slot), Masked::No)
    }

    /// So many words.
    fn words(count: usize) -> String {
        "go ".repeat(count)
    }

    fn user(count: usize) -> RequestMessage {
        kept(Message::user(words(count)))
    }

    fn said(count: usize) -> RequestMessage {
        kept(Message::Assistant(answer(count)))
    }

    fn answer(count: usize) -> AssistantMessage {
        AssistantMessage {
            text: words(count),
            tool_calls: Vec::new(),
            reasoning: None,
            extra: Map::new(),
            model: "m".into(),
            usage: None,
            stop_reason: StopReason::EndTurn,
        }
    }

    fn request(messages: Vec<RequestMessage>) -> ChatRequest {
        ChatRequest { model: "m".into(), system: words(1000).into(), messages, tools: Arc::new([]) }
    }

    fn estimate(messages: Vec<RequestMessage>) -> Estimate {
        Estimate::of(&request(messages), Dialect::default())
    }

    fn counted(prompt_tokens: u64) -> Usage {
        Usage { prompt_tokens, ..Usage::default() }
    }

    #[test]
    fn what_is_sent_is_found_wherever_it_stands() {
        let call = ToolCall::new("x", "Read", "{\"file_path\": \"a b\"}");
        let result = kept(Message::tool(&call, ToolStatus::Success, words(3)));
        let calling = AssistantMessage { tool_calls: vec![call], ..answer(1) };
        let masked = match user(50) {
            RequestMessage::Kept(slot, _) => RequestMessage::Kept(slot, Masked::Yes),
            other @ RequestMessage::Text(_) => other,
        };
        let image = Part::Image { file: "a.png".into(), mime: "image/png".into(), width: 9, height: 9 };
        let seen = Message::User(UserMessage { content: Content(vec![image]), ..UserMessage::default() });
        let all = estimate(vec![
            RequestMessage::Text("so far".into()),
            user(2),
            kept(Message::Assistant(calling)),
            result,
            masked,
            kept(seen),
        ]);
        assert_eq!((all.least(), all.messages.as_slice()), (1012, [2, 2, 5, 3, 0, 0].as_slice()));
        assert_eq!(all.fresh.least, 3);
        assert!(all.fresh.most > 5000, "{:?}", all.fresh);
    }

    #[test]
    fn a_single_count_is_judged() {
        #[track_caller]
        fn check(now: &Estimate, usage: Usage, expected: Verdict) {
            assert_eq!(judge(now, usage, None), expected, "{usage:?} of {}", now.least());
        }
        let short = estimate(vec![user(499)]);
        for tokens in [0, 1, 10, 1200] {
            check(&short, counted(tokens), Verdict::Unknown);
        }
        let long = estimate(vec![user(1000), said(6000), user(5)]);
        check(&long, counted(0), Verdict::Unknown);
        check(&long, counted(10), Verdict::CountsOnlyNew);
        check(&long, counted(8000), Verdict::Whole);
        check(&long, counted(6100), Verdict::Whole);
        check(&long, counted(5900), Verdict::Unknown);
        let settled = estimate(vec![user(1000), said(6000), user(5), said(5), user(5)]);
        check(&settled, counted(4096), Verdict::Cut);
        check(&settled, counted(2048), Verdict::Cut);
        check(&settled, Usage { cached_tokens: 64, ..counted(4096) }, Verdict::Unknown);
        let large_file = estimate(vec![user(20_000)]);
        check(&large_file, counted(4096), Verdict::CutForSure);
        check(&large_file, counted(12_000), Verdict::Unknown);
    }

    #[test]
    fn a_count_that_stands_still_is_judged_by_the_one_before() {
        let before = estimate(vec![user(4000)]).measured(counted(8000));
        let grown = |fresh: usize| estimate(vec![user(4000), said(1500), user(fresh), said(5), user(5)]);
        assert_eq!(judge(&grown(10), counted(8050), Some(&before)), Verdict::Cut);
        assert_eq!(judge(&grown(10), counted(10_000), Some(&before)), Verdict::Whole);
        let other = estimate(vec![user(3000)]).measured(counted(8000));
        assert_eq!(
            judge(&grown(10), counted(8050), Some(&other)),
            Verdict::Whole,
            "it is another conversation"
        );
        let mut elsewhere = before;
        elsewhere.dialect.message.images = super::super::dialect::Images::Told;
        assert_eq!(
            judge(&grown(10), counted(8050), Some(&elsewhere)),
            Verdict::Whole,
            "it was written otherwise"
        );
    }

    #[test]
    fn thoughts_that_a_template_drops_are_no_alarm() {
        let echoing = Dialect::of("x", "gpt-oss-20b");
        let reasoning = Some(Reasoning { field: "reasoning".into(), text: words(5000) });
        let thinking = kept(Message::Assistant(AssistantMessage { reasoning, ..answer(1500) }));
        let grown = request(vec![user(4000), thinking, user(5), said(5), user(5)]);
        let before = Estimate::of(&request(vec![user(4000)]), echoing).measured(counted(12_000));
        assert_eq!(judge(&Estimate::of(&grown, echoing), counted(8000), Some(&before)), Verdict::Whole);
    }

    /// Plays a conversation against a server that counts in this way; which turns were told of.
    fn play(turns: &[(usize, usize)], mut count: impl FnMut(u64, u64) -> u64) -> Vec<usize> {
        let (memory, model) = (EndpointMemory::of_host("x"), ModelId::from("m"));
        let (mut messages, mut told) = (Vec::new(), Vec::new());
        let mut before = 0;
        for (turn, (asked, answered)) in turns.iter().enumerate() {
            messages.push(user(*asked));
            let estimate = estimate(messages.clone());
            let now = estimate.least();
            if memory.note_count(&model, &estimate, counted(count(now, before))) {
                told.push(turn);
            }
            messages.push(said(*answered));
            before = now + *answered as u64;
        }
        told
    }

    #[test]
    fn a_window_that_is_too_small_is_told_of_once() {
        let turns = [(500, 100), (4000, 300), (40, 200), (20, 200), (5000, 300), (20, 100), (20, 100)];
        assert_eq!(play(&turns, |now, _| (now * 2).min(4096)), [3]);
        assert_eq!(play(&turns, |now, _| (now * 2).min(8192)), [6]);
        assert_eq!(play(&turns, |now, _| now * 2), [0; 0]);
        assert_eq!(play(&[(30_000, 10)], |_, _| 4096), [0], "a single request, as without a screen");
    }

    proptest! {
        #[test]
        fn an_honest_endpoint_is_never_accused(
            turns in proptest::collection::vec((0..8000_usize, 0..4000_usize), 1..12),
            percent in 91..500_u64,
        ) {
            prop_assert_eq!(play(&turns, |now, _| now * percent / 100 + 50), [0; 0]);
        }

        #[test]
        fn one_that_counts_only_what_its_cache_lacks_is_never_accused(
            turns in proptest::collection::vec((0..8000_usize, 0..4000_usize), 1..12),
            percent in 91..300_u64,
            block in prop_oneof![Just(1_u64), Just(64), Just(1024)],
        ) {
            let uncached = |now: u64, before: u64| {
                let (all, held) = (now * percent / 100, before * percent / 100);
                (all - held / block * block).max(1)
            };
            prop_assert_eq!(play(&turns, uncached), [0; 0]);
        }
    }

    #[test]
    fn the_notice_says_how_to_mend_it() {
        let now = estimate(vec![user(7000)]);
        let said = |host: &str| notice(host, "m", &now, counted(4096));
        assert!(said("127.0.0.1:11434").starts_with(
            "127.0.0.1:11434 truncated the prompt: m received about 4,096 of at least 8,000 tokens (start \
             Ollama with"
        ));
        assert!(said("localhost:1234").ends_with("in LM Studio)"));
        assert!(said("x.example").contains("-c for llama.cpp"));
    }
}
