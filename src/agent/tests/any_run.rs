//! Whatever ended a run, its history can be sent: random scripts, random tools, aborts at random moments.
//!
//! The numbers come from a seed that a failure names; with it in `SEED` below the same case runs again.

use std::time::Duration;

use super::stage::{Reply, Stage};
use crate::chat::scripted::Answer as Said;
use crate::chat::{ChatError, ChatEvent, Remedy};
use crate::protocol::{Answer, Message, Origin, RunEnd, StopReason};

/// The first case's seed.
const SEED: u64 = 1;
/// The last one's.
const LAST: u64 = 600;

#[test]
fn whatever_ended_a_run_its_history_can_be_sent() {
    let mut ends = [0_usize; 5];
    for seed in SEED..=LAST {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let case = std::panic::AssertUnwindSafe(|| runtime.block_on(play(seed)));
        let end = std::panic::catch_unwind(case).unwrap_or_else(|_| panic!("the case of seed {seed}"));
        ends[match end {
            RunEnd::Done => 0,
            RunEnd::TurnLimit { .. } | RunEnd::Looping { .. } | RunEnd::OverBudget { .. } => 1,
            RunEnd::Aborted => 2,
            RunEnd::Refused => 3,
            RunEnd::Failed(_) => 4,
        }] += 1;
    }
    assert!(ends.iter().all(|&count| count >= 5), "all ends are met: {ends:?}");
}

/// One conversation of a few runs, the last of which may be aborted.
async fn play(seed: u64) -> RunEnd {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut script: Vec<Said> = (0..dice.up_to(6)).map(|_| dice.answer()).collect();
    script.extend((0..dice.up_to(4)).map(|_| Said::text("Done.")));
    let mut stage = Stage::new(script).budget(1 + dice.up_to(8)).reply(dice.reply());
    if dice.up_to(3) == 0 {
        stage = stage.abort_after(Duration::from_millis(u64::from(dice.up_to(3_000))));
    } else if dice.up_to(3) > 0 {
        stage.abort_at(1 + dice.up_to(60) as usize);
    }
    let typed = dice.up_to(3);
    for number in 0..typed {
        stage.type_at(1 + dice.up_to(40) as usize, &format!("typed {number}"));
    }
    let runs = 1 + dice.up_to(2);
    let mut result = guarded(&stage, stage.run("begin")).await;
    for _ in 1..runs {
        if matches!(result.end, RunEnd::TurnLimit { .. }) {
            result = guarded(&stage, stage.go_on(result.carry)).await;
        } else if result.end != RunEnd::Aborted {
            result = guarded(&stage, stage.run("once more")).await;
        }
    }
    stage.check_history();
    assert_eq!(stage.after_abort(), (0, 0), "requests and tools begun after the abort");
    let reached = stage.recorded().iter().filter(|message| is_queued(message)).count();
    assert!(reached + stage.inbox.waiting().len() <= typed as usize, "nothing typed is doubled");
    result.end
}

/// Scripts that hang would hang for ever without somebody who stops them.
async fn guarded<T>(stage: &Stage, run: impl Future<Output = T>) -> T {
    let stop = async {
        tokio::time::sleep(Duration::from_hours(1)).await;
        stage.sink.abort(&stage.token);
        std::future::pending::<()>().await;
    };
    tokio::select! { done = run => done, () = stop => unreachable!() }
}

fn is_queued(message: &Message) -> bool {
    matches!(message, Message::User(user) if user.origin == Origin::Queued)
}

/// xorshift64*: small, and the same everywhere.
struct Dice(u64);

impl Dice {
    /// From 0 to below `limit`.
    fn up_to(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        u32::try_from(high % u64::from(limit)).unwrap()
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.up_to(u32::try_from(all.len()).unwrap()) as usize]
    }

    fn reply(&mut self) -> Reply {
        match self.up_to(6) {
            0 => Reply::Never,
            1 | 2 => Reply::Say(Answer::Deny { words: None }),
            3 => Reply::Say(Answer::Deny { words: Some("not so".to_owned()) }),
            4 => Reply::Say(Answer::Unattended),
            _ => Reply::Say(Answer::Allow),
        }
    }

    fn answer(&mut self) -> Said {
        let mut said = Said::new();
        for _ in 0..=self.up_to(3) {
            said = self.part(said);
        }
        match self.up_to(24) {
            0 => said.stop(StopReason::MaxTokens),
            1 => said.stop(StopReason::Refusal),
            2 => said.stop(StopReason::EndTurn),
            3 => said.fail(ChatError::new(Remedy::GiveUp, "broke")),
            4 => said.hang(),
            5 => Said::new(),
            _ => said,
        }
    }

    fn part(&mut self, said: Said) -> Said {
        match self.up_to(10) {
            0 => said.think("hm, hm"),
            1 => said.pause(Duration::from_millis(u64::from(self.up_to(1_000)))),
            2 => said.tell(ChatEvent::Retry {
                attempt: 1,
                of: 2,
                delay: Duration::from_millis(1),
                error: "broke".to_owned(),
                discard: true,
            }),
            3 => {
                let text = self.one_of(&[
                    "Done.",
                    "Let me check the file.",
                    " ",
                    "让我先查看",
                    "Here is what I do:",
                ]);
                said.say(text)
            }
            _ => self.call(said),
        }
    }

    fn call(&mut self, said: Said) -> Said {
        let name = self
            .one_of(&["Add", "Fail", "Look", "Look", "Deaf", "Ask", "Ask", "Ask", "Silent", "Nonsense", ""]);
        let arguments = self.one_of(&[
            "{}",
            "",
            "null",
            r#"{"a":1,"b":1}"#,
            r#"{"ms":700}"#,
            r#"{"a":"#,
            r#""{\"a\":2,\"b\":2}""#,
            "[1]",
        ]);
        match self.up_to(6) {
            0 => said.call_as("", name, arguments),
            1 => said.call_as("same", name, arguments),
            2 => said.call_as("call_2", name, arguments),
            _ => said.call(name, arguments),
        }
    }
}
