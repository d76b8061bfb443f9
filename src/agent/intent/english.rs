//! Announcements in English: how they are said, and what only sounds like one.
//!
//! Tables of words, and the few functions that read them. A pattern finds the middle of an announcement ("let me check"); what
//! stands before it must lead up to it, and what stands behind it must leave it something that is to be done now.

use regex::Regex;

use super::ending::{End, Sentence};
use super::{Patterns, Said, any, anywhere, at_end, at_start, pattern, whole};

const LET: &str = "let me|lemme|let's|let us";
const WILL: &str =
    "(?:i|we)(?:'ll| will| shall)|(?:i'm|i am|we're|we are)(?: now| just)? (?:going to|gonna|about to)";
/// What needs doing is often for the user to do, so this is held to more.
const NEED: &str = "i(?: first| now| also)? (?:need to|want to|have to|must|should|ought to)|i've got to";

/// Without one of these nothing is announced, however it is said: a quick look before the patterns are compiled.
pub(super) const CUES: &[&str] = &[
    "let me",
    "lemme",
    "let's",
    "let us",
    "'ll ",
    " will ",
    " shall ",
    "'m ",
    "i am ",
    "'re ",
    "we are ",
    "need to",
    "want to",
    "have to",
    "must ",
    "should ",
    "ought to",
    "got to",
    "while i",
    "wait",
    "moment",
    "sec",
    "minute",
    "hold on",
    "hang on",
    "bear with me",
    "stand by",
    "now",
    "time to",
];

/// What may stand between that and the verb.
const ADVERBS: &[&str] = &[
    "[a-z]+ly|first|now|then|next|just|also|again|instead|therefore|of course|further|still|be|and|right away",
    "start(?: off| out)? by|begin by|continue by|go ahead and|go|come|try to|try and|attempt to|need to|have to",
    "help(?: you| us)?(?: to)?|want to|proceed to|continue to|take (?:a (?:moment|second|minute)|some time) to",
    "(?:make )?use (?:of )?(?:[^ ]+ ){1,5}?to",
];

/// What a tool carries out.
const VERBS: &[&str] = &[
    "check|checkout|double-check|re-?check|look|peek|read|re-?read|open|search|grep|run|re-?run|execute|start",
    "begin|fix|repair|patch|create|update|write|re-?write|add|append|insert|examine|inspect|list|find|locate",
    "view|edit|modify|change|adjust|tweak|correct|explore|investigate|analy[sz]e|review|scan|verify|validate",
    "confirm|test|retry|debug|trace|diagnose|implement|build|rebuild|compile|install|configure|refactor",
    "rename|move|copy|remove|delete|replace|revert|undo|restore|apply|fetch|download|retrieve|gather|collect",
    "load|query|invoke|resume|resolve|solve|tackle|handle|address|figure out|identify|determine|study|dig|dive",
    "generate|commit|push|stage|stash|switch|save|launch|spawn|spin up|extract|convert|migrate|format|lint",
    "set(?: it| this| that| them| everything)? ?up|clean(?: up)?|ensure|scaffold|initiali[sz]e|enable|disable",
    "integrate|wire(?: up)?|pull|browse|research|measure",
    "benchmark|profile|compare|go (?:through|over)|work on|deal with|take care of|continue|proceed|finish|complete",
    "(?:take|have) (?:a|another|one more)(?: [a-z]+)? (?:look|peek|glance)|do (?:a|an|another)",
    "(?:conduct|perform|carry out) (?:the|a|an|another|one more)",
    "understand (?:the|how|what|this|its|where|why|your)",
    "get (?:the|a|an|more|some|all|started|to work|right (?:on|to)|it|this|that|these|information)",
    "make (?:the|these|those|this|that|a|an|some|sure|it|all|any|my|changes|edits|both|one)",
    "do (?:that|this|it|so) (?:now|right|next|first|immediately|for you)",
    "(?:use|call)(?: the| my)? [^ ]+(?: [^ ]+)? (?:tool|command|function)",
    "try (?:again|a|an|another|the|this|it|one|some|with|using|something|[a-z]+ing)",
];

/// The same where it is said to go on.
const DOING: &[&str] = &[
    "checking|double-checking|reading|re-?reading|opening|searching|fixing|creating|updating|writing|adding",
    "looking (?:at|into|for|through|up|around|in|over)|examining|inspecting|starting|editing|modifying|exploring",
    "running (?:the|a|an|it|this|that|these|all|tests?|cargo|npm|pytest|some|your)|investigating|analy[sz]ing",
    "reviewing|scanning|verifying|validating|testing|executing|implementing|building|installing|refactoring",
    "fetching|downloading|retrieving|gathering|loading|debugging|applying|removing|replacing",
];

