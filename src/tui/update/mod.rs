//! What changes when something happens: one function from model and message to wishes.
//!
//! Pure: no terminal, no runtime, no clock; the time comes in with the message. This file only routes; what a key does to
//! which part stands in the file of that part.

mod answering;
mod input;
mod overlay;
mod permissions;
mod question;
mod reply;
mod run;
mod setup;
mod slash;
mod tasks;
#[cfg(test)]
mod testing;

use super::effect::Effect;
use super::keymap::Focus;
use super::model::moment::Moment;
use super::model::{Model, Size, Stage};
use super::msg::Msg;

/// Changes `model` as `msg` asks, at the time `now`; returns what is wanted of the world, in order.
pub fn update(model: &mut Model, now: Moment, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Key(key) if model.overlay.is_some() => overlay::press(model, key),
        Msg::Key(key) => match model.stage {
            Stage::Opening | Stage::Idle => input::press(model, now, key, Focus::Input),
            Stage::Running => input::press(model, now, key, Focus::Running),
            Stage::Asking(_) => question::press(model, now, key),
            Stage::Answering(_) => answering::press(model, now, key),
            Stage::AtLimit(_) => question::press_at_limit(model, now, key),
            Stage::Trusting(_) => setup::press_trust(model, now, key),
            Stage::Choosing(_) => setup::press(model, key),
        },
        Msg::Paste(text) => paste(model, now, &text),
        Msg::Resize { columns, rows } => {
            model.size = Size { columns, rows };
            Vec::new()
        }
        Msg::Happened(happening) => run::happened(model, now, *happening),
        Msg::Reply(reply) => reply::take(model, now, reply),
        Msg::Tick => tasks::refresh(model),
    }
}

/// A paste never answers a question: it goes into what is being typed, else into the draft.
fn paste(model: &mut Model, now: Moment, text: &str) -> Vec<Effect> {
    let typed_elsewhere = match &mut model.stage {
        Stage::Choosing(choosing) => setup::paste(choosing, text),
        Stage::Asking(asking) => question::paste(asking, text),
        Stage::Answering(answering) => answering::paste(answering, now, text),
        Stage::Opening | Stage::Trusting(_) | Stage::Idle | Stage::Running | Stage::AtLimit(_) => false,
    };
    if !typed_elsewhere {
        model.composer.paste(text);
    }
    Vec::new()
}
