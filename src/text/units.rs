//! Numbers as people read them: `3 s`, `18.2k`, `56 KB`, `1,234`, `12 %`.
//!
//! Not for machines: nothing here can be read back. All of it is integer arithmetic that rounds down, so that a
//! meter never claims more than there is and never jumps to `1000k` on the way to `1M`.

use std::time::Duration;

/// A span of time: `340 ms`, `3 s`, `2 m 10 s`, `14 m`, `1 h 5 m`. From ten minutes on seconds are noise.
pub fn duration(span: Duration) -> String {
    let seconds = span.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes, rest) {
        (0, 0, 0) => format!("{} ms", span.subsec_millis()),
        (0, 0, s) => format!("{s} s"),
        (0, 10.., _) | (0, _, 0) => format!("{minutes} m"),
        (0, m, s) => format!("{m} m {s} s"),
        (h, 0, _) => format!("{h} h"),
        (h, m, _) => format!("{h} h {m} m"),
    }
}

/// A count of tokens: `950`, `18.2k`, `128k`, `1.3M`.
pub fn tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => scaled(count, 1_000, 100, "k"),
        _ => scaled(count, 1_000_000, 100, "M"),
    }
}

/// A size in bytes, in powers of 1024: `512 B`, `1.2 KB`, `56 KB`, `1.2 MB`.
pub fn bytes(size: u64) -> String {
    const KB: u64 = 1024;
    match size {
        0..KB => format!("{size} B"),
        KB..0x10_0000 => scaled(size, KB, 10, " KB"),
        0x10_0000..0x4000_0000 => scaled(size, KB * KB, 10, " MB"),
        _ => scaled(size, KB * KB * KB, 10, " GB"),
    }
}

/// A whole number with its thousands set apart: `1,234`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number and its noun: `1 line`, `1,234 lines`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{} {noun}", count(number))
}

/// A share: `12 %`. A whole of nothing gives `0 %`.
pub fn percent(part: u64, whole: u64) -> String {
    let share = u128::from(part) * 100 / u128::from(whole.max(1));
    format!("{} %", if whole == 0 { 0 } else { share })
}

/// `number / unit` with one decimal below `whole_from` units; `.0` is left away.
fn scaled(number: u64, unit: u64, whole_from: u64, suffix: &str) -> String {
    let whole = number / unit;
    let tenths = number % unit * 10 / unit;
    if whole >= whole_from || tenths == 0 {
        format!("{whole}{suffix}")
    } else {
        format!("{whole}.{tenths}{suffix}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_drop_what_nobody_reads() {
        let check = |millis, expected: &str| assert_eq!(duration(Duration::from_millis(millis)), expected);
        check(0, "0 ms");
        check(340, "340 ms");
        check(3_900, "3 s");
        check(60_000, "1 m");
        check(130_000, "2 m 10 s");
        check(14 * 60_000 + 5_000, "14 m");
        check(3_600_000, "1 h");
        check(3_900_000, "1 h 5 m");
        check(100 * 3_600_000, "100 h");
    }

    #[test]
    fn tokens_round_down_and_never_reach_1000k() {
        let check = |number, expected: &str| assert_eq!(tokens(number), expected);
        check(0, "0");
        check(999, "999");
        check(1_000, "1k");
        check(18_249, "18.2k");
        check(99_999, "99.9k");
        check(128_000, "128k");
        check(999_999, "999k");
        check(1_300_000, "1.3M");
    }

    #[test]
    fn bytes_go_up_in_powers_of_1024() {
        let check = |number, expected: &str| assert_eq!(bytes(number), expected);
        check(0, "0 B");
        check(1_023, "1023 B");
        check(1_024, "1 KB");
        check(1_300, "1.2 KB");
        check(50 * 1024, "50 KB");
        check(1_300_000, "1.2 MB");
        check(5 << 30, "5 GB");
        check(u64::MAX, "17179869183 GB");
    }

    #[test]
    fn counts_are_grouped_and_agree_with_their_noun() {
        assert_eq!(count(7), "7");
        assert_eq!(count(123), "123");
        assert_eq!(count(1_234), "1,234");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(counted(1, "match", "matches"), "1 match");
        assert_eq!(counted(0, "match", "matches"), "0 matches");
    }

    #[test]
    fn shares_survive_an_empty_whole() {
        assert_eq!(percent(12, 100), "12 %");
        assert_eq!(percent(5, 0), "0 %");
        assert_eq!(percent(u64::MAX, 1), "1844674407370955161500 %");
    }
}