/// Announcements, wherever in a sentence; [`is_meant`] judges them.
pub(super) fn announcements() -> Vec<Regex> {
    let (verbs, doing) = (VERBS.join("|"), DOING.join("|"));
    let to = format!("(?: (?:{}))*,? ", ADVERBS.join("|"));
    let wait = "(?:wait|moment|second|sec|minute|hold on|hang on|bear with me|stand by)";
    let ask = "(?:please )?(?:just |give me |i need )?(?:a |one )?";
    [
        anywhere(&[&format!("(?:{LET}|{WILL}|{NEED}){to}({verbs}|{doing})")]),
        anywhere(&[&format!("(?:{LET}){to}(see|do (?:that|this|it))")]),
        anywhere(&[&format!("(?:i'm|i am|we're|we are)(?: (?:now|currently|just|also|first))* ({doing})")]),
        anywhere(&[&format!(
            "(?:what|thing|step) i(?:'ll| will) (?:do|take)(?: next| first| now)? is(?: to)?{to}({verbs})"
        )]),
        anywhere(&[&format!("my (?:next|first|second) step (?:is|will be) to{to}({verbs})")]),
        at_start(&[&format!(r"{ask}{wait}\b.*\bwhile i ({verbs})|{ask}{wait} to{to}({verbs})")]),
        pattern(&format!(r"(?:^|[,!] )(?:it's |now it's )?(?:now|time) to{to}({verbs})\b")),
    ]
    .concat()
}

/// Words that sound like a condition, a refusal or an address and are none, and what they are read as.
const HARMLESS: [(&str, &str); 14] = [
    ("just in case", ""),
    ("once more", "again"),
    ("once again", "again"),
    ("at once", "now"),
    ("you're absolutely right", "right"),
    ("you are absolutely right", "right"),
    ("you're right", "right"),
    ("you are right", "right"),
    ("thank you", "thanks"),
    ("as you ", "as "),
    ("can't find", "miss"),
    ("cannot find", "miss"),
    ("can't see", "miss"),
    ("cannot see", "miss"),
];

/// "Check if …": a question of the model's own, and no condition.
static INDIRECT: Patterns = Patterns::new(|| {
    let verbs = "see|check|verify|confirm|determine|find out|know|test|sure|examine|figure out|look|wonder";
    anywhere(&[&format!("({verbs}) (?:if|when)")])
});

/// The next move is the user's, wherever in the sentence this stands.
static USERS_MOVE: Patterns = Patterns::new(|| {
    anywhere(&[
        "let me know|tell me|feel free|with you|up to you|wait(?:ing)? for|are you|you(?:'d)? (?:prefer|like|wish|choose)",
        "(?:do|would|could|can|will|did) you|(?:should|shall|may|can|could) i",
        "your (?:answer|reply|response|confirmation|approval|permission|decision|feedback|input|go-ahead|thoughts)",
        "your (?:preference|choice|consent|instructions|guidance|word|turn|call|part)",
    ])
});

/// Not now, wherever in the sentence this stands.
static NOT_NOW: Patterns = Patterns::new(|| {
    anywhere(&[
        "if|once|unless|until|as soon as|assuming|provided|after you|before you|should you|on request|on demand",
        "next time|later|tomorrow|in (?:the )?future|from now on|from here on|going forward",
        "when(?:ever)? (?:you|ready|needed|asked|requested|that's done|it's done|i (?:get|have|hear|receive))",
    ])
});

/// Before it: what comes instead, or what is not done.
static NOT_BEFORE: Patterns = Patterns::new(|| {
    anywhere(&[
        "otherwise|upon|whichever|whatever|when (?:done|finished)|unable to",
        "(?:i|we) (?:can't|cannot|can not|won't|will not|shan't|must not|don't|am unable|am not)",
        "i'm (?:unable|not|afraid)",
    ])
});

/// Before it: a request, so that "and I'll …" is what comes of it.
static REQUEST: Patterns = Patterns::new(|| {
    let first = "(?:(?:please|just|simply|then|now|so|or|and|ok|okay|sure|great),? )*";
    let asks = [
        "answer|approve|attach|choose|click|confirm|copy|describe|drop|enter|execute|fill|grant|hit|include",
        "install|mention|open|paste|pick|ping|point|press|provide|push|put|reload|remove|reply|respond|restart",
        "rerun|run|save|say|select|send|set|share|shout|show|specify|start|state|submit|switch|try|turn|type",
        "update|upload|use|verify|write|yes|give me (?:the|your|access|permission|an|some|more)",
    ];
    [at_start(&[&format!("{first}(?:{})", asks.join("|"))]), anywhere(&["you"])].concat()
});

