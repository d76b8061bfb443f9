//! The view that a command gets, as a list of steps: what is shown where, from the top of the tree down.
//!
//! Values only: what is there on disk is asked of a [`Look`]. The base of the view is everything, read-only; each step
//! lays something over a path, and a later one over what an earlier one laid, so the order is by depth. The surprise is
//! the pin: what is protected below a directory is not protected if that directory can be renamed and made anew, so
//! every directory between is laid over itself, which changes nothing in it but that it cannot be moved.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::plan::{Network, Profile};

/// What is at a path, links not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Absent,
    Directory,
    /// Anything that is no directory: sockets and devices too.
    File,
    Link,
}

/// Tells what is at a path.
pub(super) type Look<'a> = &'a dyn Fn(&Path) -> Kind;

/// Something laid over a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The devices that every program may use, and a private place for shared memory.
    Devices,
    /// The host's own, as it is.
    Open(PathBuf),
    /// The host's own, and nothing of it can be changed.
    Closed(PathBuf),
    /// Nothing: an empty file or directory in the place of the host's.
    Hidden(PathBuf, Kind),
    /// An empty directory in which later steps show something.
    Thinned(PathBuf),
    /// The session's own temporary directory, or one that ends with the command.
    Temporary(PathBuf),
    /// A cache of some tool: what is written is kept apart.
    Cache(PathBuf),
}

impl Step {
    /// Where it is laid.
    pub(super) fn at(&self) -> &Path {
        match self {
            Self::Devices => Path::new("/dev"),
            Self::Open(at)
            | Self::Closed(at)
            | Self::Hidden(at, _)
            | Self::Thinned(at)
            | Self::Temporary(at)
            | Self::Cache(at) => at,
        }
    }
}

/// Whether the tree that all is laid over can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    ReadOnly,
    /// `/` itself is to be writable.
    Writable,
}

/// The whole view.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct View {
    pub(super) base: Base,
    pub(super) steps: Vec<Step>,
}

/// Where services of the host listen. A read-only view is no hindrance to speaking with them, and who may speak with
/// some of them is the superuser.
pub(super) const SERVICES: [&str; 5] = [
    "/run",
    "/var/run",
    "/var/snap/lxd/common/lxd/unix.socket",
    "/var/lib/lxd/unix.socket",
    "/var/lib/incus/unix.socket",
];

/// What is no service there: programs of some distributions, disks that were plugged in.
const STILL_SHOWN: [&str; 5] =
    ["/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/wrappers", "/run/media"];

/// What names are looked up with, where there is a network.
const NAMES: [&str; 5] = [
    "/run/systemd/resolve",
    "/run/resolvconf",
    "/run/NetworkManager/resolv.conf",
    "/run/connman/resolv.conf",
    "/run/nscd",
];

/// Where programs put what they need for a moment; the second one shows the same as the first.
pub(super) const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// The view of a profile.
pub(super) fn view(profile: &Profile, look: Look<'_>) -> View {
    let is_writable = |path: &Path| profile.writable.iter().any(|root| path.starts_with(root));
    let base = if is_writable(Path::new("/")) { Base::Writable } else { Base::ReadOnly };
    let is_directory = |path: &Path| look(path) == Kind::Directory;
    let mut steps = vec![Step::Devices];
    let temporary = TEMPORARY.map(PathBuf::from).into_iter();
    steps.extend(temporary.filter(|at| !is_writable(at) && is_directory(at)).map(Step::Temporary));
    steps.extend(roots(profile).map(Step::Open));
    let caches = profile.caches.iter().filter(|at| !is_writable(at) && is_directory(at));
    steps.extend(caches.cloned().map(Step::Cache));
    let is_masked = |at: &Path| profile.masked.iter().any(|masked| at.starts_with(masked));
    let is_open = |at: &PathBuf| profile.writable.contains(at) || (is_writable(at) && !is_masked(at));
    let shown = shown(profile.network).chain(profile.shown.iter().filter(|at| !is_open(at)).cloned());
    steps.extend(shown.filter(|at| look(at) != Kind::Absent).map(Step::Closed));
    steps.extend(protections(profile, look));
    let hidden = hidden(profile, look, &steps);
    steps.extend(hidden);
    // stable: of two at one depth the order above decides
    steps.sort_by_key(|step| step.at().components().count());
    View { base, steps }
}

