//! Node: a package with another beside it, by the name of a file.

use super::row::Proof::{Makes, Says};
use super::row::{Files, Row, row};

const PACKAGE: Files = &[
    (
        "package.json",
        r#"{"name": "app", "version": "1.0.0", "private": true, "dependencies": {"part": "file:part"},
            "scripts": {"test": "node --test", "build": "node build.js"}}"#,
    ),
    (
        "package-lock.json",
        r#"{"name": "app", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {
            "": {"name": "app", "version": "1.0.0", "dependencies": {"part": "file:part"}},
            "node_modules/part": {"resolved": "part", "link": true},
            "part": {"version": "1.0.0", "bin": {"part": "cli.js"}}}}"#,
    ),
    (
        "part/package.json",
        r#"{"name": "part", "version": "1.0.0", "main": "index.js", "bin": {"part": "cli.js"}}"#,
    ),
    ("part/index.js", "exports.double = (n) => n * 2;\n"),
    ("part/cli.js", "#!/usr/bin/env node\nconsole.log(`it is ${require('./index.js').double(21)}`);\n"),
    (
        "build.js",
        "const fs = require('fs');\nfs.mkdirSync('dist', { recursive: true });\n\
         fs.writeFileSync('dist/app.js', fs.readFileSync('part/index.js', 'utf8').replace(/\\s+/g, ' '));\n",
    ),
    (
        "double.test.js",
        "const test = require('node:test');\nconst assert = require('node:assert');\n\
         test('doubles', () => assert.strictEqual(require('./part').double(2), 4));\n",
    ),
];

const PROCESSES: Files = &[
    ("child.js", "process.on('message', (n) => { process.send(n * 2); process.disconnect(); });\n"),
    (
        "main.js",
        "const { fork } = require('child_process');\nconst { Worker } = require('worker_threads');\n\
         const child = fork('./child.js');\nchild.send(4);\nchild.on('message', (n) => {\n  \
         const worker = new Worker(`require('worker_threads').parentPort.postMessage(${n} + 1)`, { eval: true });\n  \
         worker.on('message', (m) => console.log(`it is ${m}`));\n});\n",
    ),
];

const CI: &str = "npm ci --offline --no-audit --no-fund";

pub(super) const ROWS: &[Row] = &[
    row(
        "npm ci with a local package",
        PACKAGE,
        "npm ci --offline --no-audit --no-fund && node_modules/.bin/part",
        Says("it is 42"),
    )
    .needs(&["npm"]),
    row("npm ci in a new home", PACKAGE, CI, Makes("node_modules/part/index.js"))
        .needs(&["npm"])
        .in_a_new_home(),
    row("npm test", PACKAGE, "npm test", Says("pass 1")).needs(&["npm"]),
    row("npm run build", PACKAGE, "npm run build", Makes("dist/app.js")).needs(&["npm"]),
    row("npx of an installed program", PACKAGE, "npx --offline part", Says("it is 42"))
        .needs(&["npm", "npx"])
        .after(CI),
    row("npm pack", PACKAGE, "cd part && npm pack --offline", Makes("part/part-1.0.0.tgz")).needs(&["npm"]),
    row("node with child processes and workers", PROCESSES, "node main.js", Says("it is 9")),
];