/// Before it: leads up to it without a comma.
static LEAD: Patterns = Patterns::new(|| {
    let words = [
        "ok|okay|sure|great|alright|right|good|perfect|excellent|now|first|next|then|finally|so|and|but|well|yes",
        "yeah|hmm|wait|actually|here|again|also|additionally|instead|therefore|thanks|understood|got it|i think",
        "i guess|i see|on it|certainly|absolutely|of course|meanwhile|lastly|afterwards|afterward|today|this time",
    ];
    let openings = [
        "to|in order to|before|after|now that|for|with|next|first|then|finally|step [0-9]+|since|because",
        "from there|at this point|given|based on|so|and|but",
    ];
    [
        whole(&[&format!("(?:(?:{})[,!]? ?)+", words.join("|"))]),
        whole(&[&format!("(?:{}) .*[^,]", openings.join("|"))]),
    ]
    .concat()
});

/// Before it: the end of a clause that only tells of it ("all that I'll check").
static RELATIVE: Patterns =
    Patterns::new(|| at_end(&["that|which|what|all|how|why|where|who|whom|whatever|said|says|say|i"]));

/// Behind it, from its verb on: later, again and again, or when something else is over.
static LATER: Patterns = Patterns::new(|| {
    let starts = "update|start|begin|run|continue|proceed|finish|add|fix|create|write|push|commit|merge";
    let over = "is done|is ready|finishes|completes|ends|returns|comes back|has finished";
    [
        anywhere(&[
            "afterwards|another time|next week|next session|separately|any ?more|daily|weekly|regularly|periodically",
            "every (?:time|hour|day|week|[a-z0-9]+ (?:seconds|minutes|hours|days))",
            "in (?:a few|a couple of|several|[0-9]+|five|ten) (?:seconds|minutes|hours|days)",
            &format!("when (?:it|that|this|the [a-z]+) (?:{over})"),
        ]),
        at_start(&[&format!(r"(?:{starts})\b.*\bwhen(?:ever)?")]),
        at_end(&["then"]),
    ]
    .concat()
});

/// Behind it, from its verb on: words for something that no tool does.
static IDIOMS: Patterns = Patterns::new(|| {
    let named = "summary|overview|question|caveat|news|answer|explanation|definition|basics|example";
    let made = "note|suggestions?|points?|recommendations?|guess|case|assumptions?|remarks?|observations?|comparison";
    let listed = "options|approaches|alternatives|reasons|pros|benefits|ways|differences";
    let kept = "use|follow|keep|avoid|do so|be|assist|help|monitor|respond|answer";
    [
        at_start(&[
            "(?:add|adding) (?:only |just )?(?:that|one (?:more |last |final )?(?:thing|point|note|caveat|remark))",
            "check (?:back|in with|in on|in again)|check with (?:the|my|our|their|them|him|her|someone|others)",
            "looking forward|look (?:forward|after|out|ahead)|(?:write|get) back|updat(?:e|ing) you|start over",
            "run (?:out|you|(?:this|that|it|them|something) (?:by|past))|(?:read|reading) .* as (?:a|an|if|the)",
            "(?:open|begin|start) (?:off )?(?:with|by) (?:saying|explaining|thanking|apologi[sz]ing)",
            &format!("(?:open|begin|start) (?:off )?with (?:an?|the|some) (?:[a-z]+ )?(?:{named})"),
            "(?:get|make) (?:it |this |that |one thing |something )?(?:straight|clear|short|brief|quick|explicit|easy)",
            "make sure (?:to|i|we|you)|(?:address|handle|tackle) (?:that|this|it|them) in (?:a|the|another)",
            &format!("make (?:a|an|one|some|the|this|that|my) (?:[a-z]+ )?(?:{made})"),
            &format!("(?:list|compare) (?:the|some|a few|your|out the) (?:[a-z]+ )?(?:{listed})"),
            &format!("(?:continue|proceed) (?:to (?:{kept})|on (?:that|this) basis)"),
            "(?:finish|complete|continue|proceed) (?:my|this) (?:answer|explanation|thought|summary)",
            "(?:see|test|try) (?:if|how|whether) (?:that|this|it) (?:works|helps|goes|fixes)",
            r"move on\b.*\b(?:need|want)",
            "[a-z-]+(?: up)? (?:nothing|no|none|neither|not|as little)",
        ]),
        anywhere(&["(?:my|our) (?:best|understanding)|i (?:understand|understood)|together|your knowledge"]),
    ]
    .concat()
});

