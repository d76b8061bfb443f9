//! Calls that a model wrote as text, where its server did not make calls of them.
//!
//! Three forms: JSON between `<tool_call>` tags (Hermes, Qwen), `<function=NAME>` with parameters between tags or with JSON
//! (Qwen3-Coder, Llama), and JSON in a fence. A block is read while it comes, each byte once; whether it may begin where it
//! does, [`super::visible`] has decided. The surprising decision: a block is a call only if nothing about it is odd: the tool is
//! there, the arguments fit its schema, no tag is missing but the last one. Everything else is what the model wanted to say.

use std::ops::Range;

use super::arguments::{Written, knows};
use super::cursor::{Growing, Name, Rest, Seen};
use super::nesting::Nesting;
use crate::protocol::ToolSpec;

/// Opens a call in the first form, and closes it.
pub(in crate::chat) const TOOL_CALL: &str = "<tool_call>";
pub(in crate::chat) const TOOL_CALL_END: &str = "</tool_call>";
/// Opens a call in the second form.
pub(in crate::chat) const FUNCTION: &str = "<function=";
const FUNCTION_END: &str = "</function>";
const PARAMETER: &str = "<parameter=";
const PARAMETER_END: &str = "</parameter>";
/// Open a fence that may hold a call.
pub(in crate::chat) const FENCES: [&str; 2] = ["```json\n", "```tool_call\n"];
const FENCE_END: &str = "```";
/// One of these stands first in a call of JSON; a fence that begins with anything else is shown at once.
const KEYS: [&str; 3] = ["\"name\"", "\"arguments\"", "\"parameters\""];

/// Names in tags are shorter: endpoints take 64 characters.
const MAX_NAME_BYTES: usize = 128;

/// How a block opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::chat) enum Mark {
    ToolCall,
    Function,
    /// One of [`FENCES`].
    Fence(&'static str),
}

/// What a block has turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::chat) enum Step {
    /// More must come.
    More,
    /// So many bytes are text.
    Text(usize),
    /// So many bytes are these calls.
    Calls(usize, Vec<Written>),
}

/// A block that is being read.
#[derive(Debug)]
pub(in crate::chat) struct Block {
    mark: Mark,
    stage: Stage,
    /// So many bytes have been read.
    at: usize,
    nesting: Nesting,
    name: String,
    /// Names and values of parameters, by their places.
    parameters: Vec<(Range<usize>, Range<usize>)>,
    calls: Vec<Written>,
}

/// What is expected next.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stage {
    /// JSON or, between tags, a function.
    Open,
    /// The first key of the JSON that begins here, in a fence.
    FirstKey(usize),
    /// The rest of the JSON that begins here.
    Json(usize),
    /// The end of the block, or another function.
    End,
    /// The rest of a function's name.
    Name,
    /// A parameter, JSON, or the function's end.
    Body,
    /// The rest of the JSON that begins here and is all of a function's arguments.
    BodyJson(usize),
    /// The function's end behind that JSON.
    BodyEnd(Range<usize>),
    /// The rest of a parameter's name.
    Key,
    /// The rest of the value of the parameter with this name, which begins there.
    Value(Range<usize>, usize),
    /// What shows that the value has ended there, and did not only contain the tag.
    Behind(Range<usize>, Range<usize>),
    /// What shows that the functions have ended here, and no value only contained the tags.
    Sure(usize),
    /// The end of a fence.
    FenceEnd,
    /// The end of the answer, or another fence.
    LastFence,
}

/// What came of one stage.
enum Flow {
    On(Stage),
    Wait,
    Text,
    Done,
}

/// What has come of a block, and what is known beside it.
#[derive(Clone, Copy)]
struct Scene<'a> {
    text: Growing<'a>,
    tools: &'a [ToolSpec],
}

impl Mark {
    /// Its text.
    pub(in crate::chat) fn text(self) -> &'static str {
        match self {
            Self::ToolCall => TOOL_CALL,
            Self::Function => FUNCTION,
            Self::Fence(text) => text,
        }
    }
}

impl Block {
    /// A block that opens with `mark`.
    pub(in crate::chat) fn new(mark: Mark) -> Self {
        let stage = match mark {
            Mark::ToolCall | Mark::Fence(_) => Stage::Open,
            Mark::Function => Stage::Name,
        };
        let (nesting, name) = (Nesting::default(), String::new());
        let (parameters, calls) = (Vec::new(), Vec::new());
        Self { mark, stage, at: mark.text().len(), nesting, name, parameters, calls }
    }

    /// Reads on. `text` is all that has come of it, from its mark on.
    pub(in crate::chat) fn read(&mut self, text: Growing<'_>, tools: &[ToolSpec]) -> Step {
        let scene = Scene { text, tools };
        loop {
            match self.advance(self.stage.clone(), scene) {
                Flow::On(next) => self.stage = next,
                Flow::Wait => return Step::More,
                Flow::Text => return Step::Text(self.at),
                Flow::Done => return Step::Calls(self.at, std::mem::take(&mut self.calls)),
            }
        }
    }

