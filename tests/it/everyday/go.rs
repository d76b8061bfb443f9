//! Go: a module without dependencies.

use super::row::Proof::{Makes, Says};
use super::row::{Files, Row, row};

const MODULE: Files = &[
    ("go.mod", "module example.com/app\n\ngo 1.19\n"),
    (
        "part/part.go",
        "// Package part doubles.\npackage part\n\n// Double is twice as much.\nfunc Double(n int) int { return n * 2 }\n",
    ),
    (
        "part/part_test.go",
        "package part\n\nimport \"testing\"\n\nfunc TestDouble(t *testing.T) {\n\tif Double(2) != 4 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n",
    ),
    (
        "main.go",
        "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/app/part\"\n)\n\n//go:generate sh -c \"echo made > made.txt\"\n\n\
         func main() { fmt.Println(\"it is\", part.Double(21)) }\n",
    ),
];

pub(super) const ROWS: &[Row] = &[
    row("go build", MODULE, "go build -o app . && ./app", Says("it is 42")),
    row("go build in a new home", MODULE, "go build -o app . && ./app", Says("it is 42")).in_a_new_home(),
    row("go test", MODULE, "go test -vet=off ./...", Says("ok  \texample.com/app/part")),
    row("go vet and gofmt", MODULE, "go vet ./... && gofmt -l . && echo clean", Says("clean")),
    row(
        "go test with coverage",
        MODULE,
        "go test -vet=off -coverprofile=cover.out ./part && go tool cover -func=cover.out",
        Says("100.0%"),
    ),
    row("go mod tidy and go generate", MODULE, "go mod tidy && go generate ./...", Makes("made.txt")),
];
