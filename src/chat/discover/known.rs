//! What servers tell of their models, read out of the fields that each names in its own way. Pure.
//!
//! The surprising decision: a window in use and the largest possible are two things. Most local servers load a model with
//! less than it was trained for, and the one in use is what a conversation must fit into.

use serde_json::Value;

use crate::chat::request::models::Ability;

/// What is known of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Known {
    /// Its window.
    pub window: Option<Window>,
    /// Whether it takes images.
    pub images: Ability,
    /// Whether it calls tools.
    pub tools: Ability,
    /// Whether it thinks before it answers.
    pub thinks: Ability,
}

/// A window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Window {
    /// Tokens that fit into it.
    pub tokens: u64,
    /// What the number means.
    pub bound: Bound,
}

/// What the number of a window means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// So much fits in.
    InUse,
    /// Nothing is set, and so much fits in where the server is left as it comes.
    Usual,
    /// So much could fit in, where the server is told so.
    AtMost,
}

/// Under these names servers tell how many tokens fit into a window, the one in use before the largest possible.
const WINDOWS: [(&str, Bound); 9] = [
    ("loaded_context_length", Bound::InUse),
    ("n_ctx", Bound::InUse),
    ("context_window", Bound::InUse),
    ("context_length", Bound::InUse),
    ("max_model_len", Bound::InUse),
    ("max_input_tokens", Bound::InUse),
    ("max_req_input_len", Bound::InUse),
    ("max_context_length", Bound::AtMost),
    ("n_ctx_train", Bound::AtMost),
];

/// An ability under the names that servers have for it.
struct Names {
    /// In a list of what a model can do, or as a switch within `capabilities`.
    capability: &'static [&'static str],
    /// As a switch of its own.
    switch: &'static str,
    /// In the list of parameters that a model takes.
    parameter: &'static str,
}

const IMAGES: Names =
    Names { capability: &["vision", "multimodal", "image"], switch: "supports_vision", parameter: "" };
const TOOLS: Names = Names {
    capability: &["tools", "tool_use", "function_calling", "trained_for_tool_use"],
    switch: "supports_function_calling",
    parameter: "tools",
};
const THINKS: Names = Names {
    capability: &["thinking", "reasoning"],
    switch: "supports_reasoning",
    parameter: "include_reasoning",
};

impl Window {
    /// A window in which so many tokens fit; none where there are none.
    #[must_use]
    pub fn in_use(tokens: u64) -> Option<Self> {
        (tokens > 0).then_some(Self { tokens, bound: Bound::InUse })
    }
}

impl Known {
    /// What one description says, whoever wrote it.
    pub(super) fn read(model: &Value) -> Self {
        let within = ["meta", "top_provider", "model_info"].map(|name| model.get(name));
        let window = std::iter::once(Some(model)).chain(within).flatten().find_map(window);
        let images = match model.pointer("/architecture/input_modalities").and_then(Value::as_array) {
            Some(kinds) => kinds.iter().any(|kind| kind == "image").into(),
            None if model.get("type").is_some_and(|kind| kind == "vlm") => Ability::Yes,
            None => model
                .pointer("/modalities/vision")
                .and_then(Value::as_bool)
                .map_or(Ability::Unknown, Ability::from),
        };
        Self {
            window,
            images: images.or(ability(model, &IMAGES)),
            tools: ability(model, &TOOLS),
            thinks: ability(model, &THINKS),
        }
    }

    /// This, and `other` where it says nothing. A window in use counts before any other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let windows = [self.window, other.window];
        let in_use = windows.into_iter().flatten().find(|window| window.bound == Bound::InUse);
        Self {
            window: in_use.or(self.window).or(other.window),
            images: self.images.or(other.images),
            tools: self.tools.or(other.tools),
            thinks: self.thinks.or(other.thinks),
        }
    }
}