    fn advance(&mut self, stage: Stage, scene: Scene<'_>) -> Flow {
        match stage {
            Stage::Open => self.open(scene),
            Stage::FirstKey(from) => self.first_key(from, scene),
            Stage::Json(from) => self.json(from, scene),
            Stage::End => self.end(scene),
            Stage::Name => self.name(scene),
            Stage::Body => self.body(scene),
            Stage::BodyJson(from) if self.close_json(scene) => Flow::On(Stage::BodyEnd(from..self.at)),
            Stage::BodyJson(_) => Flow::Wait,
            Stage::BodyEnd(json) => self.body_end(json, scene),
            Stage::Key => match scene.text.name(self.at, MAX_NAME_BYTES) {
                Name::At(name) => {
                    self.at = name.end + 1;
                    Flow::On(Stage::Value(name, self.at))
                }
                Name::No => Flow::Text,
                Name::Unfinished => Flow::Wait,
            },
            Stage::Value(name, from) => self.value(name, from, scene),
            Stage::Behind(name, value) => self.behind(name, value, scene),
            Stage::Sure(end) => self.sure(end, scene),
            Stage::FenceEnd => self.fence_end(scene),
            Stage::LastFence => self.last_fence(scene),
        }
    }

    fn open(&mut self, scene: Scene<'_>) -> Flow {
        if self.skip_blank(scene) {
            return Flow::Wait;
        }
        let from = self.at;
        match (self.see("{", scene), self.mark) {
            (Seen::Whole, Mark::Fence(_)) => Flow::On(Stage::FirstKey(from)),
            (Seen::Whole, Mark::ToolCall | Mark::Function) => self.begin_json(Stage::Json(from)),
            (Seen::Half | Seen::No, Mark::Fence(_)) => Flow::Text,
            (Seen::Half | Seen::No, Mark::ToolCall | Mark::Function) => {
                self.choose([(FUNCTION, Flow::On(Stage::Name))], scene)
            }
        }
    }

    fn first_key(&mut self, from: usize, scene: Scene<'_>) -> Flow {
        if self.skip_blank(scene) {
            return Flow::Wait;
        }
        match self.choose(KEYS.map(|key| (key, Flow::Done)), scene) {
            Flow::Done => {
                self.at = from + 1;
                self.begin_json(Stage::Json(from))
            }
            other => other,
        }
    }

    /// Behind the first bracket.
    fn begin_json(&mut self, stage: Stage) -> Flow {
        self.nesting = Nesting::default();
        self.nesting.follow(b"{");
        Flow::On(stage)
    }

    fn json(&mut self, from: usize, scene: Scene<'_>) -> Flow {
        if !self.close_json(scene) {
            return Flow::Wait;
        }
        match Written::in_json(scene.text.part(from..self.at), scene.tools) {
            Some(call) => self.calls.push(call),
            None => return Flow::Text,
        }
        match self.mark {
            Mark::ToolCall | Mark::Function => Flow::On(Stage::End),
            Mark::Fence(_) => Flow::On(Stage::FenceEnd),
        }
    }

    fn end(&mut self, scene: Scene<'_>) -> Flow {
        if self.name.is_empty() {
            return self.end_or([(TOOL_CALL_END, Flow::Done)], scene);
        }
        // Several functions may stand between one pair of tags.
        let end = Stage::Sure(scene.text.behind_blank(self.at) + TOOL_CALL_END.len());
        self.end_or([(TOOL_CALL_END, Flow::On(end)), (FUNCTION, Flow::On(Stage::Name))], scene)
    }

    fn name(&mut self, scene: Scene<'_>) -> Flow {
        let name = match scene.text.name(self.at, MAX_NAME_BYTES) {
            Name::Unfinished => return Flow::Wait,
            Name::No => return Flow::Text,
            Name::At(name) => name,
        };
        self.at = name.end + 1;
        let name = scene.text.part(name);
        name.clone_into(&mut self.name);
        self.parameters.clear();
        if knows(scene.tools, name) { Flow::On(Stage::Body) } else { Flow::Text }
    }

    fn body(&mut self, scene: Scene<'_>) -> Flow {
        if self.skip_blank(scene) {
            return Flow::Wait;
        }
        let from = self.at;
        if self.parameters.is_empty() && matches!(self.see("{", scene), Seen::Whole) {
            return self.begin_json(Stage::BodyJson(from));
        }
        match self.choose([(PARAMETER, Flow::On(Stage::Key)), (FUNCTION_END, Flow::Done)], scene) {
            Flow::Done => {
                let parameters = self
                    .parameters
                    .iter()
                    .map(|(name, value)| (scene.text.part(name.clone()), scene.text.part(value.clone())));
                let call = Written::with_parameters(&self.name, parameters, scene.tools);
                self.finish_function(call)
            }
            other => other,
        }
    }

