//! `/status`: what is in force, a line each.

use super::App;
use crate::conversation::Conversation;

/// The lines.
pub(super) fn lines(app: &App, conversation: &Conversation) -> Vec<String> {
    let facts = app.facts();
    let policy = conversation.policy();
    let session = match app.session() {
        Some(id) if conversation.is_saved() => id.to_string(),
        Some(id) => format!("{id} (not saved)"),
        None => "nothing is kept".to_owned(),
    };
    let rules = &policy.rules;
    let instructions =
        if facts.instructions.is_empty() { "none".to_owned() } else { facts.instructions.join(", ") };
    vec![
        format!("model         {} at {}", facts.model, facts.host),
        format!("directory     {}", facts.cwd),
        format!("session       {session} · {} messages", conversation.history().len()),
        format!(
            "permissions   {} · {} allow, {} ask, {} deny rules",
            policy.mode.name(),
            rules.allow.len(),
            rules.ask.len(),
            rules.deny.len()
        ),
        "sandbox       none: what you allow runs with your own rights".to_owned(),
        format!("instructions  {instructions}"),
    ]
}
