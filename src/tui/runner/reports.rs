//! What is put together for a page of its own: looked for beside everything else, and no longer once nobody waits for it.

use super::{Done, Runner};
use crate::app::Examination;
use crate::protocol::Results;
use crate::tui::effect::ReportWish;
use crate::tui::msg::{Reply, ReportReply};

impl Runner {
    pub(super) fn report(&mut self, wish: ReportWish) -> Vec<Reply> {
        match wish {
            ReportWish::Examine => match self.app.examination() {
                Ok(examination) => {
                    self.examine(examination);
                    Vec::new()
                }
                Err(error) => vec![Reply::Said(error.to_string())],
            },
            ReportWish::Changes => {
                let looked = self.conversation.as_ref().map(|open| self.app.changed_files(open));
                if let Some(files) = looked {
                    self.beside(move || Done::Report(ReportReply::Changes(files.look())));
                }
                Vec::new()
            }
            ReportWish::Results => {
                let results = self.conversation.iter().map(|open| Results::of(open.history()));
                results.map(|results| Reply::Report(ReportReply::Results(results))).collect()
            }
            ReportWish::Stop => {
                if let Some(examining) = self.examining.take() {
                    examining.abort();
                }
                Vec::new()
            }
        }
    }

    fn examine(&mut self, examination: Examination) {
        let tell = self.tell_done.clone();
        let examining = self.spawn(async move {
            let opened = tokio::task::spawn_blocking(move || examination.open()).await;
            let doctor = match opened {
                Ok(Ok(doctor)) => doctor,
                Ok(Err(error)) => return Done::Report(ReportReply::None(error.to_string())),
                Err(_ended) => return Done::Nothing,
            };
            let begun = Done::Report(ReportReply::Begun { text: doctor.before() });
            // nobody listens only when the program ends
            drop(tell.send(begun).await);
            Done::Report(ReportReply::More { text: doctor.ask(&|_: &str| {}).await.text })
        });
        self.examining = Some(examining);
    }
}