/// The writable directories; one below another is the other's, unless something between is closed or hidden.
fn roots(profile: &Profile) -> impl Iterator<Item = PathBuf> {
    let between = |outer: &Path, inner: &Path| {
        let mut all = profile.protected.iter().chain(&profile.masked);
        all.any(|path| inner.starts_with(path) && path.starts_with(outer))
    };
    let is_other = move |inner: &PathBuf| {
        let mut outer = profile.writable.iter().filter(|outer| *outer != inner && inner.starts_with(outer));
        outer.any(|outer| !between(outer, inner))
    };
    let unique: BTreeSet<&PathBuf> = profile.writable.iter().collect();
    unique.into_iter().filter(move |root| root.as_path() != Path::new("/") && !is_other(root)).cloned()
}

fn shown(network: Network) -> impl Iterator<Item = PathBuf> {
    let names: &[&str] = match network {
        Network::Off => &[],
        Network::On => &NAMES,
    };
    STILL_SHOWN.iter().chain(names).map(PathBuf::from)
}

/// What is protected, and the directories in which it lies.
fn protections(profile: &Profile, look: Look<'_>) -> Vec<Step> {
    let mut pins = BTreeSet::new();
    let mut closed = BTreeSet::new();
    for path in &profile.protected {
        let Some(root) = nearest(&profile.writable, path) else { continue };
        if look(path) == Kind::Absent {
            continue;
        }
        let between = path.ancestors().skip(1).take_while(|at| *at != root);
        pins.extend(between.map(Path::to_path_buf));
        closed.insert(path.clone());
    }
    let pins = pins.difference(&closed).cloned().map(Step::Open).collect::<Vec<_>>();
    pins.into_iter().chain(closed.into_iter().map(Step::Closed)).collect()
}

/// The writable directory in which a path lies, if it is below one.
pub(super) fn nearest<'a>(roots: &'a [PathBuf], path: &Path) -> Option<&'a Path> {
    let below = roots.iter().filter(|root| path != *root && path.starts_with(root));
    below.max_by_key(|root| root.components().count()).map(PathBuf::as_path)
}

