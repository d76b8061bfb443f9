//! What changes when something happens: one function from model and message to wishes.
//!
//! Pure: no terminal, no runtime, no clock; the time comes in with the message. This file only routes; what a key does to
//! which part stands in the file of that part.

mod answering;
mod input;
mod line;
mod offered;
mod overlay;
mod permissions;
mod prompts;
mod question;
mod reply;
mod reports;
mod rewind;
mod run;
mod scroll;
mod sessions;
mod setup;
mod slash;
mod tasks;
#[cfg(test)]
mod testing;
mod themes;

use super::effect::{Effect, ImageWish};
use super::keymap::Focus;
use super::model::moment::Moment;
use super::model::{Model, Size, Stage};
use super::msg::Msg;
use crate::text::dropped::image_path;

/// Changes `model` as `msg` asks, at the time `now`; returns what is wanted of the world, in order.
pub fn update(model: &mut Model, now: Moment, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Key(key) if model.overlay.is_some() && !sessions::is_past_list(model, key) => {
            overlay::press(model, key)
        }
        Msg::Key(key) if scroll::press(model, key) => Vec::new(),
        Msg::Key(key) => match model.stage {
            Stage::Opening | Stage::Idle => input::press(model, now, key, Focus::Input),
            Stage::Running => input::press(model, now, key, Focus::Running),
            Stage::Asking(_) => question::press(model, now, key),
            Stage::Answering(_) => answering::press(model, now, key),
            Stage::AtLimit(_) => question::press_at_limit(model, now, key),
            Stage::Trusting(_) => setup::press_trust(model, now, key),
            Stage::Choosing(_) => setup::press(model, key),
        },
        Msg::Burst(key, times) if scroll::is_wheel(model, key) => {
            scroll::by(model, key, times);
            Vec::new()
        }
        Msg::Burst(key, times) => (0..times).flat_map(|_| update(model, now, Msg::Key(key))).collect(),
        Msg::Wheel(wheel) => {
            scroll::turn(model, wheel);
            Vec::new()
        }
        Msg::Paste(text) => paste(model, now, &text),
        Msg::Line(text) => line::take(model, now, &text),
        Msg::Resize { columns, rows } => {
            model.size = Size { columns, rows };
            Vec::new()
        }
        Msg::Happened(happening) => {
            scroll::note(model, &happening);
            run::happened(model, now, *happening)
        }
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
    let mut effects = Vec::new();
    if !typed_elsewhere {
        model.composer.paste(text);
        effects.extend(image_path(text).map(|path| {
            let pasted = text.trim().to_owned();
            Effect::Image(ImageWish::Look { pasted, path })
        }));
    }
    effects.extend(input::wish(model));
    effects
}
