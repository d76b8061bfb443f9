//! What the session may use, and what its models cost: from the configuration, else from the makers' lists.

use std::sync::Arc;

use super::App;
use crate::agent::{PriceList, Spending};
use crate::chat::request::prices;
use crate::config::Origin;
use crate::error::{Error, Kind};
use crate::protocol::ModelId;

impl App {
    /// What a conversation may use.
    pub(super) fn spending(&self) -> Spending {
        let budget = &self.config.budget;
        Spending {
            max_cost: budget.cost_limit(),
            max_tokens: budget.token_limit(),
            prices: self.prices(),
            granted: 0,
        }
    }

    /// What models cost, as far as that is known.
    pub(super) fn prices(&self) -> Arc<PriceList> {
        let (configured, host) = (self.config.budget.prices.clone(), self.host());
        Arc::new(move |model| {
            configured.get(model.as_str()).copied().or_else(|| prices::price(&host, model.as_str()))
        })
    }

    /// An error if `--max-cost` was given and cannot be enforced: a script that limits its cost must not run without a limit. A
    /// model on this machine costs nothing.
    pub(super) fn check_limits(&self, model: &ModelId) -> Result<(), Error> {
        let is_local = self.config.endpoint.target().is_ok_and(|target| target.url.value.is_loopback());
        if self.config.budget.max_cost.origin != Origin::Flag || is_local {
            return Ok(());
        }
        self.unpriced(model).map_or(Ok(()), |why| Err(Error::new(Kind::Config, why)))
    }

    /// That `max_cost` cannot be kept, where it cannot.
    pub(super) fn unpriced(&self, model: &ModelId) -> Option<String> {
        self.config.budget.cost_limit()?;
        (self.prices())(model).is_none().then(|| {
            format!(
                "max_cost has no effect: no price is known for {model} (try adding [prices.\"{model}\"] \
                 with input and output to config.toml, or max_tokens)"
            )
        })
    }
}
