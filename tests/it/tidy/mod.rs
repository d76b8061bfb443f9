//! The house stays as it is drawn: who may import whom, what is pure, whose a crate is, how a file begins and ends.
//!
//! The sources are read as text ([`reader`]) and held against tables ([`plan`]) by one function a law ([`laws`]). Not a
//! linter: what clippy can say, clippy says. A table that no longer fits is changed in the commit that moves the wall, and that
//! commit says why. In `tests` every law is shown a small tree that breaks it.

mod laws;
mod plan;
mod reader;
mod tests;

use std::sync::LazyLock;

use reader::Tree;

static PROJECT: LazyLock<Tree> = LazyLock::new(Tree::of_this_project);

#[test]
fn the_plan_goes_one_way_and_the_library_is_read_in_its_order() {
    hold(laws::order);
}

#[test]
fn a_room_imports_only_what_it_may() {
    hold(laws::rooms);
}

#[test]
fn the_screen_keeps_its_inner_walls() {
    hold(laws::screen);
}

#[test]
fn pure_files_do_not_name_the_world() {
    hold(laws::purity);
}

#[test]
fn every_crate_is_used_and_stays_at_home() {
    hold(laws::crates);
}

#[test]
fn nobody_but_the_user_says_yes_to_a_project() {
    hold(laws::trust);
}

#[test]
fn every_file_says_what_it_is() {
    hold(laws::heads);
}

#[test]
fn no_file_is_too_long() {
    hold(laws::lengths);
}

#[test]
fn the_project_speaks_of_itself_alone() {
    hold(laws::words);
}

/// Fails with every place where the project breaks `law`.
fn hold(law: fn(&Tree) -> Vec<String>) {
    let broken = law(&PROJECT);
    assert!(broken.is_empty(), "{} of the house's walls are broken:\n{}", broken.len(), broken.join("\n"));
}
