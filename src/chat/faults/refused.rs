//! L02 to L04, L08, L09: the endpoint says no, in every form, and what is no answer at all.

use super::answer::{Answer, good, hello, raw, refused, status};
use super::{Case, Kind, Place, case};
use crate::protocol::NoticeKind;

pub(super) fn cases() -> Vec<Case> {
    [no(), advised(), key(), model(), shapes(), no_answer()].concat()
}

/// L02: never asked again, and said in the endpoint's words.
fn no() -> Vec<Case> {
    vec![
        case("L02", "a bad request", [refused(400, "temperature: must be at most 2")])
            .fails(Kind::GiveUp, 400, &["rejected the request (400): temperature: must be at most 2"])
            .retries(&[]),
        case("L02", "a request that is well-formed and wrong", [refused(422, "no such knob")])
            .fails(Kind::GiveUp, 422, &["no such knob"])
            .retries(&[]),
        case(
            "L02",
            "in several lines with colours",
            [refused(400, "no\n\tsuch\r\n\u{1b}[31mknob\u{7}\u{202e}")],
        )
        .fails(Kind::GiveUp, 400, &["no such knob"]),
        case("L02", "in a hundred kilobytes", [refused(400, &"very long ".repeat(10_000))]).fails(
            Kind::GiveUp,
            400,
            &["very long very long", "…"],
        ),
        case("L02", "with the key in it", [refused(400, "you sent sk-this-is-a-secret-1")]).fails(
            Kind::GiveUp,
            400,
            &["you sent [redacted key]"],
        ),
        case("L02", "another model is no help", [refused(400, "no")]).models(&["b"]).fails(
            Kind::GiveUp,
            400,
            &["no"],
        ),
        case("L02", "another key is no help", [refused(400, "no")]).keys(2).fails(Kind::GiveUp, 400, &["no"]),
    ]
}

/// L02, with what to do about it.
fn advised() -> Vec<Case> {
    let advised = |name: &str, text: &str, advice: &str| {
        case("L02", name, [refused(400, text)]).fails(Kind::GiveUp, 400, &[advice]).retries(&[])
    };
    vec![
        // asked again once, with the system prompt in the user's first message
        case(
            "L02",
            "roles that do not alternate",
            [1, 2].map(|_| refused(400, "Conversation roles must alternate user/assistant/user/...")),
        )
        .fails(Kind::GiveUp, 400, &["template"])
        .retries(&[]),
        advised(
            "an image that is too large",
            "messages.1.content.0: image exceeds 5 MB maximum: 6 > 5",
            "a smaller one",
        ),
        advised("too many images", "At most 1 image(s) may be provided in one request", "too many images"),
        advised(
            "an image at all",
            "image input is not supported - hint: provide the mmproj",
            "does not support images",
        ),
        advised(
            "calls without answers",
            "`tool_use` ids were found without `tool_result` blocks: a",
            "/clear",
        ),
        advised(
            "a tool's schema",
            "Invalid schema for function 'x': None is not of type 'object'",
            "--disallowed-tools",
        ),
        advised("tools at all", "gemma:2b does not support tools", "does not support tool calls"),
        case(
            "L02",
            "a machine without memory",
            [status(500).json(
                r#"{"error":"model requires more system memory (5.3 GiB) than is available (3.3 GiB)"}"#,
            )],
        )
        .fails(Kind::GiveUp, 500, &["not enough memory", "5.3 GiB", "a smaller model"])
        .retries(&[]),
    ]
}

/// L03: says which variable, and goes on with the next key where there is one.
fn key() -> Vec<Case> {
    let bad =
        || refused(401, "Incorrect API key provided: sk-this-is-a-secret-1. You can find yours at our site.");
    vec![
        case("L03", "a bad key", [bad()])
            .fails(
                Kind::NextKey,
                401,
                &[
                    "rejected the API key (401)",
                    "Incorrect API key provided: [redacted key].",
                    "check the key in KEY_1",
                ],
            )
            .retries(&[]),
        case("L03", "no access", [refused(403, "your plan does not cover this")])
            .fails(Kind::NextKey, 403, &["denied access (403)", "check the key in KEY_1"])
            .retries(&[]),
        case("L03", "no body", [status(401)]).fails(
            Kind::NextKey,
            401,
            &["rejected the API key (401) (check"],
        ),
        case("L03", "a firewall's page", [status(403).html("<title>Just a moment...</title>")]).fails(
            Kind::NextKey,
            403,
            &["denied access (403): Just a moment..."],
        ),
        case(
            "L03",
            "a country that is not served",
            [refused(
                403,
                "Country, region, or territory not supported: unsupported_country_region_territory",
            )],
        )
        .fails(Kind::NextKey, 403, &["not serve your country"]),
        case("L03", "another key works", [bad(), hello()])
            .keys(2)
            .notice(NoticeKind::KeyRotated, "the key in KEY_1 was rejected (401); switching to KEY_2"),
        case("L03", "another account has money", [refused(402, "Insufficient Balance"), hello()])
            .keys(2)
            .notice(NoticeKind::KeyRotated, "the key in KEY_1 has no quota left (402)"),
        case("L03", "no key works", [bad(), refused(403, "no"), refused(401, "no")])
            .keys(3)
            .fails(Kind::NextKey, 401, &["KEY_1 and KEY_2 and KEY_3 failed", "can be used again in"])
            .notice(NoticeKind::KeyRotated, "KEY_2")
            .notice(NoticeKind::KeyRotated, "KEY_3"),
        case("L03", "another model is no help", [bad()]).models(&["b"]).fails(Kind::NextKey, 401, &["KEY_1"]),
    ]
}

