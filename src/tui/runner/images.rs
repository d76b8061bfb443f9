//! Images for the input, and texts for the clipboard of this machine: always beside the keys.

use super::{Done, Runner};
use crate::app::keep_image;
use crate::tui::effect::ImageWish;
use crate::tui::msg::{InputReply, Reply};

impl Runner {
    pub(super) fn image(&mut self, wish: ImageWish) -> Vec<Reply> {
        match wish {
            ImageWish::Look { pasted, path } => {
                let find = self.app.image_finder();
                self.beside(move || match find(&path) {
                    Some(path) => Done::Image(InputReply::Image { path, pasted: Some(pasted) }),
                    None => Done::Nothing,
                });
                Vec::new()
            }
            ImageWish::Paste => {
                let Some(conversation) = &self.conversation else { return Vec::new() };
                let (bench, clipboard) = (conversation.bench().clone(), self.clipboard());
                self.spawn(async move {
                    let kept = match clipboard.image().await {
                        Ok(bytes) => tokio::task::spawn_blocking(move || keep_image(&bench, &bytes))
                            .await
                            .map_err(std::io::Error::other)
                            .and_then(|kept| kept)
                            .map_err(|error| format!("cannot paste the image: {error}")),
                        Err(why) => Err(why),
                    };
                    Done::Image(match kept {
                        Ok(path) => InputReply::Image { path: path.display().to_string(), pasted: None },
                        Err(why) => InputReply::NoImage(why),
                    })
                });
                Vec::new()
            }
        }
    }

    /// Hands a text to the clipboard of this machine, where there is one.
    pub fn copy_here(&mut self, text: String) {
        let clipboard = self.clipboard();
        self.spawn(async move {
            clipboard.put(&text).await;
            Done::Nothing
        });
    }

    fn clipboard(&mut self) -> crate::app::Clipboard {
        self.clipboard.get_or_insert_with(|| self.app.clipboard()).clone()
    }
}
