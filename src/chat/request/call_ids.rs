//! Ids of calls in the form that an endpoint takes.
//!
//! Models and endpoints name calls as they like, and some take back only names like their own: a session that goes on with
//! another model would be refused. Pure. The surprising decision: an id is made of the old one alone, by a hash and not by
//! counting, so that the call and its answer agree without knowing of each other, and a conversation that is sent again
//! tomorrow is the same bytes. Two ids of one request become one by a chance of one in 10^10 with a thousand calls.

use std::borrow::Cow;

use super::dialect::CallIds;

/// `OpenAI`: "Expected a string with maximum length 40".
const LONGEST: usize = 40;

/// Of an id that must change, so much of its beginning stays, for whoever reads the request; a `_` and the hash follow.
const KEPT: usize = 23;

/// Mistral: "must be a-z, A-Z, 0-9, with a length of 9".
const NINE: usize = 9;

const LETTERS_AND_DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// `id` in that form; as it is where it fits.
pub(in crate::chat) fn form(id: &str, form: CallIds) -> Cow<'_, str> {
    match form {
        CallIds::AsGiven => Cow::Borrowed(id),
        CallIds::Short if (1..=LONGEST).contains(&id.len()) && id.chars().all(is_plain) => Cow::Borrowed(id),
        CallIds::Short => {
            let kept = id.chars().take(KEPT).map(|c| if is_plain(c) { c } else { '_' });
            Cow::Owned(format!("{}_{:016x}", kept.collect::<String>(), hash(id)))
        }
        CallIds::Nine if id.len() == NINE && id.chars().all(|c| c.is_ascii_alphanumeric()) => {
            Cow::Borrowed(id)
        }
        CallIds::Nine => Cow::Owned(nine(hash(id))),
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn nine(mut number: u64) -> String {
    let base = LETTERS_AND_DIGITS.len() as u64;
    let mut digit = || {
        let place = usize::try_from(number % base).unwrap_or_default();
        number /= base;
        LETTERS_AND_DIGITS.get(place).copied().map_or('0', char::from)
    };
    (0..NINE).map(|_| digit()).collect()
}

/// FNV-1a, stirred once more: the same on every machine and in every version, which the standard library's is not.
fn hash(text: &str) -> u64 {
    let plain = text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    let stirred = (plain ^ (plain >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    stirred ^ (stirred >> 33)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_id_that_fits_stays_as_it_is() {
        for id in ["call_1", "functions.Read:0", "", "äöü"] {
            assert_eq!(form(id, CallIds::AsGiven), id);
        }
        let longest = "a".repeat(40);
        for id in ["call_1", "toolu_01-x", "x", longest.as_str()] {
            assert_eq!(form(id, CallIds::Short), id);
        }
        assert_eq!(form("D681PevKs", CallIds::Nine), "D681PevKs");
    }

    #[test]
    fn an_id_that_does_not_fit_is_made_anew_and_always_the_same() {
        assert_eq!(form("functions.Read:0", CallIds::Short), "functions_Read_0_76a2df8874bb2a44");
        assert_eq!(form("call_1", CallIds::Nine), "FTjTpfz5a");
    }

    proptest! {
        #[test]
        fn every_id_takes_the_form(id in ".{0,60}") {
            let short = form(&id, CallIds::Short);
            prop_assert!((1..=40).contains(&short.len()) && short.chars().all(is_plain), "{short}");
            let nine = form(&id, CallIds::Nine);
            prop_assert!(nine.len() == 9 && nine.chars().all(|c| c.is_ascii_alphanumeric()), "{nine}");
        }

        #[test]
        fn different_ids_stay_different(ids in proptest::collection::hash_set("[a.:_]{0,3}|[a-z.]{50,52}", 0..50)) {
            for wanted in [CallIds::AsGiven, CallIds::Short, CallIds::Nine] {
                let formed: HashSet<Cow<'_, str>> = ids.iter().map(|id| form(id, wanted)).collect();
                prop_assert_eq!(formed.len(), ids.len());
            }
        }
    }
}
