//! Just enough HTTP/1.1 to read a client's request: pure, from the bytes that have come so far.
//!
//! A request that is not whole yet is `None`, not an error: more bytes will come.

/// One request as it came.
#[derive(Debug, PartialEq)]
pub(super) struct Incoming {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// Takes the first whole request off the front of `bytes`. Header names come in lower case.
pub(super) fn take_request(bytes: &mut Vec<u8>) -> Option<Incoming> {
    let head_end = find(bytes, b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut request_line = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
    let method = request_line.next().unwrap_or_default();
    let path = request_line.next().unwrap_or_default();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let rest = &bytes[head_end + 4..];
    let (body, used) = if header(&headers, "transfer-encoding").is_some() {
        take_chunks(rest)?
    } else {
        let length = header(&headers, "content-length").map_or(0, |length| length.parse().unwrap());
        (rest.get(..length)?.to_vec(), length)
    };
    bytes.drain(..head_end + 4 + used);
    Some(Incoming { method, path, headers, body })
}

/// The value of a header, whose name is given in lower case.
pub(super) fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// The body of a chunked message and how many bytes it took.
fn take_chunks(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (mut body, mut at) = (Vec::new(), 0);
    loop {
        let line = find(&bytes[at..], b"\r\n")?;
        let size = String::from_utf8_lossy(&bytes[at..at + line]).into_owned();
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        let start = at + line + 2;
        body.extend(bytes.get(start..start + size)?);
        at = start + size + 2;
        if at > bytes.len() {
            return None;
        }
        if size == 0 {
            return Some((body, at));
        }
    }
}

pub(super) fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_taken_only_when_it_is_whole() {
        for whole in [
            &b"POST /v1/x HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"[..],
            &b"POST /v1/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"[..],
        ] {
            for length in 0..whole.len() {
                let mut bytes = whole[..length].to_vec();
                assert_eq!(take_request(&mut bytes), None, "at {length}");
                assert_eq!(bytes.len(), length, "nothing is taken from an unfinished request");
            }
            let mut bytes = [whole, b"GET"].concat();
            let request = take_request(&mut bytes).unwrap();
            assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/x"));
            assert_eq!(request.body, b"hello");
            assert_eq!(bytes, b"GET", "what follows stays");
        }
    }

    #[test]
    fn header_names_are_found_in_lower_case() {
        let request = take_request(&mut b"GET / HTTP/1.1\r\nX-Team:  core \r\n\r\n".to_vec()).unwrap();
        assert_eq!(header(&request.headers, "x-team"), Some("core"));
        assert_eq!(header(&request.headers, "x-other"), None);
    }
}