/// L04: says which model, and goes on with the next one where there is one.
fn model() -> Vec<Case> {
    let unknown = || {
        status(404).json(r#"{"error":{"message":"The model `a` does not exist","code":"model_not_found"}}"#)
    };
    vec![
        case("L04", "no such model", [unknown()])
            .fails(Kind::NextModel, 404, &["unknown model a (404)", "does not exist", "try another --model"])
            .retries(&[]),
        case("L04", "as Ollama says it", [status(404).json(r#"{"error":"model 'a' not found"}"#)]).fails(
            Kind::NextModel,
            404,
            &["model 'a' not found", "--model"],
        ),
        case("L04", "with another status", [status(400).json(r#"{"error":{"message":"Model Not Exist"}}"#)])
            .fails(Kind::NextModel, 400, &["unknown model a"])
            .retries(&[]),
        case("L04", "not found (404)", [status(404).json("404 page not found")]).at(Place::Bare).fails(
            Kind::NextModel,
            404,
            &["not found (404)", "check base_url; it usually ends in /v1"],
        ),
        case("L04", "no such model, and an address to doubt", [unknown()]).at(Place::Bare).fails(
            Kind::NextModel,
            404,
            &["unknown model a", "/v1"],
        ),
        case("L04", "another model is known", [unknown(), hello()])
            .models(&["b"])
            .notice(NoticeKind::Fallback, "a is not available (404); switching to b"),
        case("L04", "the third model is known", [unknown(), unknown(), hello()])
            .models(&["b", "c"])
            .notice(NoticeKind::Fallback, "switching to b")
            .notice(NoticeKind::Fallback, "b is not available (404); switching to c"),
        case("L04", "no model is known", [unknown(), unknown()])
            .models(&["a", "b"])
            .fails(Kind::NextModel, 404, &["unknown model b"])
            .notice(NoticeKind::Fallback, "switching to b"),
    ]
}

/// L08: the status is kept, and the words are found.
fn shapes() -> Vec<Case> {
    let said = |name: &str, answer: Answer, remedy: Kind, code: u16, words: &[&str]| {
        case("L08", name, [answer]).max_retries(0).fails(remedy, code, words)
    };
    let nested = r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"at most 1 image per prompt\"}}","provider_name":"Acme"}}}"#;
    vec![
        said("detail", status(422).json(r#"{"detail":"no such knob"}"#), Kind::GiveUp, 422, &["no such knob"]),
        said(
            "detail with places",
            status(422).json(r#"{"detail":[{"loc":["body","messages"],"msg":"field required","type":"missing"}]}"#),
            Kind::GiveUp,
            422,
            &["body.messages: field required"],
        ),
        said("error is a text", status(400).json(r#"{"error":"no such knob"}"#), Kind::GiveUp, 400, &["no such knob"]),
        said("code is a number", status(400).json(r#"{"code":40001,"message":"no such knob"}"#), Kind::GiveUp, 400, &["no such knob"]),
        said("a list of errors", status(400).json(r#"{"success":false,"errors":[{"code":7003,"message":"no route"}]}"#), Kind::GiveUp, 400, &["no route"]),
        said("what the provider behind it said", status(400).json(nested), Kind::GiveUp, 400, &["Acme: at most 1 image per prompt"]),
        said("as Anthropic writes it", status(529).json(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#), Kind::GiveUp, 529, &["is unavailable (529): Overloaded"]),
        said("as Google writes it", status(400).json(r#"[{"error":{"code":400,"message":"Invalid JSON payload","status":"INVALID_ARGUMENT"}}]"#), Kind::GiveUp, 400, &["Invalid JSON payload"]),
        said("a web page", status(502).html("<html><head><title>502 Bad Gateway</title></head><body>…"), Kind::GiveUp, 502, &["is unavailable (502): 502 Bad Gateway"]),
        said("a web page without a title", status(503).html("<h1>Down</h1>"), Kind::GiveUp, 503, &["(503): Down"]),
        said("nothing", status(500), Kind::GiveUp, 500, &["is unavailable (500)"]),
        said("plain words", status(500).json("upstream connect error"), Kind::GiveUp, 500, &["upstream connect error"]),
        said("broken JSON", status(422).json(r#"{"error":{"mess"#), Kind::GiveUp, 422, &[r#"{"error":{"mess"#]),
        said("bytes that are no text", status(500).json("x").with_length().header("x-bytes", "\u{e9}"), Kind::GiveUp, 500, &["(500): x"]),
        said("an error as a stream", status(400).json("event: error\ndata: {\"error\":{\"message\":\"no such knob\"}}\n\n"), Kind::GiveUp, 400, &["(400): no such knob"]),
        said("a filter", status(400).json(r#"{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#), Kind::GiveUp, 400, &["the content filter", "/rewind"]),
    ]
}

/// L09: a good status, and no answer.
fn no_answer() -> Vec<Case> {
    let json = |body: &str| good("application/json", body);
    vec![
        case("L09", "an error inside", [json(r#"{"error":{"message":"bad words","code":400}}"#)])
            .fails(Kind::GiveUp, 400, &["bad words"])
            .retries(&[]),
        case("L09", "a passing error inside", [json(r#"{"error":{"message":"busy","code":503}}"#), hello()]).retries(&["1/2"]),
        case("L09", "a rate limit inside, with its wait", [json(r#"{"error":{"message":"Rate limit reached. Please try again in 2s","type":"rate_limit_error"}}"#), hello()])
            .delays(&[2000]),
        case("L09", "a bad key inside", [json(r#"{"error":{"message":"who","code":401}}"#)])
            .fails(Kind::NextKey, 401, &["check the key in KEY_1"]),
        case("L09", "an empty account in a shape of its own", [json(r#"{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}"#)])
            .fails(Kind::NextKey, 500, &["quota exhausted", "insufficient balance"]),
        case("L09", "a web page", [good("text/html", "<!doctype html><html><title>Welcome</title><p>hi</html>")])
            .fails(Kind::GiveUp, None, &["a web page: Welcome (check base_url", "login page"])
            .retries(&[]),
        case("L09", "a web page that says it is a stream", [good("text/event-stream", "\n<html><title>Welcome</title>")])
            .fails(Kind::GiveUp, None, &["a web page: Welcome"]),
        case("L09", "JSON of something else", [json(r#"{"ok":true}"#)])
            .fails(Kind::GiveUp, None, &["JSON that is not a chat completion"]),
        case("L09", "plain words", [good("text/plain", "upstream connect error")])
            .max_retries(0)
            .fails(Kind::GiveUp, None, &["upstream connect error"]),
        case("L09", "plain words, then an answer", [good("text/plain", "upstream connect error"), hello()])
            .retries(&["1/2"]),
        case("L09", "nothing at all", [json(""), hello()]).retries(&[]),
        case("L09", "nothing at all, again and again", [1, 2, 3, 4].map(|_| json("")))
            .fails(Kind::GiveUp, None, &["no data received"])
            .retries(&["1/2", "2/2"]),
        case("L09", "nothing at all, and in one piece an overflow", [json(""), refused(400, "prompt is too long")])
            .fails(Kind::Compact, 400, &["too long for a"])
            .retries(&[]),
        case("L09", "sent elsewhere", [status(301).header("location", "https://x.example/v1/chat/completions")])
            .fails(Kind::GiveUp, 301, &["https://x.example/v1/chat/completions", "set base_url"])
            .retries(&[]),
        case("L09", "sent to a page to sign in", [status(302).header("location", "http://portal.example/login?to=1")])
            .fails(Kind::GiveUp, 302, &["http://portal.example/login", "sign in"]),
        case("L09", "sent in a circle", [status(307).header("location", "/v1/chat/completions")])
            .fails(Kind::GiveUp, 307, &["/v1/chat/completions"]),
        case("L09", "sent away without a place", [status(308)]).fails(Kind::GiveUp, 308, &["(308)"]),
        case("L09", "accepted and no more", [raw("HTTP/1.1 204 No Content\r\n\r\n"), hello()]).retries(&[]),
    ]
}

#[tokio::test]
async fn the_endpoint_says_no() {
    super::check_all([no(), advised(), key(), model()].concat()).await;
}

#[tokio::test]
async fn errors_come_in_every_shape() {
    super::check_all([shapes(), no_answer()].concat()).await;
}
