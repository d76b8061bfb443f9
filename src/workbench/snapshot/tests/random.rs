//! The same for whatever a command may do.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use proptest::prelude::*;

use super::world::World;

/// One thing that a command may do: which, and to what.
type Deed = (u8, usize, usize);

const NAMES: [&str; 9] = ["a", "b", "c", "d/a", "d/b", "d/e/a", "d/e", "x/y", "d"];

/// Failures are no matter: a command fails as well.
fn carry_out(root: &Path, (deed, one, other): Deed, number: usize) {
    let (one, other) = (root.join(NAMES[one % NAMES.len()]), root.join(NAMES[other % NAMES.len()]));
    fs::create_dir_all(one.parent().unwrap()).ok();
    let is_file = |path: &Path| path.symlink_metadata().is_ok_and(|meta| meta.is_file());
    match deed {
        0 | 1 => drop(fs::write(&one, format!("{number}"))),
        2 => drop(fs::write(&one, "same")),
        3 => drop(fs::write(&one, "")),
        4 => drop(fs::remove_file(&one)),
        5 => drop(fs::remove_dir_all(&one)),
        6 | 7 => drop(fs::rename(&one, &other)),
        8 => drop(symlink(NAMES[number % NAMES.len()], &one)),
        9 if is_file(&one) => {
            let mode = [0o600, 0o644, 0o755, 0o444][number % 4];
            fs::set_permissions(&one, fs::Permissions::from_mode(mode)).unwrap();
        }
        10 => drop(fs::create_dir_all(&one)),
        11 if is_file(&one) => drop(fs::copy(&one, &other)),
        _ => drop(fs::hard_link(&one, &other)),
    }
}

fn deeds(most: usize) -> impl Strategy<Value = Vec<Deed>> {
    prop::collection::vec((0_u8..13, 0_usize..9, 0_usize..9), 0..most)
}

/// Commands one after the other, each put back, with changes by hand in between.
fn check(world: &World, by_hand: &[Vec<Deed>], commands: &[Vec<Deed>]) -> Result<(), TestCaseError> {
    let mut number = 0;
    let mut run = |deeds: &[Deed]| {
        for deed in deeds {
            number += 1;
            carry_out(&world.root, *deed, number);
        }
    };
    for (by_hand, command) in by_hand.iter().zip(commands) {
        run(by_hand);
        let before = world.picture();
        let saved = world.command(|| run(command));
        world.restore(&saved);
        prop_assert_eq!(&world.picture(), &before, "{:?}", saved);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_commands_do_it_can_be_put_back(
        by_hand in prop::collection::vec(deeds(12), 3),
        commands in prop::collection::vec(deeds(12), 3),
    ) {
        check(&World::plain(""), &by_hand, &commands)?;
    }

    #[test]
    fn whatever_commands_do_in_a_repository_it_can_be_put_back(
        first in deeds(20),
        by_hand in prop::collection::vec(deeds(6), 2),
        commands in prop::collection::vec(deeds(12), 2),
    ) {
        let world = World::plain("git init -q .");
        for (number, deed) in first.iter().enumerate() {
            carry_out(&world.root, *deed, number);
        }
        world.commit();
        check(&world, &by_hand, &commands)?;
    }
}
