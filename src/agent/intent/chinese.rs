//! Announcements in Chinese: how they are said, and what only sounds like one.
//!
//! Tables of words, as in `english`. Chinese sets no spaces between words, so an announcement has to begin a clause, and what
//! stands behind the verb tells whether it was done already.

use regex::Regex;

use super::{Patterns, Said, any, pattern};

/// What may begin a clause before the speaker.
const OPENERS: &[&str] = &[
    "好的?|好吧|嗯|没问题|明白了?|了解|知道了|收到|首先|其次|现在|現在|接下来|接下來|下面|然后|接着|随后|最后",
    "那么?|那就|所以|因此|于是|而且|并且|不过|但是?|为此|下一步|第[一二三四五六七八九十]步|在此之前|在这之前",
    "步骤 ?[一二三四五六七八九十0-9]+|马上|立即|立刻|同时|此外|另外|看来|既然如此|这样|这次|在开始之前",
    "ok|okay|sure|当然|可以|是的|对|抱歉|对不起|很好|太好了|谢谢|我(?:明白|知道|看到|理解|懂)了?",
];

const SPEAKERS: &[&str] = &[
    "让我们?|讓我們?|容我|我来|我來|我先|我将|我將|我会|我會|我要|我就|我去|我马上|我立即|我立刻|我这就|我再|我重新",
    "我现在|我現在|我继续|我准备|我打算|我得|我需要|我必须|我应该|我想先|我接下来|我首先|我接着|我随后|我然后",
    "我开始|我们来|我們來|我们先|我们将|我们会|我们开始|我们现在|我们需要先|由我来|我正在|我们正在",
    "我(?:来|先|会|将|就|去)?(?:帮|为|给|替)[你您]",
];

/// Without a speaker: what goes on, or what is set off from what came before.
const NOBODY: &str = "正在|开始|(?:现在|接下来|下面|下一步|马上|这就|首先|先)(?:将|来|开始|去|就|要|会)";

const ADVERBS: &[&str] = &[
    "就|先|来|來|再|去|现在|現在|开始|開始|马上|立即|立刻|这就|直接|快速|仔细|详细|进一步|继续|重新|一起|首先",
    "接下来|接着|然后|尝试|试着|帮忙|逐一|逐步|逐个|依次|同时|并行|深入|全面|简单|大致|亲自|自己|一下|需要|要|会",
    "将|想|最后|一次性|批量|手动|分别|顺便|也|还|尽快|认真|进行|做|(?:帮|为|给|替)[你您]",
    "(?:把|用|使用|通过|对|将|从|在|按|按照|根据|针对|为|给|到|以|基于)[^,:]+?",
];

/// What a tool carries out.
const VERBS: &[&str] = &[
    "查看|检查|檢查|看|读取|讀取|读|讀|打开|打開|搜索|搜寻|搜尋|运行|運行|跑|执行|執行|开始|開始|修复|修復|修正",
    "修改|修|备份|创建|創建|新建|建立|更新|写|寫|编写|撰写|添加|加上|加入|加|增加|新增|更改|改|分析|查找|列出|列",
    "浏览|瀏覽|探索|调查|了解|理解|确认|確認|验证|驗證|测试|測試|调试|調試|排查|定位|重构|重写|删除|移除|替换",
    "安装|配置|设置|实现|實現|编译|构建|获取|获得|收集|下载|加载|调用|使用|试|尝试|处理|解决|继续|完成|提交|回滚",
    "还原|恢复|应用|审查|扫描|优化|研究|翻|查|找|搜|动手|着手|生成|初始化|拉取|启动|重启|检索|统计|查询|核对|核实",
    "过一遍|导入|迁移|清理|格式化|复制|移动|重命名",
    "check|read|run|fix|grep|debug|review|commit|build|update|install|test|search|open",
];

const NOW: &str = "现在";
/// Behind a mere "now" only these: others are nouns as well.
const NOW_VERBS: &str = "查看|看看|看一下|检查一下|检查|读取|修改|添加|修复|编写|创建|删除|替换";

/// Announcements at the beginning of a clause; [`is_meant`] judges them.
pub(super) fn announcements() -> Vec<Regex> {
    let clause = format!("(?:^|[,:;—–()] ?)(?:(?:{})[,!]? ?)*", OPENERS.join("|"));
    let adverbs = format!(" ?(?:(?:{}) ?)*", ADVERBS.join("|"));
    let (speakers, verbs) = (SPEAKERS.join("|"), VERBS.join("|"));
    [
        pattern(&format!("{clause}(?:{speakers}|{NOBODY}){adverbs}({verbs})")),
        pattern(&format!("{clause}{NOW}{adverbs}({NOW_VERBS})")),
    ]
    .concat()
}

/// Not to be done now, or not by the model, wherever in the sentence this stands.
static NOT_NOW: Patterns = Patterns::new(|| {
    any_of(&[
        "如果|倘若|要是|假如|若[您你有需]|只要|一旦|除非|否则|的话|等[你您]|待[你您]|当[你您]|[你您]先",
        "[你您][^,:]{0,20}(?:后|之后|时|完)|(?:确认|同意|批准|允许|授权)(?:后|之后|了?再)|收到.*后",
        "(?:^|[^没])有(?:什么|任何|其他|别的)?(?:问题|疑问|需要)|需要时|如需|如有|随时",
        "以后|下次|今后|将来|从现在起|每次|明天|稍后|回头|改天|到时候|届时|总是|始终",
        "告诉我|跟我说|发给我|发我|贴给我|提供给我|需要我|要我|即可|就可以|就能|就行",
        "请(?:提供|告诉|告知|确认|选择|回复|指示|补充|发|把|先|指定|授权|批准|输入|给|随时|运行|执行|检查|查看|使用|你|您)",
        "[你您]的(?:回复|答复|确认|意见|反馈|选择|决定|指示|同意|批准|想法|意思|理解|需求是|答案)",
        "[你您](?:想|希望|觉得|认为|可以|需要)|[吗嘛]$|(?:好|行|可以)[吗么]|如何$|怎么样$|为好$",
    ])
});

