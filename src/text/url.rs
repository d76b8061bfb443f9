//! Addresses in a text, for showing it: without who logs in, since that may be a token.

use std::borrow::Cow;

/// What ends the authority of an address.
const ENDS: [char; 9] = ['/', '?', '#', ' ', ',', '"', '\'', '\\', '\n'];

/// `text` with `***` for the user name and password of each address, except for `git@`, which names an account of everybody.
#[must_use]
pub fn without_userinfo(text: &str) -> Cow<'_, str> {
    let mut parts = text.split("://");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for rest in parts {
        let authority = rest.split(ENDS).next().unwrap_or_default();
        let host = match authority.rsplit_once('@') {
            Some((who, host)) if !who.is_empty() && who != "git" => Some(host),
            Some(_) | None => None,
        };
        let after = rest.strip_prefix(authority).unwrap_or_default();
        shown.push_str("://");
        shown.push_str(&host.map_or_else(|| authority.to_owned(), |host| format!("***@{host}")));
        shown.push_str(after);
    }
    if shown == text { Cow::Borrowed(text) } else { Cow::Owned(shown) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_in_an_address_is_not_shown() {
        let check = |text: &str, expected: &str| assert_eq!(without_userinfo(text), expected, "{text}");
        check("https://ghp_abc@h.example/r", "https://***@h.example/r");
        check("a https://me:to@ken@h:8/r?x=a@b, ssh://git@h/r", "a https://***@h:8/r?x=a@b, ssh://git@h/r");
        check("url.https://me:x@h/.insteadof = https://h/", "url.https://***@h/.insteadof = https://h/");
        check("https://h/a@b git@h:r ext::sh -c x://", "https://h/a@b git@h:r ext::sh -c x://");
        check("", "");
    }
}
