//! Java: the compiler and the archiver by hand, and what Maven and Gradle do without a single download.

use super::row::Proof::{Makes, Says};
use super::row::{Files, Row, row};

const SOURCES: Files = &[
    (
        "src/main/java/app/Main.java",
        "package app;\n\npublic class Main {\n    static int twice(int n) { return n * 2; }\n\n    \
         public static void main(String[] args) { System.out.println(\"it is \" + twice(21)); }\n}\n",
    ),
    (
        "src/check/java/app/Check.java",
        "package app;\n\nclass Check {\n    public static void main(String[] args) {\n        \
         if (Main.twice(2) != 4) throw new AssertionError();\n        System.out.println(\"checked\");\n    }\n}\n",
    ),
    (
        "src/check/java/app/Temporary.java",
        "package app;\n\nclass Temporary {\n    public static void main(String[] args) throws Exception {\n        System.out.println(\"made \" + java.nio.file.Files.createTempFile(\"a\", \"b\"));\n    }\n}\n",
    ),
    (
        "pom.xml",
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
         <groupId>example</groupId><artifactId>app</artifactId><version>1</version></project>\n",
    ),
    ("settings.gradle", "rootProject.name = 'app'\n"),
    ("build.gradle", "apply plugin: 'java'\njar { manifest { attributes 'Main-Class': 'app.Main' } }\n"),
];

pub(super) const ROWS: &[Row] = &[
    row(
        "javac, jar, java -jar",
        SOURCES,
        "javac -d out src/main/java/app/*.java src/check/java/app/Check.java && java -cp out app.Check \
         && jar --create --file app.jar --main-class app.Main -C out . && java -jar app.jar",
        Says("it is 42"),
    ),
    row("a temporary file", SOURCES, "java src/check/java/app/Temporary.java", Says("made /tmp/"))
        .not_by_landlock("AccessDenied", "`/tmp`"),
    row("mvn validate", SOURCES, "mvn -o -B validate", Says("BUILD SUCCESS")).needs(&["mvn"]),
    row("mvn validate in a new home", SOURCES, "mvn -o -B validate", Says("BUILD SUCCESS"))
        .needs(&["mvn"])
        .in_a_new_home()
        .not_in_a_room("Could not create local repository", "maven")
        .not_by_landlock("Could not create local repository", "maven"),
    row(
        "gradle build",
        SOURCES,
        "gradle --offline --no-daemon -q build && java -jar build/libs/app.jar",
        Makes("build/libs/app.jar"),
    )
    .needs(&["gradle"])
    .in_a_new_home()
    .not_by_landlock("Could not", "a socket"),
];