/// Behind it, from its verb on: what came of it, in the same sentence.
static IN_PLACE: Patterns = Patterns::new(|| {
    [
        pattern(r"^(?:see|check|look|verify|test|count|find|confirm|list|think)(?:,? ?[—–] ?|[:,] |\.\.\. ?).*[a-z0-9§]"),
        pattern(r"^(?:review|compare|go over|go through|list|address)\b[^:]*: ?[a-z0-9§(]"),
        pattern(r"[:,—–] ?(?:done|fixed|ok|okay|yes|no|success)$"),
    ]
    .concat()
});

/// Behind what only needs doing: then it is the user who is to do it, or nobody can.
static NOT_BEHIND_NEED: Patterns = Patterns::new(|| {
    [
        anywhere(&[
            "you|your|permissions?|access|approval|credentials|password|but|because|which|without|not|before i can",
            "to (?:help|answer|assist|tell|say|give)",
        ]),
        pattern(r"n't\b"),
        at_start(&["see|find|add|locate|confirm|make sure"]),
    ]
    .concat()
});

static NEEDS: Patterns = Patterns::new(|| at_start(&[NEED]));

/// In a fragment without a verb of its own this is not found.
static FINITE: Patterns = Patterns::new(|| {
    anywhere(&[
        "is|are|was|were|isn't|aren't|works?|worked|pass(?:es|ed)?|fix(?:es|ed)|fails?|failed|should|would|will|can",
        "could|may|might|must|does|did|has|have|had|makes?|made|gives?|gave|seems?|requires?|needs?|helps?|prevents?",
        "ensures?|solves?|resolves?|takes?|took|means?|causes?|lets?|allows?|done|succeeded|completed?|finished|ok",
    ])
});

/// In a sentence that states something, and in one that only sighs.
static STATEMENT: Patterns = Patterns::new(|| {
    [
        anywhere(&[
            "[a-z]+ed|found|saw|got|said|ran|went|did|knew|thought|wrote|read it|came|gone|kept|left|lost|sent",
            "goes|depends|looks|works|continues|ends|says|contains|shows|returns|exists|remains|uses|comes|runs",
            "and so on|and so forth|etc|not|never|nothing|none|i (?:see|think|guess|know)|am|cannot|sorry|maybe|sadly",
        ]),
        pattern(r"\b(?:it|that|this|there|what|here|he|she|who)'s\b|n't\b|\b(?:they|you)'re\b|\bi'm afraid\b"),
        at_start(&["it|this|that|there|they|these|those|you|wh[a-z]+|how|because|well|hm+|um+|uh+|oh|ah|no|yes|yeah"]),
    ]
    .concat()
});

static FRAGMENT: Patterns = Patterns::new(|| {
    let doing = DOING.join("|");
    at_start(&[&format!(
        "(?:(?:now|currently|still|next|ok|okay|first|sure|just)[,!]? )*(?:{doing}|running)"
    )])
});

static NOW: Patterns = Patterns::new(|| [at_start(&["now"]), at_end(&["now"])].concat());

/// Said behind an announcement, and no step of its own.
pub(super) static FILLERS: Patterns = Patterns::new(|| {
    let moment = "(?:moment|second|sec|minute)";
    let hold = "(?:hold on|hang on|wait|stand ?by|hold|be patient|bear with me)";
    let reason = "(?:this|that|it)(?:'ll| will| should| way| lets| helps| gives| allows)";
    [
        whole(&[
            &format!("(?:just |give me )?(?:a|one|just a) {moment}(?:,? please)?"),
            &format!("(?:please )?{hold}(?: (?:a|one|for a) {moment})?(?:,? please)?"),
            "here (?:goes|we go|i go)|let's (?:go|do (?:it|this)|begin|get started)|starting now|right away|on it",
        ]),
        at_start(&[
            "(?:this|it) (?:may|might|will|should|can|could) (?:only |just )?take (?:a|some|just|about|up|several|one|few|me)",
            "(?:and |then )*(?:i'll|i will) (?:then )?(?:report back|let you know|get back to you|be right back|share)",
            "(?:and |then )*(?:i'll|i will) (?:then )?(?:summari[sz]e|tell you|show you|give you|explain|provide)",
            &format!(r"{reason}\b.*\b(?:help|allow|let|give|show|tell|ensure|i can|me|us)"),
        ]),
    ]
    .concat()
});

