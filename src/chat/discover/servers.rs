//! Which servers there are beside the makers' own: how each is known, and how its window is made larger.
//!
//! It decides whom more may be asked than the list of models. The surprising decision: the port is no evidence. Whoever does
//! not say which server it is, is asked only where asking concerns nobody else: on this machine and in its own network.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Where servers on the own machine listen unless told otherwise.
pub const LOCAL_SERVERS: [(&str, &str); 4] = [
    ("Ollama", "http://127.0.0.1:11434/v1"),
    ("LM Studio", "http://127.0.0.1:1234/v1"),
    ("llama.cpp", "http://127.0.0.1:8080/v1"),
    ("vLLM", "http://127.0.0.1:8000/v1"),
];

/// A server that many people run themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Server {
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// llama.cpp's own server.
    LlamaCpp,
    /// vLLM.
    Vllm,
    /// `SGLang`.
    Sglang,
    /// `LiteLLM`, a gateway before others.
    LiteLlm,
}

/// What stands as the owner of a model, and whose word that is.
const OWNERS: [(&str, Server); 5] = [
    ("library", Server::Ollama),
    ("organization_owner", Server::LmStudio),
    ("llamacpp", Server::LlamaCpp),
    ("vllm", Server::Vllm),
    ("sglang", Server::Sglang),
];

/// Endings of names that only a local network knows.
const NEAR_NAMES: [&str; 6] = [".localhost", ".local", ".lan", ".internal", ".home", ".home.arpa"];

/// Hosts whose lists hold nothing but names: there is nothing to learn from them.
const MUTE: [&str; 8] = [
    "openai.com",
    "openai.azure.com",
    "anthropic.com",
    "deepseek.com",
    "googleapis.com",
    "x.ai",
    "cerebras.ai",
    "z.ai",
];

impl Server {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ollama => "Ollama",
            Self::LmStudio => "LM Studio",
            Self::LlamaCpp => "llama.cpp",
            Self::Vllm => "vLLM",
            Self::Sglang => "SGLang",
            Self::LiteLlm => "LiteLLM",
        }
    }

    /// How its window is made larger.
    #[must_use]
    pub fn larger_window(self) -> &'static str {
        match self {
            Self::Ollama => "OLLAMA_CONTEXT_LENGTH=32768 ollama serve, or num_ctx in a Modelfile",
            Self::LmStudio => "set a larger context length where LM Studio loads the model",
            Self::LlamaCpp => "start llama-server with -c 32768",
            Self::Vllm => "start vLLM with --max-model-len 32768",
            Self::Sglang => "start SGLang with --context-length 32768",
            Self::LiteLlm => "raise the context length on the server that LiteLLM uses",
        }
    }

    /// How its models come to call tools.
    #[must_use]
    pub fn for_tools(self) -> &'static str {
        match self {
            Self::Ollama => "use a model with the `tools` tag in the Ollama library",
            Self::LmStudio => "use a model that LM Studio marks for tool use",
            Self::LlamaCpp => "start llama-server with --jinja",
            Self::Vllm => "start vLLM with --enable-auto-tool-choice and a --tool-call-parser",
            Self::Sglang => "start SGLang with a --tool-call-parser",
            Self::LiteLlm => "enable tool calls on the server that LiteLLM uses, or use another model",
        }
    }

    /// By the head of an answer; `header` gives a header by its name.
    pub(super) fn by_head<'a>(header: impl Fn(&str) -> Option<&'a str>) -> Option<Self> {
        if header("server").is_some_and(|name| name.eq_ignore_ascii_case("llama.cpp")) {
            return Some(Self::LlamaCpp);
        }
        header("x-litellm-version").map(|_| Self::LiteLlm)
    }

    /// By what stands as the owner of a model.
    pub(super) fn by_owner(owner: &str) -> Option<Self> {
        OWNERS.iter().find(|(name, _)| *name == owner).map(|(_, server)| *server)
    }
}

/// How a window is made larger where nobody knows which server it is.
pub const LARGER_WINDOW: &str = "raise the context length on the server";

/// Whether `host` (with or without a port) is this machine or one of its own network.
#[must_use]
pub fn is_near(host: &str) -> bool {
    let name = domain(host);
    if let Some(address) = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.parse::<Ipv6Addr>().is_ok_and(is_near_v6);
    }
    if let Ok(address) = name.parse::<Ipv4Addr>() {
        return is_near_v4(address);
    }
    !name.contains('.') || NEAR_NAMES.iter().any(|end| name.ends_with(end))
}

/// Whether `host` is known to tell nothing but the names of its models.
pub(super) fn is_mute(host: &str) -> bool {
    let name = domain(host);
    MUTE.iter().any(|mute| name == *mute || name.strip_suffix(mute).is_some_and(|sub| sub.ends_with('.')))
}

/// The address that a server's own routes are added to: what stands before `/v1`.
pub(super) fn root(base: &str) -> &str {
    base.strip_suffix("/v1").unwrap_or(base)
}

/// `host` without its port.
fn domain(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        Some(_) | None => host,
    }
}

fn is_near_v4(address: Ipv4Addr) -> bool {
    // 100.64.0.0/10: what carriers and private overlays such as WireGuard meshes give
    let [first, second, ..] = address.octets();
    let shared = first == 100 && (64..128).contains(&second);
    address.is_loopback() || address.is_private() || address.is_link_local() || shared
}

fn is_near_v6(address: Ipv6Addr) -> bool {
    if let Some(address) = address.to_ipv4_mapped() {
        return is_near_v4(address);
    }
    address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_told_by_its_address_or_name() {
        let near = "127.0.0.1:8080 localhost [::1]:1 10.0.0.5 192.168.1.20:11434 172.20.0.2 100.101.1.1 \
                    [fd00::1] [fe80::1] [::ffff:10.0.0.1] gpu-box ollama:11434 gpu.local llm.corp.internal";
        for host in near.split_whitespace() {
            assert!(is_near(host), "{host}");
        }
        let far = "api.openai.com 8.8.8.8 100.128.0.1 [2001:db8::1] [::ffff:8.8.8.8] llm.example.com:8443 \
                   localhost.example.com notlocal.io";
        for host in far.split_whitespace() {
            assert!(!is_near(host), "{host}");
        }
    }

    #[test]
    fn a_server_says_who_it_is_in_its_own_way() {
        let owner = |name| Server::by_owner(name);
        assert_eq!(
            (owner("vllm"), owner("library"), owner("openai")),
            (Some(Server::Vllm), Some(Server::Ollama), None)
        );
        let head = |name: &str, value: &'static str| {
            let name = name.to_owned();
            Server::by_head(move |asked| (asked == name).then_some(value))
        };
        assert_eq!(head("server", "llama.cpp"), Some(Server::LlamaCpp));
        assert_eq!(head("x-litellm-version", "1.2"), Some(Server::LiteLlm));
        assert_eq!(head("server", "nginx"), None);
    }

    #[test]
    fn the_makers_themselves_are_left_alone() {
        for (host, mute) in [
            ("api.openai.com", true),
            ("me.openai.azure.com:443", true),
            ("notopenai.com", false),
            ("openrouter.ai", false),
            ("127.0.0.1:8080", false),
        ] {
            assert_eq!(is_mute(host), mute, "{host}");
        }
    }

    #[test]
    fn a_servers_own_routes_stand_beside_its_v1() {
        assert_eq!(root("http://h:1/v1"), "http://h:1");
        assert_eq!(root("http://h:1/llm/v1"), "http://h:1/llm");
        assert_eq!(root("http://h:1"), "http://h:1");
    }
}
