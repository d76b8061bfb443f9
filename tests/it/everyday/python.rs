//! Python: the library that it comes with, environments of a project's own, and a package that builds itself.

use super::row::Proof::{Makes, Says};
use super::row::{Files, Row, row};

/// A package whose builder comes with it: nothing is asked for to build it.
const PACKAGE: Files = &[
    (
        "pkg/pyproject.toml",
        "[build-system]\nrequires = []\nbuild-backend = \"builder\"\nbackend-path = [\".\"]\n",
    ),
    ("pkg/greet.py", "def main():\n    print(\"hello from pkg\")\n"),
    (
        "pkg/builder.py",
        r#"import os, zipfile

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, info = "greet-1.0-py3-none-any.whl", "greet-1.0.dist-info"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as wheel:
        wheel.write("greet.py")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: greet\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/entry_points.txt", "[console_scripts]\ngreet = greet:main\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name
"#,
    ),
];

const TESTS: Files = &[
    ("part.py", "def double(n):\n    return n * 2\n"),
    (
        "test_part.py",
        r#"import multiprocessing, sqlite3, tempfile, unittest
from part import double

class Part(unittest.TestCase):
    def test_doubles(self):
        self.assertEqual(double(2), 4)

    def test_doubles_in_processes(self):
        with multiprocessing.Pool(2) as pool:
            self.assertEqual(pool.map(double, [1, 2, 3]), [2, 4, 6])

    def test_keeps_rows(self):
        with tempfile.TemporaryDirectory() as place:
            base = sqlite3.connect(f"{place}/base")
            self.assertEqual(base.execute("pragma journal_mode = wal").fetchone(), ("wal",))
            base.execute("create table t (n)")
            base.execute("insert into t values (?)", (double(21),))
            base.commit()
            self.assertEqual(base.execute("select n from t").fetchall(), [(42,)])
            base.close()
"#,
    ),
    ("__main__.py", "from part import double\nprint(f\"it is {double(21)}\")\n"),
];

const TERMINAL: Files = &[(
    "terminal.py",
    "import pty\nassert pty.spawn([\"test\", \"-t\", \"0\"]) == 0\nprint(\"a terminal\")\n",
)];

pub(super) const ROWS: &[Row] = &[
    row(
        "venv without pip",
        &[],
        "python3 -m venv --without-pip .venv && .venv/bin/python -c 'import sys; print(sys.prefix)'",
        Says("/.venv"),
    ),
    row(
        "pip install of a local package into a venv",
        PACKAGE,
        "python3 -m venv --without-pip --system-site-packages .venv && .venv/bin/python -m pip install -q --no-index \
         --no-build-isolation ./pkg && .venv/bin/greet",
        Says("hello from pkg"),
    )
    .needs(&["python3 -m pip --version"]),
    row("unittest, with processes and a database", TESTS, "python3 -m unittest", Says("Ran 3 tests")),
    row("zipapp", TESTS, "python3 -m zipapp . -o app.pyz && python3 app.pyz", Says("it is 42")),
    row("compileall", TESTS, "python3 -m compileall -q -b .", Makes("part.pyc")),
    row("a terminal of one's own", TERMINAL, "python3 terminal.py", Says("a terminal"))
        .not_by_landlock("out of pty devices", "a terminal"),
];
