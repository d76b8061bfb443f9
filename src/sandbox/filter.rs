//! Decisions about system calls, written down as a program that the kernel runs before each of them.
//!
//! Not the decisions themselves, those are `seccomp`'s. The surprise: the calls are searched as in a dictionary and not one
//! after another, as compilers of such filters do it. When a filter is set, the kernel tries it with every call there is, to
//! know those that always pass; with a chain of seventy that takes a third of a millisecond at every start of a command.

use seccompiler::sock_filter;

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Allow,
    /// Not carried out; the caller gets this error.
    Fail(i32),
}

/// What is asked about an argument. Only its lower half is looked at, as the kernel does with the arguments asked about here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Is {
    Equal(u32),
    /// Equal in the bits of the first.
    Masked(u32, u32),
    /// With one of these bits at least.
    AnyOf(u32),
}

/// The verdict where an argument, counted from 0, is so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test(pub(super) u32, pub(super) Is, pub(super) Verdict);

/// What becomes of one system call: the first test that fits decides, else the verdict at the end.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) call: u32,
    pub(super) tests: Vec<Test>,
    pub(super) otherwise: Verdict,
}

// linux/bpf_common.h: load a word of the call's description, jump, and, return
const LOAD: u16 = 0x20;
const IF_EQUAL: u16 = 0x15;
const IF_NOT_LESS: u16 = 0x35;
const IF_ANY_BIT: u16 = 0x45;
const AND: u16 = 0x54;
const RETURN: u16 = 0x06;

// linux/seccomp.h, `struct seccomp_data`: where the number, the architecture and the lower half of an argument stand
const CALL: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;
const ARGUMENT_SIZE: u32 = 8;

/// linux/audit.h: the one kind of calls that the numbers here are of. On other machines nobody has tried this.
const OURS: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xc000_003e)
} else if cfg!(target_arch = "aarch64") {
    Some(0xc000_00b7)
} else {
    None
};

/// From here on x86-64 numbers its calls once more for programs with short pointers (asm/unistd.h, `__X32_SYSCALL_BIT`); no
/// other architecture has so many.
const SECOND_NUMBERS: u32 = 0x4000_0000;

/// The program for these rules; what they do not name passes. None on a machine whose calls have other numbers, and where the
/// rules are so many that a jump would be too short for them.
///
/// A call through another architecture's entry ends the process: its numbers mean something else.
pub(super) fn program(mut rules: Vec<Rule>) -> Option<Vec<sock_filter>> {
    rules.sort_by_key(|rule| rule.call);
    let mut program = vec![
        step(LOAD, ARCHITECTURE),
        jump(IF_EQUAL, OURS?, 1, 0),
        step(RETURN, libc::SECCOMP_RET_KILL_PROCESS),
        step(LOAD, CALL),
        jump(IF_NOT_LESS, SECOND_NUMBERS, 0, 1),
        ends(Verdict::Fail(libc::ENOSYS)),
    ];
    program.extend(search(&rules)?);
    Some(program)
}

/// Halves the rules until one is left.
fn search(rules: &[Rule]) -> Option<Vec<sock_filter>> {
    let (lower, upper) = rules.split_at(rules.len() / 2);
    let Some(middle) = upper.first() else { return Some(vec![ends(Verdict::Allow)]) };
    if lower.is_empty() {
        let body = body(middle);
        let over = u8::try_from(body.len()).ok()?;
        return Some([vec![jump(IF_EQUAL, middle.call, 0, over)], body, vec![ends(Verdict::Allow)]].concat());
    }
    let lower = search(lower)?;
    let over = u8::try_from(lower.len()).ok()?;
    Some([vec![jump(IF_NOT_LESS, middle.call, over, 0)], lower, search(upper)?].concat())
}

fn body(rule: &Rule) -> Vec<sock_filter> {
    let tests = rule.tests.iter().flat_map(|Test(argument, is, then)| {
        let load = step(LOAD, ARGUMENTS + ARGUMENT_SIZE * argument);
        let (and, compare) = match *is {
            Is::Equal(value) => (None, jump(IF_EQUAL, value, 0, 1)),
            Is::Masked(mask, value) => (Some(step(AND, mask)), jump(IF_EQUAL, value, 0, 1)),
            Is::AnyOf(bits) => (None, jump(IF_ANY_BIT, bits, 0, 1)),
        };
        [Some(load), and, Some(compare), Some(ends(*then))].into_iter().flatten()
    });
    tests.chain([ends(rule.otherwise)]).collect()
}

