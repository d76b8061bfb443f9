//! The rules in force, for whoever wants to see them or to take one back.
//!
//! Only what "don't ask again" has kept can be taken back here; every other rule is taken out where it stands, and each row
//! says where that is. A rule that is taken back is out of force at once, and out of the file.

use super::App;
use crate::error::{Error, Kind};
use crate::os::paths::Paths;
use crate::permission::{Policy, Rule, RuleFrom};

/// What is in force.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InForce {
    /// The permission mode.
    pub mode: String,
    /// How commands are held.
    pub hold: String,
    /// The rules, in the order in which they count.
    pub rules: Vec<RuleRow>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRow {
    /// `deny`, `ask` or `allow`.
    pub kind: &'static str,
    /// As it was written.
    pub rule: String,
    /// Where it stands.
    pub place: String,
    /// Whether it can be taken back here.
    pub removal: Removal,
}

/// Whether a rule can be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// Yes: the user granted it with "don't ask again".
    Possible,
    /// Only where it stands.
    Elsewhere,
}

impl App {
    /// What is in force.
    #[must_use]
    pub fn rules(&self, policy: &Policy) -> InForce {
        let rules = &policy.rules;
        let kinds = [("deny", &rules.deny), ("ask", &rules.ask), ("allow", &rules.allow)];
        let rows = kinds.into_iter().flat_map(|(kind, rules)| rules.iter().map(move |rule| (kind, rule)));
        InForce {
            mode: policy.mode.name().to_owned(),
            hold: policy.hold().words().to_owned(),
            rules: rows.map(|(kind, rule)| self.row(kind, rule)).collect(),
        }
    }

    fn row(&self, kind: &'static str, rule: &Rule) -> RuleRow {
        let (place, removal) = match rule.from() {
            RuleFrom::Grant => ("don't ask again, in this project".to_owned(), Removal::Possible),
            RuleFrom::Flag if kind == "deny" => ("--disallowed-tools".to_owned(), Removal::Elsewhere),
            RuleFrom::Flag => ("--allowed-tools".to_owned(), Removal::Elsewhere),
            RuleFrom::Configuration => (self.configuration(), Removal::Elsewhere),
            RuleFrom::Project(file) => (file.to_owned(), Removal::Elsewhere),
        };
        RuleRow { kind, rule: rule.to_string(), place, removal }
    }

    fn configuration(&self) -> String {
        let file = self.place.paths.as_ref().map(Paths::config_file);
        file.map_or_else(|| "the configuration".to_owned(), |file| file.display().to_string())
    }

    /// Keeps rules for this project and puts them into `policy`.
    ///
    /// # Errors
    /// Where one makes no sense, or cannot be kept; it is in force then all the same.
    pub fn remember(&self, policy: &mut Policy, rules: &[String]) -> Result<(), Error> {
        let rules: Result<Vec<Rule>, _> = rules.iter().map(|rule| rule.parse()).collect();
        let rules: Vec<Rule> = rules
            .map_err(|error| Error::new(Kind::Internal, format!("{error}")))?
            .into_iter()
            .map(|rule: Rule| rule.standing(RuleFrom::Grant))
            .collect();
        policy
            .rules
            .allow
            .extend(rules.iter().filter(|rule| !is_granted(policy, rule)).cloned().collect::<Vec<_>>());
        // the demonstration's directory goes, and a rule for it would stay
        if self.is_demo() { Ok(()) } else { self.told.grant(self.place.paths.as_ref(), &rules) }
    }

    /// Takes back a rule that "don't ask again" has kept for this project.
    ///
    /// # Errors
    /// Where the file cannot be written; for this session it is out of force then all the same.
    pub fn forget(&self, policy: &mut Policy, rule: &str) -> Result<(), Error> {
        policy.rules.allow.retain(|other| other.from() != RuleFrom::Grant || other.to_string() != rule);
        if self.is_demo() { Ok(()) } else { self.told.ungrant(self.place.paths.as_ref(), rule) }
    }
}

fn is_granted(policy: &Policy, rule: &Rule) -> bool {
    policy.rules.allow.iter().any(|other| other == rule && other.from() == RuleFrom::Grant)
}