fn window(value: &Value) -> Option<Window> {
    let fields = WINDOWS.into_iter().filter_map(|(field, bound)| {
        let tokens = value.get(field)?.as_u64().filter(|tokens| *tokens > 0)?;
        Some(Window { tokens, bound })
    });
    fields.into_iter().next()
}

fn ability(model: &Value, names: &Names) -> Ability {
    let capability = match model.get("capabilities") {
        Some(Value::Array(list)) => {
            let has = list.iter().filter_map(Value::as_str).any(|can| names.capability.contains(&can));
            if has { Ability::Yes } else { Ability::Unknown }
        }
        Some(Value::Object(switches)) => {
            let told = names.capability.iter().find_map(|name| switches.get(*name)?.as_bool());
            told.map_or(Ability::Unknown, Ability::from)
        }
        Some(_) | None => Ability::Unknown,
    };
    let switch = [model.get(names.switch), model.get("model_info").and_then(|info| info.get(names.switch))];
    let switch = switch.into_iter().flatten().find_map(Value::as_bool);
    let parameters = model.get("supported_parameters").and_then(Value::as_array);
    let parameter = parameters
        .filter(|_| !names.parameter.is_empty())
        .map(|list| Ability::from(list.iter().any(|taken| taken == names.parameter)));
    capability.or(switch.map_or(Ability::Unknown, Ability::from)).or(parameter.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_window_in_use_counts_before_the_largest_possible() {
        #[track_caller]
        fn check(model: &Value, expected: Option<(u64, Bound)>) {
            let window = Known::read(model).window.map(|window| (window.tokens, window.bound));
            assert_eq!(window, expected, "{model}");
        }
        check(&json!({"max_model_len": 4096}), Some((4096, Bound::InUse)));
        check(&json!({"meta": {"n_ctx": 16384, "n_ctx_train": 32768}}), Some((16384, Bound::InUse)));
        check(&json!({"meta": {"n_ctx_train": 8192}}), Some((8192, Bound::AtMost)));
        check(&json!({"max_context_length": 9, "loaded_context_length": 5}), Some((5, Bound::InUse)));
        check(&json!({"context_length": 0, "top_provider": {"context_length": 9}}), Some((9, Bound::InUse)));
        check(&json!({"mode": "chat", "max_input_tokens": 16384}), Some((16384, Bound::InUse)));
        check(&json!({"context_window": "?"}), None);
        check(&json!("a"), None);
    }

    #[test]
    fn abilities_have_many_names() {
        #[track_caller]
        fn check(model: &Value, images: Ability, tools: Ability, thinks: Ability) {
            let known = Known::read(model);
            assert_eq!((known.images, known.tools, known.thinks), (images, tools, thinks), "{model}");
        }
        use Ability::{No, Unknown, Yes};
        check(&json!({"capabilities": ["completion", "vision", "tools"]}), Yes, Yes, Unknown);
        check(&json!({"capabilities": {"vision": false, "function_calling": true}}), No, Yes, Unknown);
        check(&json!({"type": "vlm"}), Yes, Unknown, Unknown);
        check(&json!({"modalities": {"vision": false}}), No, Unknown, Unknown);
        check(
            &json!({"architecture": {"input_modalities": ["text"]}, "supported_parameters": ["tools"]}),
            No,
            Yes,
            No,
        );
        check(
            &json!({"model_info": {"supports_vision": true, "supports_reasoning": null}}),
            Yes,
            Unknown,
            Unknown,
        );
        check(&json!({"id": "a"}), Unknown, Unknown, Unknown);
    }

    #[test]
    fn one_description_fills_the_gaps_of_another() {
        let most = Known { window: Some(Window { tokens: 9, bound: Bound::AtMost }), ..Known::default() };
        let used = Known { window: Window::in_use(5), images: Ability::Yes, ..Known::default() };
        assert_eq!(most.or(used).window, Window::in_use(5));
        assert_eq!(used.or(most), used);
        assert_eq!(most.or(Known::default()), most);
    }
}
