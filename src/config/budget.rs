//! What a session may use (`max_cost`, `max_tokens`), and what models cost (`[prices.NAME]`).
//!
//! Prices are dollars for a million tokens, as makers list them. The surprise: a price is that of a model by its exact name; what is
//! named here is believed, whatever the endpoint.

use std::collections::BTreeMap;

use super::file::{KEYS, unsigned};
use super::reader::Section;
use super::{ConfigError, Sourced};
use crate::protocol::Price;

/// Keys of a price.
pub(super) const PRICE_KEYS: [&str; 3] = ["input", "output", "cached"];

/// What a file says of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileBudget {
    /// `max_cost`, in dollars.
    pub max_cost: Option<f64>,
    /// `max_tokens`.
    pub max_tokens: Option<u64>,
    /// `[prices]`, by model.
    pub prices: BTreeMap<String, Price>,
}

/// What a session may use, and what models cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    /// Dollars; 0 is no limit.
    pub max_cost: Sourced<f64>,
    /// Tokens sent and received; 0 is no limit.
    pub max_tokens: Sourced<u64>,
    /// By the exact name of a model.
    pub prices: BTreeMap<String, Price>,
}

/// Reads the keys and the tables, and what is odd about them.
pub(super) fn read(root: &Section<'_>) -> Result<(FileBudget, Vec<String>), ConfigError> {
    let (prices, warnings) = prices(root)?;
    let budget = FileBudget {
        max_cost: amount(root, "max_cost", "max_cost = 5.0")?,
        max_tokens: unsigned(root.whole("max_tokens", 0..=i64::MAX, "max_tokens = 2000000")?),
        prices,
    };
    Ok((budget, warnings))
}

fn prices(root: &Section<'_>) -> Result<(BTreeMap<String, Price>, Vec<String>), ConfigError> {
    let (mut prices, mut warnings) = (BTreeMap::new(), Vec::new());
    let Some(tables) = root.section("prices")? else { return Ok((prices, warnings)) };
    for name in tables.keys() {
        let Some(table) = tables.section(&name)? else { continue };
        warnings.extend(table.unknown(&PRICE_KEYS, &KEYS));
        let price = |key: &str, example: &str| amount(&table, key, example);
        let (input, output) = (price("input", "input = 0.3")?, price("output", "output = 1.2")?);
        let (Some(input), Some(output)) = (input, output) else {
            return Err(
                tables.refuse(&name, "`input` or `output` is missing (try `input = 0.3` and `output = 1.2`)")
            );
        };
        let cached = price("cached", "cached = 0.03")?.unwrap_or(input);
        prices.insert(name, Price { input, output, cached });
    }
    Ok((prices, warnings))
}

/// An amount of dollars.
fn amount(table: &Section<'_>, key: &str, example: &str) -> Result<Option<f64>, ConfigError> {
    match table.number(key, example)? {
        Some(value) if value < 0.0 => {
            Err(table.refuse(key, &format!("it must not be negative (try `{example}`)")))
        }
        value => Ok(value),
    }
}

/// What the options, the file and the defaults mean together.
pub(super) fn fold((max_cost, max_tokens): (Option<f64>, Option<u64>), file: FileBudget) -> Budget {
    Budget {
        max_cost: super::layers::pick(max_cost, file.max_cost, 0.0),
        max_tokens: super::layers::pick(max_tokens, file.max_tokens, 0),
        prices: file.prices,
    }
}

impl Budget {
    /// Dollars, where there is a limit.
    #[must_use]
    pub fn cost_limit(&self) -> Option<f64> {
        Some(self.max_cost.value).filter(|limit| *limit > 0.0)
    }

    /// Tokens, where there is a limit.
    #[must_use]
    pub fn token_limit(&self) -> Option<u64> {
        Some(self.max_tokens.value).filter(|limit| *limit > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::{Origin, parse};

    #[test]
    fn limits_and_prices_are_read() {
        let text = "max_cost = 5\nmax_tokens = 2_000_000\n[prices.\"a/b-1.5\"]\ninput = 0.3\noutput = 1.2\ncached = 0.03\n\
                    [prices.c]\ninput = 1\noutput = 2\n";
        let file = parse(Path::new("/c/config.toml"), text).unwrap();
        assert_eq!(file.warnings, [""; 0]);
        let over = fold((Some(0.5), Some(7)), file.budget.clone());
        assert_eq!(
            (over.cost_limit(), over.token_limit()),
            (Some(0.5), Some(7)),
            "an option is above the file"
        );
        let budget = fold((None, None), file.budget);
        assert_eq!((budget.cost_limit(), budget.token_limit()), (Some(5.0), Some(2_000_000)));
        assert_eq!(budget.max_cost.origin, Origin::UserFile);
        assert_eq!(budget.prices["a/b-1.5"], Price { input: 0.3, output: 1.2, cached: 0.03 });
        assert_eq!(
            budget.prices["c"],
            Price { input: 1.0, output: 2.0, cached: 1.0 },
            "nothing is said of a cache"
        );
        let none = fold((None, None), FileBudget::default());
        assert_eq!((none.cost_limit(), none.token_limit()), (None, None));
    }

    #[test]
    fn a_wrong_value_names_its_place_and_its_cure() {
        let check = |text: &str, expected: &str| {
            let error = parse(Path::new("c.toml"), text).unwrap_err().to_string();
            assert!(error.ends_with(expected), "{error}");
        };
        check("max_cost = -1", "it must not be negative (try `max_cost = 5.0`)");
        check("max_cost = \"5\"", "(try `max_cost = 5.0`)");
        check("max_tokens = -1", "(try `max_tokens = 2000000`)");
        check(
            "[prices.m]\ninput = 1",
            "`input` or `output` is missing (try `input = 0.3` and `output = 1.2`)",
        );
        check("[prices.m]\ninput = 1\noutput = -2", "it must not be negative (try `output = 1.2`)");
        let warned =
            parse(Path::new("c.toml"), "[prices.m]\ninput = 1\noutput = 2\noutptu = 3").unwrap().warnings;
        assert!(warned[0].contains("did you mean"), "{warned:?}");
    }
}
