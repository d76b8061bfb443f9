//! What the world has for the input: paths, an edited text, the draft of a program that broke off.

use super::input::remark;
use crate::tui::effect::Effect;
use crate::tui::model::Model;
use crate::tui::model::history;
use crate::tui::msg::InputReply;

/// Takes what an effect gave for the input.
pub(super) fn take(model: &mut Model, reply: InputReply) -> Vec<Effect> {
    match reply {
        InputReply::Paths { typed, best } => model.composer.offer_paths(&typed, best),
        InputReply::Image { path, pasted } => model.composer.insert_image(&path, pasted.as_deref()),
        InputReply::Edited(Ok(text)) => model.composer.edited(&text),
        InputReply::Edited(Err(why)) | InputReply::NoImage(why) => remark(model, why),
        InputReply::DraftLeft(line) => left(model, &line),
        InputReply::DraftDue => {
            let draft = model.composer.written();
            let line = if draft.is_empty() { String::new() } else { history::to_line(draft, 0) };
            return vec![Effect::KeepDraft(line)];
        }
    }
    Vec::new()
}

/// What was being written when an earlier process ended without being asked.
fn left(model: &mut Model, line: &str) {
    if let Some(draft) = history::from_line(line) {
        model.composer.restore(draft);
        remark(model, "restored your unsent draft from the last crash");
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{draft, idle, last, press, reply};
    use super::super::update;
    use super::*;
    use crate::text::mention::mentions;
    use crate::tui::effect::ImageWish;
    use crate::tui::model::draft::InputMode;
    use crate::tui::model::moment::Moment;
    use crate::tui::model::transcript::Cell;
    use crate::tui::msg::Msg;
    use crate::tui::msg::Reply;

    fn image(path: &str, pasted: Option<&str>) -> Reply {
        Reply::Input(InputReply::Image { path: path.to_owned(), pasted: pasted.map(str::to_owned) })
    }

    #[test]
    fn an_image_is_an_atom_that_is_sent_as_a_mention() {
        let mut model = idle();
        assert_eq!(press(&mut model, 0, "see<c-v>"), [Effect::Image(ImageWish::Paste)]);
        reply(&mut model, image("/s/a b.png", None));
        press(&mut model, 0, " and ");
        let pasted = Msg::Paste(r"/tmp/my\ shot.png".to_owned());
        let look =
            ImageWish::Look { pasted: r"/tmp/my\ shot.png".to_owned(), path: "/tmp/my shot.png".to_owned() };
        assert_eq!(update(&mut model, Moment(0), pasted), [Effect::Image(look)]);
        reply(&mut model, image("/tmp/my shot.png", Some(r"/tmp/my\ shot.png")));
        assert_eq!(draft(&model), r#"see @"/s/a b.png" and @"/tmp/my shot.png""#);
        assert_eq!(model.composer.draft().images(), 2);
        press(&mut model, 0, "<c-h>");
        assert_eq!(draft(&model), r#"see @"/s/a b.png" and "#, "one key takes all of it");
        press(&mut model, 0, "<c-_>x");
        assert_eq!(draft(&model), r#"see @"/s/a b.png" and @"/tmp/my shot.png"x"#);
        assert_eq!(mentions(draft(&model)).len(), 2);
    }

    #[test]
    fn what_is_gone_when_the_image_comes_is_not_put_back_and_none_is_said() {
        let mut model = idle();
        press(&mut model, 0, "a");
        reply(&mut model, image("/tmp/x.png", Some("/tmp/x.png")));
        reply(&mut model, Reply::Input(InputReply::NoImage("there is no image".to_owned())));
        assert_eq!(draft(&model), "a");
        assert!(matches!(last(&model), Cell::Remark(text) if text == "there is no image"));
        assert_eq!(update(&mut model, Moment(0), Msg::Paste("/tmp/x.rs".to_owned())), []);
    }

    #[test]
    fn an_edited_text_takes_the_place_of_the_draft_and_a_failure_leaves_it() {
        let mut model = idle();
        assert_eq!(press(&mut model, 0, "!ls<c-g>"), [Effect::EditOutside("!ls".to_owned())]);
        reply(&mut model, Reply::Input(InputReply::Edited(Err("no editor".to_owned()))));
        assert_eq!(draft(&model), "!ls");
        reply(&mut model, Reply::Input(InputReply::Edited(Ok("!ls -l".to_owned()))));
        assert_eq!((draft(&model), model.composer.mode()), ("!ls -l", InputMode::Shell));
        reply(&mut model, Reply::Input(InputReply::Edited(Ok("/usr is full".to_owned()))));
        assert_eq!(model.composer.mode(), InputMode::Prompt, "an editor begins no mode");
    }

    #[test]
    fn a_draft_is_kept_as_a_line_and_comes_back_before_what_is_typed() {
        let mut model = idle();
        press(&mut model, 0, "!ls");
        let effects = reply(&mut model, Reply::Input(InputReply::DraftDue));
        let [Effect::KeepDraft(line)] = effects.as_slice() else { panic!("a draft") };
        let line = line.clone();
        let mut model = idle();
        press(&mut model, 0, "x");
        reply(&mut model, Reply::Input(InputReply::DraftLeft(line)));
        assert_eq!(draft(&model), "!ls\nx");
        let mut model = idle();
        let kept = reply(&mut model, Reply::Input(InputReply::DraftDue));
        assert_eq!(kept, [Effect::KeepDraft(String::new())]);
    }
}
