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
use super::key::{Key, KeyCode};
use super::keymap::{self, Focus};
use super::model::moment::Moment;
use super::model::{Model, Size, Stage};
use super::msg::Msg;
use crate::text::dropped::image_path;

/// Changes `model` as `msg` asks, at the time `now`; returns what is wanted of the world, in order. Queued commands run as soon as
/// nothing is going on.
pub fn update(model: &mut Model, now: Moment, msg: Msg) -> Vec<Effect> {
    let effects = take(model, now, msg);
    model.opens_session |= effects.iter().any(sessions::opens_one);
    input::run_queued(model, effects)
}

fn take(model: &mut Model, now: Moment, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Key(key) => match keymap::after_esc(key) {
            Some(after) => {
                let mut effects = press(model, now, Key::plain(KeyCode::Esc));
                effects.extend(press(model, now, after));
                effects
            }
            None => press(model, now, key),
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
        Msg::Tick => {
            let mut effects = tasks::refresh(model);
            let certain = model.recent.take_certain(now);
            effects.extend(certain.into_iter().flat_map(|key| press_one(model, now, key)));
            effects
        }
    }
}

fn press(model: &mut Model, now: Moment, key: Key) -> Vec<Effect> {
    let mut effects = Vec::new();
    if let Some(before) = model.recent.take_pressed(key, now) {
        effects.extend(press_one(model, now, before));
    }
    effects.extend(press_one(model, now, key));
    effects
}

fn press_one(model: &mut Model, now: Moment, key: Key) -> Vec<Effect> {
    model.recent.press(key, now);
    if model.overlay.is_some() && !sessions::is_past_list(model, key) {
        return overlay::press(model, key);
    }
    if scroll::press(model, key) {
        return Vec::new();
    }
    match model.stage {
        Stage::Opening | Stage::Idle => input::press(model, now, key, Focus::Input),
        Stage::Running => input::press(model, now, key, Focus::Running),
        Stage::Asking(_) => question::press(model, now, key),
        Stage::Answering(_) => answering::press(model, now, key),
        Stage::AtLimit(_) => question::press_at_limit(model, now, key),
        Stage::Trusting(_) => setup::press_trust(model, now, key),
        Stage::Choosing(_) => setup::press(model, key),
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
