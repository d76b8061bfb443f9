//! C: the compiler and `make`, libraries, tests; `cmake` where it is.

use super::row::Proof::{Makes, Says};
use super::row::{Files, Row, row};

const PROJECT: Files = &[
    (
        "Makefile",
        "CFLAGS = -Wall -Werror -fPIC\napp: main.o libpart.a\n\t$(CC) -o $@ $^\nlibpart.a: part.o\n\t$(AR) rcs $@ $^\n\
         libpart.so: part.o\n\t$(CC) -shared -o $@ $^\n\
         check: app\n\t./app | grep -qx 'it is 42' && echo passed\n\
         through-tmp:\n\techo kept > /tmp/through-tmp && mv /tmp/through-tmp kept.txt\n",
    ),
    ("part.c", "int twice(int n) { return n * 2; }\n"),
    (
        "main.c",
        "#include <stdio.h>\nint twice(int);\nint main(void) { printf(\"it is %d\\n\", twice(21)); return 0; }\n",
    ),
    (
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.10)\nproject(app C)\nenable_testing()\nadd_executable(app main.c part.c)\n\
         add_test(NAME twice COMMAND app)\n",
    ),
];

const ASAN: &[&str] = &["test -e \"$(gcc -print-file-name=libasan.so)\""];

pub(super) const ROWS: &[Row] = &[
    row("make", PROJECT, "make -j2 && ./app", Says("it is 42")),
    row("make check", PROJECT, "make check", Says("passed")),
    row(
        "a shared library",
        PROJECT,
        "make libpart.so && gcc -o app main.c -L. -lpart && LD_LIBRARY_PATH=. ./app",
        Says("it is 42"),
    ),
    row(
        "gcc with coverage",
        PROJECT,
        "gcc --coverage -o app main.c part.c && ./app && gcov -n app-part.gcda",
        Says("executed:100.00%"),
    )
    .needs(&["gcov"]),
    row(
        "cmake and ctest",
        PROJECT,
        "cmake -S . -B build && cmake --build build && cd build && ctest",
        Says("100% tests passed"),
    )
    .needs(&["cmake", "ctest"]),
    row(
        "gcc with an address sanitizer",
        PROJECT,
        "gcc -fsanitize=address -o app main.c part.c && ASAN_OPTIONS=detect_leaks=0 ./app",
        Says("it is 42"),
    )
    .needs(ASAN),
    row(
        "a search for leaks",
        PROJECT,
        "gcc -fsanitize=address -o app main.c part.c && ./app",
        Says("it is 42"),
    )
    .needs(ASAN)
    .not_in_a_room("LeakSanitizer", "tracing")
    .not_by_landlock("LeakSanitizer", "tracing"),
    row("a makefile that goes through /tmp", PROJECT, "make through-tmp", Makes("kept.txt"))
        .not_by_landlock("/tmp/through-tmp", "`/tmp`"),
];
