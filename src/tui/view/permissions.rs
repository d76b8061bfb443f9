//! The rules in force, in the place of the input.
//!
//! A rule stands whole where there is room for it; where there is not, the place where it stands gives way first.

use ratatui::text::{Line, Span};

use super::brush::{Brush, DOT, Fact, INDENT, Pane, SIGN, one_line, push_fitting, reveal};
use super::theme::Role;
use super::wrap::{fit, width};
use crate::app::RuleRow;
use crate::tui::model::permissions::Permissions;

/// Rows of the list.
const MOST: usize = 10;
/// The longest of `allow`, `ask` and `deny`, and the space behind it.
const KIND: usize = 7;
/// Columns for rules: longer ones move what stands behind them.
const RULE: usize = 32;

/// The open list in at most `room` rows.
pub(super) fn pane(open: &Permissions, room: usize, brush: Brush) -> Pane {
    let mut lines = vec![title(open, brush)];
    let said = |said: &String| {
        let line = brush.line(one_line(&reveal(said)), Role::Warn);
        brush.paragraph(&line, Span::raw(INDENT), INDENT)
    };
    let said: Vec<_> = open.said.iter().flat_map(said).collect();
    let most = room.saturating_sub(lines.len() + said.len() + 1).clamp(1, MOST);
    let rules = open.rules();
    let top = (open.focus + 1).saturating_sub(most);
    for (index, row) in rules.iter().enumerate().skip(top).take(most) {
        lines.push(rule(row, index == open.focus, brush));
    }
    if rules.is_empty() && open.in_force.is_some() {
        lines.push(brush.line(format!("{INDENT}no rules; the permission mode applies"), Role::Dim));
    }
    lines.extend(said);
    let left = rules.len().saturating_sub(most);
    let fact = |words: String| Fact::new(brush.span(words, Role::Dim));
    let mut keys = vec![fact(format!("{INDENT}d: revoke a saved rule")), fact("Esc: close".to_owned())];
    keys.extend((left > 0).then(|| fact(format!("{left} more")).rank(1)));
    lines.push(brush.facts(keys));
    lines.truncate(room.max(1));
    Pane { lines: lines.iter().map(|line| fit(line, brush.columns)).collect(), cursor: None }
}

fn title(open: &Permissions, brush: Brush) -> Line<'static> {
    let mut line = Line::from(brush.span("Permissions", Role::Plain));
    if let Some(in_force) = &open.in_force {
        let facts = format!("{DOT}{}{DOT}{}", in_force.mode, in_force.hold);
        push_fitting(&mut line, brush.span(facts, Role::Dim), brush.columns);
    }
    line
}

fn rule(row: &RuleRow, has_focus: bool, brush: Brush) -> Line<'static> {
    let (sign, role) = if has_focus { (SIGN, Role::Accent) } else { (INDENT, Role::Plain) };
    let rule = one_line(&reveal(&row.rule));
    let gap = RULE.saturating_sub(width(&rule)).max(2);
    let mut line = Line::from(vec![
        brush.span(sign, Role::Accent),
        brush.span(format!("{:KIND$}", row.kind), Role::Dim),
        brush.span(rule, role),
    ]);
    let place = format!("{:gap$}{}", "", one_line(&row.place));
    if line.width() + gap < brush.columns {
        line.push_span(brush.span(place, Role::Dim));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, BRUSH, text};
    use super::*;
    use crate::app::{InForce, Removal};

    fn open(rules: &[(&'static str, &str, &str)]) -> Permissions {
        let rules = rules.iter().map(|(kind, rule, place)| RuleRow {
            kind,
            rule: (*rule).to_owned(),
            place: (*place).to_owned(),
            removal: Removal::Possible,
        });
        let in_force = InForce {
            mode: "default".to_owned(),
            hold: "sandboxed: can write to the workspace, no network".to_owned(),
            rules: rules.collect(),
        };
        Permissions { in_force: Some(in_force), ..Permissions::default() }
    }

    fn usual() -> Permissions {
        open(&[
            ("deny", "Read(./.env)", "/home/me/.config/clawd/config.toml"),
            ("ask", "Bash(git push:*)", "/home/me/.config/clawd/config.toml"),
            ("allow", "Bash(ls:*)", "--allowed-tools"),
            ("allow", "Bash(cargo test:*)", "don't ask again, in this project"),
            ("allow", "Bash(sh check.sh --with every --option there is)", "don't ask again, in this project"),
        ])
    }

    #[track_caller]
    fn check(open: &Permissions, (columns, room): (usize, usize), expected: &str) {
        let pane = pane(open, room, Brush { columns, ..BRUSH });
        assert!(pane.lines.len() <= room);
        testing::check(&text(&pane.lines), expected);
    }

    #[test]
    fn every_rule_has_its_kind_and_its_place() {
        let mut open = usual();
        open.focus = 3;
        check(
            &open,
            (120, 19),
            "Permissions · default · sandboxed: can write to the workspace, no network
  deny   Read(./.env)                    /home/me/.config/clawd/config.toml
  ask    Bash(git push:*)                /home/me/.config/clawd/config.toml
  allow  Bash(ls:*)                      --allowed-tools
❯ allow  Bash(cargo test:*)              don't ask again, in this project
  allow  Bash(sh check.sh --with every --option there is)  don't ask again, in this project
  d: revoke a saved rule · Esc: close",
        );
        open.said = Some("revoked: Bash(a)".to_owned());
        check(
            &open,
            (80, 6),
            "Permissions · default · sandboxed: can write to the workspace, no network
  ask    Bash(git push:*)                /home/me/.config/clawd/config.toml
  allow  Bash(ls:*)                      --allowed-tools
❯ allow  Bash(cargo test:*)              don't ask again, in this project
  revoked: Bash(a)
  d: revoke a saved rule · Esc: close · 2 more",
        );
        check(
            &usual(),
            (40, 4),
            "Permissions · default · sandboxed: can …
❯ deny   Read(./.env)
  ask    Bash(git push:*)
  d: revoke a saved rule · Esc: close",
        );
    }

    #[test]
    fn without_rules_the_mode_decides() {
        check(
            &open(&[]),
            (80, 11),
            "Permissions · default · sandboxed: can write to the workspace, no network
  no rules; the permission mode applies
  d: revoke a saved rule · Esc: close",
        );
        check(&Permissions::default(), (80, 11), "Permissions\n  d: revoke a saved rule · Esc: close");
    }
}
