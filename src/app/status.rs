//! `/status`: what is in force, a line each.

use super::App;
use super::known;
use crate::chat::request::models::{self, Ability};
use crate::conversation::Conversation;
use crate::permission::Policy;
use crate::protocol::{ModelId, Network};
use crate::sandbox::{self, Tier};
use crate::text::sanitize::sanitize_line;

/// The lines.
pub(super) fn lines(app: &App, conversation: &Conversation) -> Vec<String> {
    let facts = app.facts();
    let policy = conversation.policy();
    let session = match app.session() {
        Some(id) if conversation.is_saved() => id.to_string(),
        Some(id) => format!("{id} (not saved)"),
        None => "not saved".to_owned(),
    };
    let rules = &policy.rules;
    let instructions =
        if facts.instructions.is_empty() { "none".to_owned() } else { facts.instructions.join(", ") };
    let place = if facts.host.is_empty() { "no endpoint".to_owned() } else { format!("at {}", facts.host) };
    vec![
        format!("model         {} {place}", facts.model),
        format!("context       {}", window(app, &ModelId::from(facts.model.as_str()))),
        format!("directory     {}", facts.cwd),
        format!("workspace     {}", workspace(app)),
        format!("session       {session} · {} messages{}", conversation.history().len(), title(conversation)),
        format!(
            "permissions   {} · {} allow, {} ask, {} deny rules",
            policy.mode.name(),
            rules.allow.len(),
            rules.ask.len(),
            rules.deny.len()
        ),
        format!("sandbox       {}", sandboxed(&policy)),
        format!("trust         {}", app.told.in_words()),
        format!("instructions  {instructions}"),
    ]
}

fn workspace(app: &App) -> String {
    let roots: Vec<String> = app.roots().iter().map(|root| app.place.shown(root)).collect();
    roots.join(", ")
}

fn title(conversation: &Conversation) -> String {
    conversation.history().title().map(|title| format!(" · {}", sanitize_line(title))).unwrap_or_default()
}

fn sandboxed(policy: &Policy) -> String {
    let sandbox = &policy.sandbox;
    if !sandbox.is_wanted(policy.mode) {
        return "off: commands run NOT sandboxed, with your full permissions".to_owned();
    }
    let network = match sandbox.network {
        Network::Off => "no network",
        Network::On => "with network",
    };
    match sandbox::found().tier() {
        Tier::Nothing => "none: commands run NOT sandboxed, with your full permissions".to_owned(),
        tier => format!("{} · {} · {network}", tier.name(), sandbox.mode),
    }
}

/// The model's window with who says so, and what else is known of it.
fn window(app: &App, model: &ModelId) -> String {
    let window = app.known.window(model, app.config.model.window());
    let window = window.map(|(window, source)| format!("{}, {}", known::in_words(window), source.said()));
    let family = models::family(model.as_str());
    let told = app.known.told(model);
    let images = match told.images.or(family.map(|family| family.images).unwrap_or_default()) {
        Ability::Yes => Some("images supported"),
        Ability::No => Some("no image support"),
        Ability::Unknown => None,
    };
    let tools = (told.tools == Ability::No).then_some("no tool calls");
    let mut about = vec![window.unwrap_or_else(|| "size unknown".to_owned())];
    about.extend([tools, images].into_iter().flatten().map(str::to_owned));
    about.join(" · ")
}