/// In the same clause as a mere "now", without a speaker: told of what stands, and not what comes.
static STANDS: Patterns = Patterns::new(|| any_of(&["[会能可将已不都更需支要必只]"]));

/// What a model is able to do, or what is in use, and no step.
static STATES: Patterns = Patterns::new(|| any_of(&["我会(?:写|编写|读|使用|修)$|正在使用$"]));

/// Behind the verb: it was done, or it is none of a tool's.
static NOT_BEHIND: Patterns = Patterns::new(|| {
    any_of(&[
        "^(?:了|过|不|着|的|来|起来|法|油|情况|时间|出来?了|得|上去|努力|一个?(?:总结|说明|解释|例子)|一点说明)",
        "^做?一?个?(?:总结|说明|解释|介绍|小结|假设)|^吧$",
        "^[^,:]*(?:好了|完了|过了|到了|成了|掉了|出了|完毕)",
        "^[^,:]{0,12}(?:后|之后|时|之前)(?:,|$)",
    ])
});

/// Seen, read, found: done as well.
static REACHED: Patterns = Patterns::new(|| any_of(&["^(?:看|读|查|找|搜|做|写)到"]));

/// Behind what only needs doing: then it is the user who is to do it.
static NOT_BEHIND_NEED: Patterns = Patterns::new(|| any_of(&["[你您]|才能|权限|但|无法|不"]));
static NEEDS: Patterns = Patterns::new(|| any_of(&["我需要|我必须|我应该|我得"]));

/// "Let me see, …": what is seen follows in the same sentence.
static LOOKS: Patterns = Patterns::new(|| any_of(&["(?:看|查|试|确认|检查|查看)$"]));
static IN_PLACE: Patterns =
    Patterns::new(|| any_of(&["^(?:看|一看|一下|一查|查|查看|试)?(?:一下)?[,:] ?[^ ]"]));

/// Before it: somebody is quoted.
static TOLD: Patterns = Patterns::new(|| any_of(&["(?:说|说过|写道|提到|表示|回答|问|写着|叫|做)[,:]? ?$"]));

/// Said behind an announcement, and no step of its own.
pub(super) static FILLERS: Patterns = Patterns::new(|| {
    any_of(&[
        "^请?[您你]?(?:稍等|稍候|等一下|等等|耐心等待)(?:一下|片刻|一会儿?)?$|^马上就?(?:好|来|开始)$|^让我们开始吧$",
        "^这(?:可能|大概|应该|也许)?(?:会|需要|要|将)?(?:需要|花|花费)[^,]*(?:时间|秒|分钟|一会儿?)$",
        "^这(?:样|将|会|有|可以|能)[^,]*(?:帮助|有助于|能|可以|便于|方便)",
        "^(?:稍后|之后|然后)?我?[会将再]?(?:告诉|通知|回复|反馈给|汇报给)[你您]",
    ])
});

/// A question to the user, and not one that the model asks itself.
pub(super) static ASKING: Patterns = Patterns::new(|| {
    any_of(&["[你您]|需要我|要不要|要我|可以吗|好吗|行吗|对吗|是否(?:需要|要|继续|可以)|我(?:应该|该|可以)"])
});

/// The user's condition or a request, for all that follows.
pub(super) static LEAVING: Patterns = Patterns::new(|| {
    any_of(&[
        "(?:如果|若|要是|只要|一旦)[你您](?:愿意|同意|确认|需要|想|希望|觉得)|等[你您]|告诉我",
        "请[您你]?先?(?:确认|选择|回复|告诉|告知|提供|指示|批准)",
    ])
});

/// A colon behind this is answered by the user.
pub(super) static CHOICE: Patterns = Patterns::new(|| {
    any_of(&[
        "请(?:选|确认|告诉|回复|提供|回答|问|您|你)|哪|选项|选择|是否|要不要|还是|[吗呢]$|疑问|问题是?$",
        "[你您](?:想|可以|需要|希望|觉得|更)",
    ])
});

/// Sounds like a condition or a request and is none.
const HARMLESS: [&str; 12] = [
    "请稍等",
    "请稍候",
    "请放心",
    "请等一下",
    "根据你的",
    "根据您的",
    "按照你的",
    "按照您的",
    "按你的",
    "按您的",
    "你说得对",
    "您说得对",
];

/// Whether what was found is an action that the model is to do now.
pub(super) fn is_meant(said: &Said<'_>) -> bool {
    let sentence = HARMLESS.iter().fold(said.sentence.to_owned(), |text, part| text.replace(part, ""));
    let nobody = said.words.contains(NOW) && !said.words.contains(['我', '正', '让', '讓']);
    let answered = any(&LOOKS, said.words) && any(&IN_PLACE, said.after);
    let needs = any(&NEEDS, said.words) && any(&NOT_BEHIND_NEED, said.after);
    let stands = any(&STATES, said.words) || (nobody && any(&STANDS, said.after));
    let done = any(&NOT_BEHIND, said.after) || any(&REACHED, said.action) || any(&TOLD, said.before);
    !(answered || needs || stands || done || any(&NOT_NOW, &sentence))
}

fn any_of(words: &[&str]) -> Vec<Regex> {
    pattern(&words.join("|"))
}