/// A question to the user, and not one that the model asks itself.
pub(super) static ASKING: Patterns = Patterns::new(|| {
    [
        anywhere(&["you|your|(?:should|shall|may|can|do|could) (?:i|we)|want me|ok with|okay with|correct"]),
        anywhere(&["which (?:one|of|option)"]),
        whole(&["right|ok|okay"]),
    ]
    .concat()
});

/// The user's condition or a request, for all that follows.
pub(super) static LEAVING: Patterns = Patterns::new(|| {
    let agrees = [
        "want|like|prefer|agree|approve|confirm|need|wish|ok|okay|happy|fine|ready|give|tell|say|let|share|send",
        "paste|provide|reply|answer|respond|have (?:confirmed|approved|decided|answered|done)|get back|do",
    ];
    let asked = "confirm|tell|provide|share|paste|send|let|choose|pick|reply|answer|approve|specify|select";
    [
        anywhere(&[
            &format!("(?:if|once|when|as soon as|unless|after) you(?:'d|'re| are)? (?:{})", agrees.join("|")),
            &format!("let me know|say the word|please (?:{asked})|(?:send|show|give|tell) (?:me|it|them)"),
            "with your (?:approval|permission|consent|confirmation)",
        ]),
        at_start(&[
            "(?:please |just |simply |go ahead and |then )*(?:paste|share|attach|upload|drop|provide|describe|point|try)",
            "(?:please |just |simply |go ahead and |then )*(?:reply|answer|pick|choose|type|restart|log in|sign in)",
        ]),
    ]
    .concat()
});

/// A colon behind this is answered by the user.
pub(super) static CHOICE: Patterns = Patterns::new(|| {
    anywhere(&[
        "which|choose|select|pick|options?|alternatives|questions?|choices?|please|let me know|tell me|if you",
        "(?:do|would|could|can|will) you|(?:should|shall|may|can) i",
        "you(?:'d)? (?:can|could|may|might|should|need|must|have to|prefer|want|like)",
    ])
});

/// The sentence as the patterns are to see it.
pub(super) fn settled(text: &str) -> String {
    let harmless = HARMLESS.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    INDIRECT.iter().fold(harmless, |text, indirect| indirect.replace_all(&text, "$1 whether").into_owned())
}

/// Whether what was found is an action that the model is to do now.
pub(super) fn is_meant(said: &Said<'_>) -> bool {
    let vetoes = [&NOT_NOW, &LATER, &IDIOMS, &IN_PLACE];
    let needs = any(&NEEDS, said.words) && any(&NOT_BEHIND_NEED, said.action);
    leads_up(said.before.trim())
        && !needs
        && !vetoes.into_iter().any(|veto| any(veto, said.action))
        && !any(&USERS_MOVE, said.sentence)
}

/// "Checking the logs now", "Reading the file...": no verb, and something that goes on.
pub(super) fn is_under_way(sentence: &Sentence) -> bool {
    let text = sentence.text.as_str();
    let goes_on = sentence.end == End::Dots || any(&NOW, text);
    goes_on && any(&FRAGMENT, text) && !any(&FINITE, text)
}

/// "It is slow...", "Well...": said to its end, and only the voice trails off. Other languages are left alone.
pub(super) fn trails_off(text: &str) -> bool {
    let one_word = !text.contains(' ') && !text.ends_with("ing") && !matches!(text, "next" | "now" | "more");
    one_word || !text.is_ascii() || any(&FINITE, text) || any(&STATEMENT, text) || any(&USERS_MOVE, text)
}

/// Whether an announcement may follow `before`: at the beginning of a sentence or of a clause of it.
fn leads_up(before: &str) -> bool {
    if before.is_empty() {
        return true;
    }
    if [&NOT_NOW, &NOT_BEFORE, &RELATIVE].into_iter().any(|veto| any(veto, before)) {
        return false;
    }
    let ends = |words: &[&str]| words.iter().any(|word| before.ends_with(word));
    let clause = before.ends_with([',', ':', ';', '—', '–', '-', '(', ')']);
    let joined = clause || ends(&[" and", " then", " now", " next", " first"]);
    any(&LEAD, before) || ends(&[" so", " but", " therefore", " hence"]) || (joined && !any(&REQUEST, before))
}
