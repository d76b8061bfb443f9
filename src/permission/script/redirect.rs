//! Redirections: the files that a command would open or empty, and the texts that come into it.

use super::{Reader, fields};

impl Reader<'_, '_> {
    /// What stands behind `<` and `>`.
    pub(super) fn redirection(&mut self) {
        let into = self.rest.next() == Some('>');
        let again = self.rest.next_if(|c| "<>|&".contains(*c));
        if !into && again == Some('<') {
            return self.document();
        }
        while self.rest.next_if(|c| " \t".contains(*c)).is_some() {}
        if matches!(self.rest.peek(), None | Some('\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>')) {
            return;
        }
        let signs = self.signs();
        let is_descriptor = |file: &str| file == "-" || file.chars().all(|c| c.is_ascii_digit());
        let files = fields::each(&signs, self.home());
        let files = files.into_iter().filter(|file| again != Some('&') || !is_descriptor(file));
        match (into, again) {
            (true, None | Some('|' | '&')) => self.draft.empties.extend(files),
            (true, Some(_)) | (false, Some('>')) => self.draft.grows.extend(files),
            (false, _) => self.draft.opens.extend(files),
        }
    }

    /// `<<WORD`, `<<-WORD`, `<<<WORD`.
    fn document(&mut self) {
        let is_string = self.rest.next_if_eq(&'<').is_some();
        self.rest.next_if_eq(&'-');
        while self.rest.next_if(|c| " \t".contains(*c)).is_some() {}
        let signs = self.signs();
        let text = fields::one(&signs, self.home());
        if is_string {
            self.draft.stdin = Some(text);
        } else if !text.is_empty() {
            let body = self.ahead(&text);
            self.draft.stdin.get_or_insert_default().push_str(&body);
            self.documents.push(text);
        }
    }

    /// The text of a here-document, which begins on the next line.
    fn ahead(&self, end: &str) -> String {
        let mut rest = self.rest.clone().skip_while(|c| *c != '\n').skip(1);
        body(&mut rest, end)
    }

    /// Copies the marker of a here-document, behind its first `<`; gives how the document ends.
    pub(super) fn marker(&mut self, text: &mut String) -> Option<String> {
        text.extend(self.rest.next());
        let mut end = String::new();
        while let Some(c) = self.rest.next_if(|c| !"\n;&|()>".contains(*c)) {
            text.push(c);
            match c {
                '<' => return None,
                '-' | ' ' | '\t' if end.is_empty() => {}
                ' ' | '\t' => break,
                '\'' | '"' | '\\' => {}
                c => end.push(c),
            }
        }
        (!end.is_empty()).then_some(end)
    }

    /// Copies a here-document, with the line that ends it.
    pub(super) fn copy_document(&mut self, end: &str, text: &mut String) {
        text.push_str(&body(&mut self.rest, end));
        text.push_str(end);
        text.push('\n');
    }

    /// Passes over the here-documents that the line before has announced.
    pub(super) fn documents(&mut self) {
        for end in std::mem::take(&mut self.documents) {
            body(&mut self.rest, &end);
        }
    }
}

/// The lines up to one that is `end`.
fn body(rest: &mut impl Iterator<Item = char>, end: &str) -> String {
    let (mut text, mut line) = (String::new(), String::new());
    loop {
        let next = rest.next();
        match next {
            Some(c) if c != '\n' => line.push(c),
            _ if line.trim_start_matches('\t') == end => return text,
            Some(_) => {
                text.push_str(&line);
                text.push('\n');
                line.clear();
            }
            None => return text + &line,
        }
    }
}
