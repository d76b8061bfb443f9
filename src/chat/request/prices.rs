//! What models cost at their makers, by their exact names.
//!
//! Dollars for a million tokens, as the makers' price lists had them at the end of 2025; what is configured wins. The surprising
//! decision: a price holds at the maker's own address alone. The same name at another host may cost more, less or
//! nothing, and a cost that is unknown is better than one that is wrong.

use crate::protocol::Price;

const OPENAI: &str = "api.openai.com";
const ANTHROPIC: &str = "api.anthropic.com";

/// Host, model, and dollars for what is sent, what is received, and what came from the cache.
const PRICES: [(&str, &str, [f64; 3]); 19] = [
    (OPENAI, "gpt-5", [1.25, 10.0, 0.125]),
    (OPENAI, "gpt-5-mini", [0.25, 2.0, 0.025]),
    (OPENAI, "gpt-5-nano", [0.05, 0.4, 0.005]),
    (OPENAI, "gpt-4.1", [2.0, 8.0, 0.5]),
    (OPENAI, "gpt-4.1-mini", [0.4, 1.6, 0.1]),
    (OPENAI, "gpt-4.1-nano", [0.1, 0.4, 0.025]),
    (OPENAI, "gpt-4o", [2.5, 10.0, 1.25]),
    (OPENAI, "gpt-4o-mini", [0.15, 0.6, 0.075]),
    (OPENAI, "o3", [2.0, 8.0, 0.5]),
    (OPENAI, "o3-mini", [1.1, 4.4, 0.55]),
    (OPENAI, "o4-mini", [1.1, 4.4, 0.275]),
    (ANTHROPIC, "claude-opus-4-1", [15.0, 75.0, 1.5]),
    (ANTHROPIC, "claude-opus-4-1-20250805", [15.0, 75.0, 1.5]),
    (ANTHROPIC, "claude-sonnet-4-0", [3.0, 15.0, 0.3]),
    (ANTHROPIC, "claude-sonnet-4-20250514", [3.0, 15.0, 0.3]),
    (ANTHROPIC, "claude-sonnet-4-5", [3.0, 15.0, 0.3]),
    (ANTHROPIC, "claude-sonnet-4-5-20250929", [3.0, 15.0, 0.3]),
    (ANTHROPIC, "claude-haiku-4-5", [1.0, 5.0, 0.1]),
    (ANTHROPIC, "claude-haiku-4-5-20251001", [1.0, 5.0, 0.1]),
];

/// What `model` costs at `host`; none where nobody knows.
#[must_use]
pub fn price(host: &str, model: &str) -> Option<Price> {
    let known = PRICES.iter().find(|(at, name, _)| *at == host && *name == model)?;
    let [input, output, cached] = known.2;
    Some(Price { input, output, cached })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_holds_for_an_exact_name_at_its_makers_address() {
        let check = |host, model, expected| {
            assert_eq!(price(host, model).map(|price| price.input), expected, "{model}");
        };
        check("api.openai.com", "gpt-4o", Some(2.5));
        check("api.openai.com", "gpt-4o-mini", Some(0.15));
        check("api.openai.com", "gpt-4o-2024-05-13", None);
        check("openrouter.ai", "gpt-4o", None);
        check("127.0.0.1:8080", "gpt-4o", None);
        check("api.anthropic.com", "claude-haiku-4-5", Some(1.0));
    }
}