/// What cannot be seen. A directory in which something is shown after all is emptied rather than covered.
fn hidden(profile: &Profile, look: Look<'_>, shown: &[Step]) -> Vec<Step> {
    let services = SERVICES.iter().map(PathBuf::from);
    let all: BTreeSet<PathBuf> = services.chain(profile.masked.iter().cloned()).collect();
    let in_another = |path: &Path| path.ancestors().skip(1).any(|above| all.contains(above));
    let is_shown_in = |path: &Path| shown.iter().any(|step| step.at() != path && step.at().starts_with(path));
    let mut steps = Vec::new();
    for path in &all {
        match look(path) {
            // a link leads to where something else is shown or hidden
            Kind::Absent | Kind::Link => {}
            Kind::Directory if is_shown_in(path) => steps.push(Step::Thinned(path.clone())),
            _ if in_another(path) && !shown.iter().any(|step| path.starts_with(step.at())) => {}
            kind @ (Kind::Directory | Kind::File) => steps.push(Step::Hidden(path.clone(), kind)),
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Directories end with a slash, links with `@`.
    fn steps(profile: &Profile, there: &str) -> Vec<Step> {
        let look = |path: &Path| {
            let path = path.to_str().unwrap();
            let mut all = there.split(' ');
            all.find_map(|name| match (name.strip_suffix('/'), name.strip_suffix('@')) {
                (Some(directory), _) if directory == path => Some(Kind::Directory),
                (_, Some(link)) if link == path => Some(Kind::Link),
                (None, None) if name == path => Some(Kind::File),
                _ => None,
            })
            .unwrap_or(Kind::Absent)
        };
        view(profile, &look).steps
    }

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    fn at(names: &str) -> PathBuf {
        names.into()
    }

    #[test]
    fn what_is_protected_is_pinned_all_the_way_up_to_the_writable_directory() {
        let profile = Profile::writing([at("/w")]);
        let there = "/w/.git/ /w/.git/hooks/ /w/.git/config /w/.mcp.json";
        let expected = [
            Step::Devices,
            Step::Open(at("/w")),
            Step::Open(at("/w/.git")),
            Step::Closed(at("/w/.mcp.json")),
            Step::Closed(at("/w/.git/config")),
            Step::Closed(at("/w/.git/hooks")),
        ];
        assert_eq!(steps(&profile, there), expected);
    }

    #[test]
    fn what_is_only_looked_at_is_shown_where_all_around_is_private() {
        let profile = Profile { shown: paths(&["/tmp/w", "/gone"]), ..Profile::default() };
        let expected = [Step::Devices, Step::Temporary(at("/tmp")), Step::Closed(at("/tmp/w"))];
        assert_eq!(steps(&profile, "/tmp/ /tmp/w/"), expected);
        let written = Profile { shown: paths(&["/tmp/w"]), ..Profile::writing([at("/tmp/w")]) };
        assert!(steps(&written, "/tmp/ /tmp/w/").contains(&Step::Open(at("/tmp/w"))));
    }

    #[test]
    fn temporary_directories_are_private_unless_they_were_asked_for() {
        let there = "/tmp/ /var/tmp/";
        let private = |writable: &[&str]| {
            let profile = Profile { writable: paths(writable), ..Profile::default() };
            let steps = steps(&profile, there).into_iter();
            steps.filter(|step| matches!(step, Step::Temporary(_))).count()
        };
        for (writable, expected) in
            [(&[][..], 2), (&["/tmp/w"], 2), (&["/tmp"], 1), (&["/var"], 1), (&["/"], 0)]
        {
            assert_eq!(private(writable), expected, "{writable:?}");
        }
        let below = Profile { writable: paths(&["/tmp/w"]), ..Profile::default() };
        let steps = steps(&below, there);
        assert_eq!(steps.last(), Some(&Step::Open(at("/tmp/w"))), "shown in the private one");
    }

    #[test]
    fn a_hidden_directory_in_which_something_is_shown_is_thinned() {
        let profile = Profile { masked: paths(&["/h/.ssh", "/h/.netrc", "/h/none"]), ..Profile::default() };
        let there = "/run/ /run/current-system@ /run/systemd/resolve/ /h/.ssh/ /h/.netrc";
        let without = steps(&profile, "/run/ /h/.ssh/ /h/.netrc");
        let hidden = [
            Step::Devices,
            Step::Hidden(at("/run"), Kind::Directory),
            Step::Hidden(at("/h/.netrc"), Kind::File),
            Step::Hidden(at("/h/.ssh"), Kind::Directory),
        ];
        assert_eq!(without, hidden);
        let network = Profile { network: Network::On, ..profile };
        let with = steps(&network, there);
        assert!(with.contains(&Step::Thinned(at("/run"))), "{with:?}");
        assert!(with.contains(&Step::Closed(at("/run/systemd/resolve"))), "{with:?}");
        assert!(with.contains(&Step::Closed(at("/run/current-system"))), "a link is shown as one: {with:?}");
    }

    #[test]
    fn a_secret_in_a_cache_or_in_the_workspace_is_hidden_after_that_is_shown() {
        let profile = Profile {
            masked: paths(&["/c/token", "/w/.env"]),
            caches: paths(&["/c", "/w/cache", "/none"]),
            ..Profile::writing([at("/w")])
        };
        let steps = steps(&profile, "/c/ /w/cache/ /c/token /w/.env");
        let expected = [
            Step::Devices,
            Step::Open(at("/w")),
            Step::Cache(at("/c")),
            Step::Hidden(at("/c/token"), Kind::File),
            Step::Hidden(at("/w/.env"), Kind::File),
        ];
        assert_eq!(steps, expected);
    }

    #[test]
    fn a_writable_directory_in_another_is_shown_once_unless_something_lies_between() {
        let open = |profile: &Profile| {
            let steps = steps(profile, "/a/closed/").into_iter();
            steps.filter(|step| matches!(step, Step::Open(_))).count()
        };
        let profile = Profile { writable: paths(&["/a", "/a/b", "/ab", "/a"]), ..Profile::default() };
        assert_eq!(open(&profile), 2);
        let between =
            Profile { protected: paths(&["/a/closed"]), writable: paths(&["/a", "/a/closed/b"]), ..profile };
        assert_eq!(open(&between), 2);
    }
}
