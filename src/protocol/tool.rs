//! A tool as the model is told of it.
//!
//! Neither what it does nor how: a name, a description and a schema, in the order of the wire.

use serde_json::Value;

use super::ToolName;

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// Its name.
    pub name: ToolName,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its parameters: `{"type":"object","properties":…}`.
    pub parameters: Value,
}