fn ends(verdict: Verdict) -> sock_filter {
    let value = match verdict {
        Verdict::Allow => libc::SECCOMP_RET_ALLOW,
        Verdict::Fail(error) => libc::SECCOMP_RET_ERRNO | error.cast_unsigned() & libc::SECCOMP_RET_DATA,
    };
    step(RETURN, value)
}

fn step(code: u16, k: u32) -> sock_filter {
    jump(code, k, 0, 0)
}

fn jump(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// What the kernel would do with a program, for tests.
#[cfg(test)]
pub(super) mod machine {
    use super::*;

    /// Runs the program on a call and gives what it returns.
    pub(in super::super) fn run(
        program: &[sock_filter],
        architecture: u32,
        call: u32,
        arguments: &[u32],
    ) -> u32 {
        let mut at = 0;
        let mut held = 0;
        loop {
            let sock_filter { code, jt, jf, k } = program[at].clone();
            let next = |so: bool| at + 1 + usize::from(if so { jt } else { jf });
            at = match code {
                LOAD => {
                    held = match k {
                        CALL => call,
                        ARCHITECTURE => architecture,
                        k => arguments[((k - ARGUMENTS) / ARGUMENT_SIZE) as usize],
                    };
                    at + 1
                }
                AND => {
                    held &= k;
                    at + 1
                }
                IF_EQUAL => next(held == k),
                IF_NOT_LESS => next(held >= k),
                IF_ANY_BIT => next(held & k != 0),
                RETURN => return k,
                code => panic!("no such step: {code:#x}"),
            };
        }
    }

    /// The same for a call of this architecture.
    pub(in super::super) fn verdict(program: &[sock_filter], call: u32, arguments: &[u32]) -> Verdict {
        match run(program, OURS.unwrap(), call, arguments) {
            libc::SECCOMP_RET_ALLOW => Verdict::Allow,
            value => Verdict::Fail((value & libc::SECCOMP_RET_DATA).cast_signed()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict::{Allow, Fail};
    use super::machine::{run, verdict};
    use super::*;

    fn plain(call: u32) -> Rule {
        Rule { call, tests: Vec::new(), otherwise: Fail(1) }
    }

    #[test]
    fn of_any_number_of_calls_each_is_found_and_no_other() {
        for count in 0..90 {
            let rules = (0..count).rev().map(|at| plain(at * 3 + 1)).collect();
            let program = program(rules).unwrap();
            for call in 0..300 {
                let expected = if call % 3 == 1 && call < count * 3 { Fail(1) } else { Allow };
                assert_eq!(verdict(&program, call, &[]), expected, "{call} of {count}");
            }
        }
    }

    #[test]
    fn the_first_test_that_fits_decides() {
        let tests = vec![
            Test(0, Is::Equal(7), Allow),
            Test(1, Is::AnyOf(0b110), Fail(2)),
            Test(2, Is::Masked(0xf, 1), Fail(3)),
        ];
        let program = program(vec![Rule { call: 5, tests, otherwise: Fail(9) }, plain(6)]).unwrap();
        for (arguments, expected) in [
            ([7, 6, 1], Allow),
            ([0, 2, 1], Fail(2)),
            ([0, 4, 0], Fail(2)),
            ([0, 9, 0xf1], Fail(3)),
            ([0, 1, 2], Fail(9)),
        ] {
            assert_eq!(verdict(&program, 5, &arguments), expected, "{arguments:?}");
        }
    }

    #[test]
    fn another_entry_into_the_kernel_leads_nowhere() {
        let program = program(vec![plain(5)]).unwrap();
        let (ours, absent) = (OURS.unwrap(), ends(Fail(libc::ENOSYS)).k);
        for (architecture, call, expected) in [
            // linux/audit.h: 32-bit calls of x86 and of ARM
            (0x4000_0003, 20, libc::SECCOMP_RET_KILL_PROCESS),
            (0x4000_0028, 20, libc::SECCOMP_RET_KILL_PROCESS),
            (ours, SECOND_NUMBERS | 0x27, absent),
            (ours, u32::MAX, absent),
            (ours, 0x27, libc::SECCOMP_RET_ALLOW),
        ] {
            assert_eq!(run(&program, architecture, call, &[]), expected, "{architecture:#x} {call:#x}");
        }
    }

    #[test]
    fn what_is_too_long_to_jump_over_is_no_program() {
        assert!(program((0..1000).map(plain).collect()).is_none());
    }
}
