//! Secrets that the program was started with, taken out of what the system shows of it.
//!
//! The kernel shows a process's first arguments to everybody, and its first environment to the superuser (proc(5), `cmdline`
//! and `environ`), from the memory in which they were handed over. What is secret there becomes zeroes, once it was read.
//! The surprise: the memory is written as a file, `/proc/self/mem`, so nothing here is unsafe.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use super::env::is_secret_name;

/// The option whose value is a key.
const KEY_OPTION: &[u8] = b"--api-key";

/// More than any system hands over.
const MOST: u64 = 8 * 1024 * 1024;

/// Wipes the values of variables whose names say "secret", and the key on the command line. For the beginning, while there is
/// one thread, and before the memory is hidden from ourselves too. What cannot be wiped stays.
pub fn secrets() {
    let Some([arguments, variables]) = fs::read_to_string("/proc/self/stat").ok().as_deref().and_then(places)
    else {
        return;
    };
    let Ok(memory) = File::options().read(true).write(true).open("/proc/self/mem") else { return };
    wipe(&memory, arguments, keys_of_options).ok();
    wipe(&memory, variables, secret_values).ok();
}

/// Where the arguments and the environment are, in addresses (proc(5): the fields 48 to 51, the third stands after the name).
fn places(stat: &str) -> Option<[Range<u64>; 2]> {
    let mut fields = stat.rsplit_once(") ")?.1.split_whitespace().skip(45).map(str::parse);
    let mut next = || fields.next()?.ok();
    let [arguments, end, variables, last] = [next()?, next()?, next()?, next()?];
    Some([arguments..end, variables..last])
}

fn wipe(memory: &File, place: Range<u64>, secret: fn(&[u8]) -> Vec<Range<usize>>) -> io::Result<()> {
    let length = place.end.saturating_sub(place.start).min(MOST);
    let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
    memory.read_exact_at(&mut bytes, place.start)?;
    for range in secret(&bytes) {
        memory.write_all_at(&vec![0; range.len()], place.start + range.start as u64)?;
    }
    Ok(())
}

/// The texts between zeroes, each with its place.
fn texts(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    bytes.split(|byte| *byte == 0).map(move |text| {
        let start = at;
        at += text.len() + 1;
        (start, text)
    })
}

fn keys_of_options(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut is_key = false;
    for (at, text) in texts(bytes) {
        let joined = text.strip_prefix(KEY_OPTION).and_then(|rest| rest.strip_prefix(b"="));
        match joined {
            Some(key) => found.push(at + text.len() - key.len()..at + text.len()),
            None if is_key => found.push(at..at + text.len()),
            None => {}
        }
        is_key = text == KEY_OPTION;
    }
    found
}

fn secret_values(bytes: &[u8]) -> Vec<Range<usize>> {
    let secret = |(at, text): (usize, &[u8])| {
        let equals = text.iter().position(|byte| *byte == b'=')?;
        let (name, _) = text.split_at_checked(equals)?;
        is_secret_name(&String::from_utf8_lossy(name)).then_some(at + equals + 1..at + text.len())
    };
    texts(bytes).filter_map(secret).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wiped(bytes: &[u8], secret: fn(&[u8]) -> Vec<Range<usize>>) -> String {
        let mut bytes = bytes.to_vec();
        for range in secret(&bytes) {
            bytes[range].fill(b'.');
        }
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn secrets_are_found_in_arguments_and_environment() {
        let arguments = b"clawd\0-p\0--api-key\0sk-1\0--api-key=sk-2\0--api-key-x\0go\0";
        let expected = "clawd\0-p\0--api-key\0....\0--api-key=....\0--api-key-x\0go\0";
        assert_eq!(wiped(arguments, keys_of_options), expected);
        let variables = b"HOME=/h\0CLAWD_API_KEY=sk-1\0X_TOKEN=a=b\0odd\0";
        assert_eq!(wiped(variables, secret_values), "HOME=/h\0CLAWD_API_KEY=....\0X_TOKEN=...\0odd\0");
    }

    #[test]
    fn the_places_are_those_of_this_process() {
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let [arguments, variables] = places(&stat).unwrap();
        let memory = File::open("/proc/self/mem").unwrap();
        let read = |place: Range<u64>| {
            let mut bytes = vec![0; usize::try_from(place.end - place.start).unwrap()];
            memory.read_exact_at(&mut bytes, place.start).unwrap();
            bytes
        };
        assert_eq!(read(arguments), fs::read("/proc/self/cmdline").unwrap());
        assert!(read(variables).starts_with(&fs::read("/proc/self/environ").unwrap()));
    }
}
