//! The way back to an earlier message, step by step: files are looked at and put back beside everything else, what is written
//! of it is written here.

use std::sync::Arc;

use super::{Done, Runner};
use crate::app::{Going, Preview, Reach, Way};
use crate::protocol::SavedFile;
use crate::tui::effect::RewindWish;
use crate::tui::msg::{Reply, RewindReply};

/// How far it has come.
pub(super) enum Stride {
    /// These files were changed by a command that was left running.
    Beside(RewindWish, Vec<SavedFile>),
    /// It was looked at what would change.
    Looked(Box<Preview>),
    /// The files are kept as they are.
    Kept(Box<Going>),
    /// They are put back, but for these.
    PutBack(Box<Going>, Vec<String>),
}

impl Runner {
    pub(super) fn rewind(&mut self, wish: RewindWish) -> Vec<Reply> {
        let Some(conversation) = &self.conversation else { return Vec::new() };
        if wish == RewindWish::List {
            return told(RewindReply::Points(self.app.points(conversation)));
        }
        let bench = Arc::clone(conversation.bench());
        self.beside(move || Done::Rewind(Stride::Beside(wish, bench.look_beside())));
        Vec::new()
    }

    fn set_out(&mut self, wish: RewindWish) -> Vec<Reply> {
        let Some(conversation) = &self.conversation else { return Vec::new() };
        let way = match wish {
            RewindWish::List => return Vec::new(),
            RewindWish::Look(to) => Way::Back(to, Reach::Both),
            RewindWish::Go(way) => way,
        };
        let going = match self.app.going(conversation, way) {
            Ok(going) => going,
            Err(why) => return told(RewindReply::Refused(why)),
        };
        self.beside(move || {
            Done::Rewind(match wish {
                RewindWish::Look(to) => Stride::Looked(Box::new(going.preview(to))),
                RewindWish::List | RewindWish::Go(_) => Stride::Kept(Box::new(going.keep())),
            })
        });
        Vec::new()
    }

    pub(super) fn rewind_goes_on(&mut self, stride: Stride) -> Vec<Reply> {
        let Some(conversation) = &mut self.conversation else { return Vec::new() };
        match stride {
            Stride::Beside(wish, files) => {
                conversation.changed_beside(files);
                self.set_out(wish)
            }
            Stride::Looked(preview) => told(RewindReply::Looked(preview)),
            Stride::Kept(going) => match self.app.set_out(conversation, &going) {
                Ok(()) => {
                    self.beside(move || {
                        let failed = going.put_back();
                        Done::Rewind(Stride::PutBack(going, failed))
                    });
                    Vec::new()
                }
                Err(why) => told(RewindReply::Refused(why)),
            },
            Stride::PutBack(going, failed) => {
                let arrived = self.app.arrive(conversation, *going, failed);
                told(RewindReply::Arrived(Box::new(arrived)))
            }
        }
    }
}

fn told(reply: RewindReply) -> Vec<Reply> {
    vec![Reply::Rewind(reply)]
}
