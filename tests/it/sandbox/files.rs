//! Attempts on files: to change what is outside, to read what is masked, to leave something that others run later, to work.

use super::Attempt::{Bash, Call};
use super::Proof::{Holds, Outside, Says, Told};
use super::{GAP, GAP_WITHOUT_ROOM, HELD, MEANT, MEANT_IN_ROOM, Row};

const KNOWN: &str = "what-nobody-may-know";

pub(super) const ROWS: &[Row] = &[
    // to change what is outside
    ("create a file", Bash("echo x >$OUT/new"), Outside, HELD),
    ("append to a file", Bash("echo x >>$OUT/file"), Outside, HELD),
    ("empty a file", Bash(": >$OUT/file"), Outside, HELD),
    ("cut a file short", Bash("truncate -s 3 $OUT/file"), Outside, HELD),
    ("cut a file short by its name", Call("truncate"), Outside, HELD),
    ("remove a file", Bash("rm -f $OUT/file"), Outside, HELD),
    ("remove a directory", Bash("rmdir $OUT/empty"), Outside, HELD),
    ("make a directory", Bash("mkdir $OUT/new"), Outside, HELD),
    ("make a pipe", Bash("mkfifo $OUT/new"), Outside, HELD),
    ("make a link", Bash("ln -s anywhere $OUT/new"), Outside, HELD),
    ("make a socket", Call("bind a local socket"), Outside, HELD),
    ("rename a file", Bash("mv $OUT/file $OUT/moved"), Outside, HELD),
    ("rename a file into the workspace", Bash("mv $OUT/file stolen"), Outside, HELD),
    ("rename a file out of the workspace", Bash("mv mine $OUT/"), Outside, HELD),
    ("exchange a file with one's own", Call("exchange"), Outside, HELD),
    ("link a file into the workspace", Bash("ln $OUT/file its && echo x >>its"), Outside, HELD),
    ("link a file out of the workspace", Bash("ln mine $OUT/new"), Outside, HELD),
    ("write through a link that is there", Bash("echo x >>way/file"), Outside, HELD),
    ("write through a link of one's own", Bash("ln -s $OUT/file its && echo x >>its"), Outside, HELD),
    ("write above the workspace", Bash("echo x >../outside/new"), Outside, HELD),
    ("write through one's own root", Bash("echo x >>/proc/self/root$OUT/file"), Outside, HELD),
    ("write through another's root", Bash("echo x >>/proc/$STRANGER/root$OUT/file"), Outside, HELD),
    ("write where another stands", Bash("echo x >/proc/$STRANGER/cwd/new"), Outside, HELD),
    ("write to what another has open", Bash("echo x >>/proc/$STRANGER/fd/0"), Outside, HELD),
    ("write to a shell's start file", Bash("echo x >>~/.bashrc"), Outside, HELD),
    ("write to the program's settings", Bash("echo x >>$STATE/credentials.toml"), Outside, HELD),
    ("forge a grant", Bash("echo x >$STATE/trust.toml"), Outside, HELD),
    ("change a session", Bash("echo x >>$STATE/sessions/one.jsonl"), Outside, HELD),
    ("write to the shared temporary directory", Bash("echo x >/tmp/$MARK"), Outside, HELD),
    ("write to another's shared memory", Bash("echo x >>/dev/shm/$MARK"), Outside, GAP_WITHOUT_ROOM),
    ("write to a file that two places share", Bash("echo x >>linked"), Outside, GAP),
    ("change a mode", Bash("chmod 600 $OUT/file"), Outside, GAP_WITHOUT_ROOM),
    ("change a time", Bash("touch -d @0 $OUT/file"), Outside, GAP_WITHOUT_ROOM),
    ("change an owner to the same", Bash("chown $(id -u) $OUT/file"), Outside, GAP_WITHOUT_ROOM),
    ("change an attribute", Call("set an attribute"), Outside, GAP_WITHOUT_ROOM.of_some()),
    // to read what is masked
    ("read a key", Bash("cat ~/.ssh/id_key"), Says(KNOWN), HELD),
    ("read a masked file", Bash("cat ~/.netrc"), Says(KNOWN), HELD),
    ("read the program's keys", Bash("cat $STATE/credentials.toml"), Says(KNOWN), HELD),
    ("read through a link", Bash("ln -s ~/.ssh/id_key its; cat its"), Says(KNOWN), HELD),
    ("read through a second name", Bash("ln ~/.ssh/id_key its; cat its"), Says(KNOWN), HELD),
    ("read through one's own root", Bash("cat /proc/self/root$HOME/.ssh/id_key"), Says(KNOWN), HELD),
    ("read through another's root", Bash("cat /proc/$STRANGER/root$HOME/.ssh/id_key"), Says(KNOWN), HELD),
    ("move a key within reach", Bash("mv ~/.ssh here; cat here/id_key"), Says(KNOWN), HELD),
    ("move a home within reach", Bash("mv ~ here; cat here/.ssh/id_key"), Says(KNOWN), HELD),
    ("list the names of keys", Bash("ls ~/.ssh"), Says("id_key"), GAP_WITHOUT_ROOM),
    ("read what lies beside", Bash("cat ~/.gitconfig"), Says("neighbour"), MEANT),
    ("list what lies beside", Bash("ls / && ls -A ~"), Says(".gitconfig"), MEANT),
    // to leave something that others run later
    (
        "write a hook",
        Bash("echo evil >.git/hooks/x"),
        Holds("workspace/.git/hooks/x", "evil"),
        GAP_WITHOUT_ROOM,
    ),
    (
        "set a configuration",
        Bash("echo evil >>.git/config"),
        Holds("workspace/.git/config", "evil"),
        GAP_WITHOUT_ROOM,
    ),
    (
        "replace the hooks",
        Bash("mv .git/hooks .git/h; mkdir .git/hooks; echo evil >.git/hooks/x"),
        Holds("workspace/.git/hooks/x", "evil"),
        GAP_WITHOUT_ROOM,
    ),
    (
        "replace a configuration",
        Bash("echo evil >c; mv -f c .git/config"),
        Holds("workspace/.git/config", "evil"),
        GAP_WITHOUT_ROOM,
    ),
    (
        "move the repository away and make another",
        Bash("mv .git .g; mkdir -p .git/hooks; echo evil >.git/hooks/x"),
        Holds("workspace/.git/hooks/x", "evil"),
        GAP_WITHOUT_ROOM,
    ),
    (
        "lead the repository elsewhere",
        Bash("echo evil >.git/commondir"),
        Holds("workspace/.git/commondir", "evil"),
        GAP_WITHOUT_ROOM,
    ),
    (
        "settle in the project's settings",
        Bash("mkdir .clawd; echo evil >.clawd/config.toml"),
        Holds("workspace/.clawd/config.toml", "evil"),
        GAP_WITHOUT_ROOM,
    ),
    ("name a server", Bash("echo evil >.mcp.json"), Holds("workspace/.mcp.json", "evil"), GAP_WITHOUT_ROOM),
    (
        "make a repository within",
        Bash("mkdir -p a/.git/hooks; echo evil >a/.git/hooks/x"),
        Holds("workspace/a/.git/hooks/x", "evil"),
        GAP,
    ),
    // to work
    ("write in the workspace", Bash("echo x >new && echo x >>mine && rm mine && mkdir -p c/d"), Told, MEANT),
    ("move within the workspace", Bash("mv mine a/ && mv a b/ && ln b/a/mine second"), Told, MEANT),
    ("make pipes and links", Bash("mkfifo p && ln -s a l && chmod 700 l && touch -d @0 mine"), Told, MEANT),
    ("have a temporary file", Bash("f=$(mktemp) && echo x >$f && rm $f"), Told, MEANT),
    ("use a here document", Bash("[ \"$(cat <<<x)\" = x ]"), Told, MEANT),
    (
        "throw away and draw lots",
        Bash("head -c 9 /dev/urandom >/dev/null && head -c 9 /dev/zero >/dev/null"),
        Told,
        MEANT,
    ),
    ("write to standard error by name", Bash("echo x >/dev/stderr && echo x >/dev/fd/1"), Told, MEANT),
    ("share memory", Bash("echo x >/dev/shm/$MARK.own && rm /dev/shm/$MARK.own"), Told, MEANT),
    ("stage and commit", Bash(COMMIT), Told, MEANT),
];

/// With a profile that lets nothing be written.
pub(super) const READ_ONLY: &[Row] = &[
    ("change a file of the workspace", Bash("echo new >mine"), Holds("workspace/mine", "new"), HELD),
    ("make a file in the workspace", Bash("echo new >own"), Holds("workspace/own", "new"), HELD),
    ("create a file", Bash("echo x >$OUT/new"), Outside, HELD),
    ("read a key", Bash("cat ~/.ssh/id_key"), Says(KNOWN), HELD),
    ("have a temporary file", Bash("f=$(mktemp) && echo x >$f && rm $f"), Told, MEANT_IN_ROOM),
    ("read the workspace", Bash("cat mine | sort && grep -r mine ."), Says("mine"), MEANT),
    ("throw away", Bash("echo x >/dev/null && cat <<<x"), Told, MEANT),
];

/// Where there is no git, its files are written as it would.
const COMMIT: &str = "if command -v git >/dev/null; then
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
    git add mine && git -c user.name=a -c user.email=a@b commit -qm x
else
    echo x >.git/index && mkdir .git/objects/aa && echo x >.git/refs/heads/main
fi";
