//! The loopback of a network that has nothing else.
//!
//! A new network begins with its loopback down, and then a server and its test on 127.0.0.1 do not meet. The surprise:
//! this is asked of the kernel in a message, as `ip link set lo up` does, and it answers in one.

use std::io;

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with};

/// netlink(7), rtnetlink(7): the header, then `ifinfomsg`.
const SIZE: u32 = 32;
const SET_LINK: u16 = 16;
const REQUEST_AND_ANSWER: u16 = 1 | 4;
/// A network's loopback is its first device, always.
const LOOPBACK: i32 = 1;
const UP: u32 = 1;

/// Sets it up.
pub(super) fn raise_loopback() -> io::Result<()> {
    // `None` is NETLINK_ROUTE, the first of its protocols
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    send(&socket, &request(), SendFlags::empty())?;
    let mut answer = [0; 64];
    recv(&socket, &mut answer, RecvFlags::empty())?;
    match answer.get(16..20).and_then(|bytes| bytes.try_into().ok()).map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(error) => Err(io::Error::from_raw_os_error(-error)),
        None => Err(io::ErrorKind::InvalidData.into()),
    }
}

fn request() -> Vec<u8> {
    let mut message = Vec::new();
    message.extend(SIZE.to_ne_bytes());
    message.extend(SET_LINK.to_ne_bytes());
    message.extend(REQUEST_AND_ANSWER.to_ne_bytes());
    message.extend([0; 8]);
    message.extend([0; 4]);
    message.extend(LOOPBACK.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message
}
