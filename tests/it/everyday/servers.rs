//! Servers of a project's own on the loopback, each with the test that speaks to it.

use super::row::Proof::Says;
use super::row::{Files, Row, row};

const PYTHON: Files = &[
    ("index.html", "served\n"),
    (
        "test_server.py",
        r#"import threading, unittest, urllib.request
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

class Server(unittest.TestCase):
    def test_serves(self):
        server = ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/index.html") as answer:
            self.assertEqual(answer.read(), b"served\n")
        server.shutdown()
        server.server_close()
"#,
    ),
    (
        "local.py",
        r#"import socket, threading
server = socket.socket(socket.AF_UNIX)
server.bind("socket")
server.listen()
threading.Thread(target=lambda: server.accept()[0].sendall(b"local")).start()
client = socket.socket(socket.AF_UNIX)
client.connect("socket")
print("answered", client.recv(5).decode())
"#,
    ),
];

const NODE: Files = &[(
    "server.test.js",
    "const test = require('node:test');\nconst assert = require('node:assert');\nconst http = require('node:http');\n\
     test('serves', async () => {\n  const server = http.createServer((_, answer) => answer.end('served'));\n  \
     await new Promise((done, failed) => server.on('error', failed).listen(0, '127.0.0.1', done));\n  \
     const answer = await fetch(`http://127.0.0.1:${server.address().port}/`);\n  \
     assert.strictEqual(await answer.text(), 'served');\n  server.closeAllConnections();\n  server.close();\n});\n",
)];

const GO: Files = &[
    ("go.mod", "module example.com/app\n\ngo 1.19\n"),
    (
        "server_test.go",
        "package app\n\nimport (\n\t\"io\"\n\t\"net/http\"\n\t\"net/http/httptest\"\n\t\"testing\"\n)\n\n\
         func TestServes(t *testing.T) {\n\thandler := func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, \"served\") }\n\t\
         server := httptest.NewServer(http.HandlerFunc(handler))\n\tdefer server.Close()\n\tanswer, err := http.Get(server.URL)\n\t\
         if err != nil {\n\t\tt.Fatal(err)\n\t}\n\tbody, _ := io.ReadAll(answer.Body)\n\tif string(body) != \"served\" {\n\t\t\
         t.Fatal(string(body))\n\t}\n}\n",
    ),
];

const RUST: Files = &[
    ("Cargo.toml", "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n"),
    (
        "tests/server.rs",
        "use std::io::{Read, Write};\nuse std::net::{TcpListener, TcpStream};\n\n#[test]\nfn serves() {\n    \
         let server = TcpListener::bind(\"127.0.0.1:0\").unwrap();\n    let address = server.local_addr().unwrap();\n    \
         let serving = std::thread::spawn(move || server.accept().unwrap().0.write_all(b\"served\"));\n    \
         let mut said = String::new();\n    TcpStream::connect(address).unwrap().read_to_string(&mut said).unwrap();\n    \
         serving.join().unwrap().unwrap();\n    assert_eq!(said, \"served\");\n}\n",
    ),
    ("src/lib.rs", ""),
];

const JAVA: Files = &[(
    "Serve.java",
    "import com.sun.net.httpserver.HttpServer;\nimport java.net.InetSocketAddress;\nimport java.net.URI;\n\n\
     class Serve {\n    public static void main(String[] args) throws Exception {\n        \
     var server = HttpServer.create(new InetSocketAddress(\"127.0.0.1\", 0), 0);\n        \
     server.createContext(\"/\", call -> { call.sendResponseHeaders(200, 6); call.getResponseBody().write(\"served\".getBytes()); call.close(); });\n        \
     server.start();\n        var address = URI.create(\"http://127.0.0.1:\" + server.getAddress().getPort() + \"/\").toURL();\n        \
     System.out.println(new String(address.openStream().readAllBytes()));\n        server.stop(0);\n    }\n}\n",
)];

/// Its output is read only once somebody answers, and all that it started ends with it.
const BY_HAND: &str = "python3 -m http.server 8123 --bind 127.0.0.1 2>log & \
     curl -sS --retry 50 --retry-delay 1 --retry-connrefused --noproxy '*' http://127.0.0.1:8123/index.html; code=$?; \
     cat log; kill $! && exit $code";

pub(super) const ROWS: &[Row] = &[
    row("http.server and curl", PYTHON, BY_HAND, Says("served"))
        .needs(&["python3", "curl"])
        .not_by_landlock("Couldn't connect", "a socket"),
    row("a server's unittest", PYTHON, "python3 -m unittest", Says("OK"))
        .needs(&["python3"])
        .not_by_landlock("not permitted", "a socket"),
    row("a local socket", PYTHON, "python3 local.py", Says("answered local"))
        .needs(&["python3"])
        .not_by_landlock("not permitted", "a socket"),
    row("a server's node test", NODE, "node --test", Says("pass 1"))
        .needs(&["node"])
        .not_by_landlock("EPERM", "a socket"),
    row("a server's go test", GO, "go test -vet=off ./...", Says("ok  \texample.com/app"))
        .needs(&["go"])
        .not_by_landlock("not permitted", "a socket"),
    row("a server's cargo test", RUST, "cargo test --offline", Says("test serves ... ok"))
        .needs(&["cargo"])
        .not_by_landlock("PermissionDenied", "a socket"),
    row("a server in java", JAVA, "java Serve.java", Says("served"))
        .needs(&["java"])
        .not_by_landlock("not permitted", "a socket"),
];
