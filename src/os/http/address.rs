//! Which addresses are of the public internet, and what the others are.
//!
//! Pure: an address in, a word out; nobody is asked. IPv4 is public unless a range says otherwise, after the registry of
//! special-purpose addresses (RFC 6890 and its successors). The surprise: IPv6 is the other way round. Only `2000::/3` has
//! been given out, so whatever lies outside is not public, without a list; and where an address carries one of IPv4 inside,
//! that one decides.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Ranges of IPv4 that are not public: first address, length of the prefix, what it is.
const RANGES_V4: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::UNSPECIFIED, 8, "an address of this machine"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "a private address"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "a carrier-grade NAT address"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "an address of this machine"),
    // Azure's machines find their host there, with their credentials
    (Ipv4Addr::new(168, 63, 129, 16), 32, "a cloud metadata address"),
    // with the metadata of most clouds, 169.254.169.254
    (Ipv4Addr::new(169, 254, 0, 0), 16, "a link-local address"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "a private address"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "a reserved address"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "a documentation address"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a reserved address"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "a private address"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "a benchmarking address"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "a documentation address"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "a documentation address"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "a multicast address"),
    (Ipv4Addr::BROADCAST, 32, "a broadcast address"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "a reserved address"),
];

/// The same for IPv6: those outside of `2000::/3` for their names alone, those inside because they are exceptions.
const RANGES_V6: &[(Ipv6Addr, u32, &str)] = &[
    (Ipv6Addr::UNSPECIFIED, 128, "an address of this machine"),
    (Ipv6Addr::LOCALHOST, 128, "an address of this machine"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "a private address"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "a link-local address"),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "a site-local address"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "a multicast address"),
    // Teredo, measurements, ORCHID: whatever is tunnelled in there has an address of its own
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "a reserved address"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "a documentation address"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "a documentation address"),
];

/// Where an address of IPv4 stands inside one of IPv6: first address, length of the prefix, the bits behind that address.
const EMBEDDED: &[(Ipv6Addr, u32, u32)] = &[
    // mapped, translated (RFC 2765), NAT64, 6to4
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96, 0),
    (Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, 0, 0), 96, 0),
    (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96, 0),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, 80),
];

/// What an address is that no page of the public internet has, as in "it is …"; none where it is public.
pub(super) fn not_public(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => not_public_v4(address),
        IpAddr::V6(address) => not_public_v6(address),
    }
}

fn not_public_v4(address: Ipv4Addr) -> Option<&'static str> {
    let within = |first: &Ipv4Addr, bits: u32| (address.to_bits() ^ first.to_bits()).leading_zeros() >= bits;
    RANGES_V4.iter().find(|(first, bits, _)| within(first, *bits)).map(|(_, _, what)| *what)
}

fn not_public_v6(address: Ipv6Addr) -> Option<&'static str> {
    let within = |first: &Ipv6Addr, bits: u32| (address.to_bits() ^ first.to_bits()).leading_zeros() >= bits;
    if let Some((_, _, behind)) = EMBEDDED.iter().find(|(first, bits, _)| within(first, *bits)) {
        let inside = (address.to_bits() >> behind) & u128::from(u32::MAX);
        return not_public_v4(Ipv4Addr::from_bits(u32::try_from(inside).unwrap_or_default()));
    }
    let named = RANGES_V6.iter().find(|(first, bits, _)| within(first, *bits));
    let given_out = within(&Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
    named.map(|(_, _, what)| *what).or_else(|| (!given_out).then_some("a reserved address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(addresses: &str, expected: Option<&str>) {
        for address in addresses.split_whitespace() {
            assert_eq!(not_public(address.parse().unwrap()), expected, "{address}");
        }
    }

    #[test]
    fn addresses_of_the_internet_are_public() {
        check("1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.216.34 99.255.255.255", None);
        check("100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15 168.63.129.17", None);
        check(
            "169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.88.98.255",
            None,
        );
        check("192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 203.0.112.255", None);
        check("203.0.114.0 223.255.255.255", None);
        check(
            "2606:4700:4700::1111 2001:4860:4860::8888 2a00:1450:4001::200e 2001:200:: 2001:db7:ffff::",
            None,
        );
        check("2001:db9:: 3ffe:ffff:: 3fff:1000::", None);
    }

    #[test]
    fn what_is_not_public_is_told_by_its_kind() {
        check(
            "0.0.0.0 0.255.255.255 127.0.0.1 127.1.2.3 127.255.255.255",
            Some("an address of this machine"),
        );
        check("10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.1", Some("a private address"));
        check("100.64.0.0 100.100.100.200 100.127.255.255", Some("a carrier-grade NAT address"));
        check("168.63.129.16", Some("a cloud metadata address"));
        check("169.254.0.0 169.254.169.254 169.254.255.255", Some("a link-local address"));
        check("192.0.0.0 192.0.0.192 192.88.99.1 240.0.0.0 255.255.255.254", Some("a reserved address"));
        check("192.0.2.1 198.51.100.255 203.0.113.0", Some("a documentation address"));
        check("198.18.0.0 198.19.255.255", Some("a benchmarking address"));
        check("224.0.0.1 239.255.255.255", Some("a multicast address"));
        check("255.255.255.255", Some("a broadcast address"));
        check(":: ::1", Some("an address of this machine"));
        check("fc00:: fd00:ec2::254 fdff:ffff::1", Some("a private address"));
        check("fe80:: fe80::1 febf:ffff::1", Some("a link-local address"));
        check("fec0::1 feff::1", Some("a site-local address"));
        check("ff00:: ff02::1 ffff::1", Some("a multicast address"));
        check("2001:db8::1 2001:db8:ffff:: 3fff:: 3fff:fff:ffff::", Some("a documentation address"));
        check(
            "::2 ::8.8.8.8 100::1 64:ff9b:1::1 64:ff9b:0:0:0:1:808:808 1fff::1 4000::1",
            Some("a reserved address"),
        );
        check(
            "2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:20::1 2001:1ff::",
            Some("a reserved address"),
        );
    }

    #[test]
    fn an_address_inside_another_decides() {
        check("::ffff:8.8.8.8 ::ffff:0:8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::1", None);
        check(
            "::ffff:127.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 2002:7f00:1::",
            Some("an address of this machine"),
        );
        check("::ffff:a9fe:a9fe 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::1", Some("a link-local address"));
        check("::ffff:10.1.2.3 64:ff9b::192.168.1.1 2002:c0a8:101:5::9", Some("a private address"));
        // compatible addresses (RFC 4291, withdrawn) are none, whatever they carry
        check("::127.0.0.2 ::10.0.0.1 ::8.8.8.8", Some("a reserved address"));
    }
}
