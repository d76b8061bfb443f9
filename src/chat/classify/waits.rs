//! How long an endpoint wants to be left alone: out of a header, or out of its words.
//!
//! Pure: the time is an argument. A date counts from the answer's own `date`, which makes a wrong clock of this machine
//! harmless, and from that clock only where the answer has none. What cannot be read is no wait, and the caller chooses the pause.

use std::time::Duration;

/// In front of a wait in words, in lower case; the longer ones first where one begins like another.
const BEFORE: [&str; 9] = [
    "again in ",
    "again after ",
    "retry in ",
    "retry after ",
    "retry your request after ",
    "retry-after: ",
    "please wait ",
    "wait for ",
    "resets in ",
];

/// What people put between those words and the number.
const FILLERS: [&str; 6] = ["about ", "approximately ", "around ", "another ", "at least ", "~"];

/// Units with their length in milliseconds.
const UNITS: [(&str, f64); 20] = [
    ("ms", 1.0),
    ("millisecond", 1.0),
    ("milliseconds", 1.0),
    ("s", 1e3),
    ("sec", 1e3),
    ("secs", 1e3),
    ("second", 1e3),
    ("seconds", 1e3),
    ("m", 60e3),
    ("min", 60e3),
    ("mins", 60e3),
    ("minute", 60e3),
    ("minutes", 60e3),
    ("h", 3_600e3),
    ("hr", 3_600e3),
    ("hour", 3_600e3),
    ("hours", 3_600e3),
    ("d", 86_400e3),
    ("day", 86_400e3),
    ("days", 86_400e3),
];

/// What `retry-after-ms` or `retry-after` says; `header` gives a header by its name, `now_ms` is this machine's time.
pub(in crate::chat) fn retry_after<'a>(
    header: impl Fn(&str) -> Option<&'a str>,
    now_ms: u64,
) -> Option<Duration> {
    if let Some(milliseconds) = header("retry-after-ms").and_then(number) {
        return of_milliseconds(milliseconds);
    }
    let value = header("retry-after")?;
    // Two such headers in one line, as some proxies write them: the first counts. A date has a comma too, but no number
    // before it.
    if let Some(seconds) = value.split(',').next().and_then(number) {
        return of_milliseconds(seconds * 1e3);
    }
    let until = http_date(value)?;
    let now_ms = header("date").and_then(http_date).map_or(now_ms, |now| now.saturating_mul(1000));
    Some(Duration::from_millis(until.saturating_mul(1000).saturating_sub(now_ms)))
}

/// The wait that a text names: `try again in 20s`, `Please retry after 3 seconds`, `in 1m2.5s`.
pub(super) fn in_words(text: &str) -> Option<Duration> {
    let text = text.to_ascii_lowercase();
    BEFORE.into_iter().find_map(|words| {
        let behind = text.split_once(words)?.1.trim_start();
        let behind = FILLERS.into_iter().find_map(|filler| behind.strip_prefix(filler)).unwrap_or(behind);
        span(behind)
    })
}

/// The span of time at the beginning of `text`: `20s`, `1m2.5s`, `2 minutes and 3 seconds`.
pub(super) fn span(text: &str) -> Option<Duration> {
    let (mut rest, mut total, mut parts) = (text, 0.0, 0);
    while let Some((milliseconds, behind)) = part(rest) {
        total += milliseconds;
        parts += 1;
        let behind = behind.trim_start_matches([' ', ',']);
        rest = behind.strip_prefix("and ").unwrap_or(behind);
    }
    if parts == 0 { None } else { of_milliseconds(total) }
}

/// A number with its unit, in milliseconds, and what stands behind it.
fn part(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (digits, behind) = text.split_at_checked(end)?;
    let behind = behind.strip_prefix(' ').unwrap_or(behind);
    let end = behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len());
    let (name, behind) = behind.split_at_checked(end)?;
    let (_, length) = UNITS.iter().find(|(unit, _)| *unit == name)?;
    Some((number(digits)? * length, behind))
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| *number >= 0.0)
}

fn of_milliseconds(milliseconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(milliseconds / 1e3).ok()
}

/// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`, the one form of a date that is still sent.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.trim().split_once(", ")?.1.split(' ');
    let day: u64 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = (1..).zip(MONTHS).find(|(_, name)| *name == month)?.0;
    let year: u64 = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(|number| number.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let seconds = hour.checked_mul(3600)?.checked_add(minute.checked_mul(60)?)?.checked_add(second)?;
    days_since_1970(year, month, day)?.checked_mul(86400)?.checked_add(seconds)
}

/// Years are counted from March, so that a leap day is the last day of its year. None beyond four digits: a server that
/// writes such a year does not mean it.
fn days_since_1970(year: u64, month: u64, day: u64) -> Option<u64> {
    if year > 9999 || day > 31 {
        return None;
    }
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day;
    // That of 1 January 1970 in the same count.
    days.checked_sub(719_469)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// This machine's time: ten and a half seconds after the endpoint's.
    const NOW_MS: u64 = 784_111_787_500;

    #[test]
    fn a_wait_is_read_in_every_form() {
        #[track_caller]
        fn check(headers: &[(&str, &'static str)], expected: Option<u64>) {
            let header =
                |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
            assert_eq!(retry_after(header, NOW_MS), expected.map(Duration::from_millis), "{headers:?}");
        }
        check(&[], None);
        check(&[("retry-after", "2")], Some(2000));
        check(&[("retry-after", " 1.5 ")], Some(1500));
        check(&[("retry-after", "0")], Some(0));
        check(&[("retry-after", "86400")], Some(86_400_000));
        check(&[("retry-after", "2, 7")], Some(2000));
        for bad in ["-1", "abc", "", "1e400", "inf", "NaN", "2s", "18446744073709551616000"] {
            check(&[("retry-after", bad)], None);
        }
        check(&[("retry-after", "9"), ("retry-after-ms", "250")], Some(250));
        check(&[("retry-after", "9"), ("retry-after-ms", "soon")], Some(9000));
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        check(&[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"), date], Some(30_000));
        check(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), date], Some(0));
        check(&[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")], Some(19_500));
        check(&[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"), ("date", "now")], Some(19_500));
        check(&[("retry-after", "Sun, 06 Nov 1994 08:49:07 GMT")], Some(0));
        check(&[("retry-after", "Sun, 06 Nov 99999999999999999 08:50:07 GMT"), date], None);
    }

    #[test]
    fn a_wait_is_read_out_of_the_words() {
        #[track_caller]
        fn check(text: &str, expected: Option<u64>) {
            assert_eq!(in_words(text), expected.map(Duration::from_millis), "{text}");
        }
        check("Rate limit reached. Please try again in 20s.", Some(20_000));
        check("Please try again in 6ms. Visit", Some(6));
        check("try again in 1m2.5s", Some(62_500));
        check("Please try again in 9m38.016s. Need more tokens?", Some(578_016));
        check("Please try again in 1h30m", Some(5_400_000));
        check("Please retry after 3 seconds", Some(3000));
        check("Please retry after 1 second.", Some(1000));
        check("Please retry in 18.5s.", Some(18_500));
        check("Please wait 2 minutes and 3 seconds", Some(123_000));
        check("Try again in about 5 minutes, thanks", Some(300_000));
        check("try again in 2d", Some(172_800_000));
        for vague in
            ["try again in a moment", "try again in 5 attempts", "slow down", "in 20s", "retry after 7"]
        {
            check(vague, None);
        }
    }

    #[test]
    fn dates_are_counted_from_1970() {
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(http_date("Thu, 29 Feb 2024 12:00:00 GMT"), Some(1_709_208_000));
        assert_eq!(http_date("Sunday, 06-Nov-94 08:49:37 GMT"), None);
        assert_eq!(http_date("Wed, 31 Dec 1969 23:59:59 GMT"), None);
        assert_eq!(http_date("Sun, 06 Nov 1994 18446744073709551615:49:37 GMT"), None);
    }

    proptest! {
        #[test]
        fn no_text_can_break_it(text in "(try again in |wait )?[0-9.smhd é]{0,20}", header in ".{0,40}") {
            let _: Option<Duration> = in_words(&text);
            let header: &str = &header;
            let _: Option<Duration> = retry_after(|_| Some(header), NOW_MS);
        }
    }
}