    fn body_end(&mut self, json: Range<usize>, scene: Scene<'_>) -> Flow {
        match self.end_or([(FUNCTION_END, Flow::Done)], scene) {
            Flow::Done => {
                let json = scene.text.part(json);
                self.finish_function(Written::with_json(&self.name, json, scene.tools))
            }
            other => other,
        }
    }

    fn finish_function(&mut self, call: Option<Written>) -> Flow {
        let Some(call) = call else { return Flow::Text };
        self.calls.push(call);
        match self.mark {
            Mark::Function => Flow::On(Stage::Sure(self.at)),
            Mark::ToolCall | Mark::Fence(_) => Flow::On(Stage::End),
        }
    }

    /// Where a tag follows that has nothing left to end, the block ended too early: half of a value would be lost.
    fn sure(&mut self, end: usize, scene: Scene<'_>) -> Flow {
        let odd = [(PARAMETER_END, Flow::On(Stage::Open)), (FUNCTION_END, Flow::On(Stage::Open))];
        match self.end_or(odd, scene) {
            Flow::On(_) => Flow::Text,
            Flow::Wait => Flow::Wait,
            Flow::Done | Flow::Text => {
                self.at = end;
                Flow::Done
            }
        }
    }

    fn value(&mut self, name: Range<usize>, from: usize, scene: Scene<'_>) -> Flow {
        if let Some(place) = scene.text.behind(self.at).find(PARAMETER_END) {
            let end = self.at + place;
            self.at = end + PARAMETER_END.len();
            return Flow::On(Stage::Behind(name, from..end));
        }
        let all = scene.text.text;
        let searched = all.floor_char_boundary(all.len().saturating_sub(PARAMETER_END.len() - 1));
        self.at = self.at.max(searched);
        Flow::Wait
    }

    /// A value may contain the tag that ends it: it has ended only where a parameter or the end of the function follows.
    fn behind(&mut self, name: Range<usize>, value: Range<usize>, scene: Scene<'_>) -> Flow {
        if self.skip_blank(scene) {
            return Flow::Wait;
        }
        let at = self.at;
        match self.choose([(PARAMETER, Flow::Done), (FUNCTION_END, Flow::Done)], scene) {
            Flow::Done => {
                self.at = at;
                self.parameters.push((name, value));
                Flow::On(Stage::Body)
            }
            Flow::Wait => Flow::Wait,
            Flow::On(_) | Flow::Text => {
                self.at = value.end + 1;
                Flow::On(Stage::Value(name, value.start))
            }
        }
    }

    fn fence_end(&mut self, scene: Scene<'_>) -> Flow {
        self.end_or([(FENCE_END, Flow::On(Stage::LastFence))], scene)
    }

    /// Calls in fences stand at the end of an answer: in front of more text they are examples.
    fn last_fence(&mut self, scene: Scene<'_>) -> Flow {
        self.end_or(FENCES.map(|fence| (fence, Flow::On(Stage::Open))), scene)
    }

    /// Follows JSON; whether it has ended.
    fn close_json(&mut self, scene: Scene<'_>) -> bool {
        let rest = scene.text.behind(self.at);
        let end = self.nesting.follow_to_close(rest.as_bytes());
        self.at += end.unwrap_or(rest.len());
        end.is_some()
    }

    /// The end of the answer, or one of `words`.
    fn end_or<const N: usize>(&mut self, words: [(&str, Flow); N], scene: Scene<'_>) -> Flow {
        match (self.skip_blank(scene), scene.text.rest) {
            (false, _) => self.choose(words, scene),
            (true, Rest::Open) => Flow::Wait,
            (true, Rest::Ended) => Flow::Done,
        }
    }

    /// Goes on behind the first of `words` that stands here, and does what stands beside it.
    fn choose<const N: usize>(&mut self, words: [(&str, Flow); N], scene: Scene<'_>) -> Flow {
        let mut waits = false;
        for (word, flow) in words {
            match self.see(word, scene) {
                Seen::Whole => return flow,
                Seen::Half => waits = true,
                Seen::No => {}
            }
        }
        if waits { Flow::Wait } else { Flow::Text }
    }

    /// Goes on behind `word` where it stands here.
    fn see(&mut self, word: &str, scene: Scene<'_>) -> Seen {
        let seen = scene.text.see(self.at, word);
        if seen == Seen::Whole {
            self.at += word.len();
        }
        seen
    }

    /// Goes on behind blank space; whether nothing more has come.
    fn skip_blank(&mut self, scene: Scene<'_>) -> bool {
        self.at = scene.text.behind_blank(self.at);
        self.at == scene.text.text.len()
    }
}
