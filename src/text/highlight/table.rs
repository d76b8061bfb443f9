//! The languages, as a table.
//!
//! Not complete word lists: types that everybody knows and no library names, for what begins with a capital is taken for a
//! type where the language has that habit. A language belongs here if its code is often seen in answers.

use super::Token;
use super::language::{Case, Escape, Form, Nesting, Quote, Reach, Syntax};

const fn quote(open: &'static str, close: &'static str, escape: Escape, reach: Reach) -> Quote {
    Quote { open, close, escape, reach }
}

const DOUBLE: Quote = quote("\"", "\"", Escape::Backslash, Reach::Line);
const SINGLE: Quote = quote("'", "'", Escape::Backslash, Reach::Line);
const CHARACTER: Quote = quote("'", "'", Escape::Backslash, Reach::Character);
const LONG: Quote = quote("\"", "\"", Escape::Backslash, Reach::Lines);
const TEMPLATE: Quote = quote("`", "`", Escape::Backslash, Reach::Lines);
const TRIPLE: Quote = quote("\"\"\"", "\"\"\"", Escape::Backslash, Reach::Lines);
const TRIPLE_SINGLE: Quote = quote("'''", "'''", Escape::Backslash, Reach::Lines);
const RAW: Quote = quote("`", "`", Escape::None, Reach::Lines);
const VERBATIM: Quote = quote("'", "'", Escape::None, Reach::Lines);

const ATTRIBUTE: &[(char, Token)] = &[('@', Token::Name)];
const VARIABLE: &[(char, Token)] = &[('$', Token::Type)];

/// What most have in common; each row says what is different.
const PLAIN: Syntax = Syntax {
    names: "",
    form: Form::Code,
    comments: "//",
    block: Some(("/*", "*/")),
    nesting: Nesting::Flat,
    quotes: &[DOUBLE, SINGLE],
    sigils: &[],
    joints: "",
    keywords: "",
    types: "",
    case: Case::Camel,
};

/// What the scripting languages have in common.
const SCRIPT: Syntax = Syntax { comments: "#", block: None, ..PLAIN };

/// All languages.
pub(super) static TABLE: &[Syntax] = &[
    Syntax {
        names: "rust rs",
        nesting: Nesting::Nested,
        quotes: &[
            quote("r##\"", "\"##", Escape::None, Reach::Lines),
            quote("r#\"", "\"#", Escape::None, Reach::Lines),
            quote("r\"", "\"", Escape::None, Reach::Lines),
            CHARACTER,
            LONG,
        ],
        keywords: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self static struct super trait true type unsafe use where while yield",
        types: "bool char f32 f64 i128 i16 i32 i64 i8 isize str u128 u16 u32 u64 u8 usize",
        ..PLAIN
    },
    Syntax {
        names: "python py python3 pyi pyw gyp",
        quotes: &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
        sigils: ATTRIBUTE,
        keywords: "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return True try while with yield",
        types: "bool bytes complex dict float frozenset int list object set str tuple",
        ..SCRIPT
    },
    Syntax {
        names: "typescript ts javascript js jsx tsx mjs cjs mts cts node",
        quotes: &[DOUBLE, SINGLE, TEMPLATE],
        sigils: ATTRIBUTE,
        joints: "$",
        keywords: "abstract as async await break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield",
        types: "any bigint boolean never number object string symbol unknown",
        ..PLAIN
    },
    Syntax {
        names: "go golang",
        quotes: &[DOUBLE, CHARACTER, RAW],
        keywords: "break case chan const continue default defer else fallthrough false for func go goto if import interface iota map nil package range return select struct switch true type var",
        types: "any bool byte complex128 complex64 error float32 float64 int int16 int32 int64 int8 rune string uint uint16 uint32 uint64 uint8 uintptr",
        ..PLAIN
    },
    Syntax {
        names: "java",
        quotes: &[TRIPLE, DOUBLE, CHARACTER],
        sigils: ATTRIBUTE,
        keywords: "abstract assert break case catch class const continue default do else enum extends false final finally for goto if implements import instanceof interface native new null package permits private protected public record return sealed static strictfp super switch synchronized this throw throws transient true try var void volatile while yield",
        types: "boolean byte char double float int long short",
        ..PLAIN
    },
    Syntax {
        names: "c h",
        quotes: &[DOUBLE, CHARACTER],
        sigils: &[('#', Token::Keyword)],
        keywords: "auto break case const continue default do else enum extern for goto if inline register restrict return sizeof static struct switch typedef union volatile while NULL true false",
        types: "bool char double float int int16_t int32_t int64_t int8_t long short signed size_t ssize_t uint16_t uint32_t uint64_t uint8_t unsigned void",
        ..PLAIN
    },
    Syntax {
        names: "cpp c++ cc cxx hpp hh hxx cu ino arduino objc objective-c m mm",
        quotes: &[quote("R\"(", ")\"", Escape::None, Reach::Lines), DOUBLE, CHARACTER],
        sigils: &[('#', Token::Keyword)],
        keywords: "alignas alignof and auto break case catch class co_await co_return co_yield concept const const_cast consteval constexpr constinit continue decltype default delete do dynamic_cast else enum explicit export extern false final for friend goto if inline mutable namespace new noexcept not nullptr operator or override private protected public register reinterpret_cast requires return sizeof static static_assert static_cast struct switch template this throw true try typedef typeid typename union using virtual volatile while",
        types: "bool char char16_t char32_t char8_t double float int int16_t int32_t int64_t int8_t long short signed size_t uint16_t uint32_t uint64_t uint8_t unsigned void wchar_t",
        ..PLAIN
    },
    Syntax {
        names: "csharp cs c#",
        quotes: &[TRIPLE, quote("@\"", "\"", Escape::None, Reach::Lines), DOUBLE, CHARACTER],
        sigils: &[('#', Token::Keyword)],
        keywords: "abstract as async await base break case catch checked class const continue default delegate do else enum event explicit extern false finally fixed for foreach get goto if implicit in init interface internal is lock nameof namespace new null operator out override params private protected public readonly record ref required return sealed set sizeof stackalloc static struct switch this throw true try typeof unchecked unsafe using var virtual void volatile when where while with yield",
        types: "bool byte char decimal double dynamic float int long nint object sbyte short string uint ulong ushort",
        ..PLAIN
    },
    Syntax {
        names: "kotlin kt kts",
        nesting: Nesting::Nested,
        quotes: &[TRIPLE, DOUBLE, CHARACTER],
        sigils: ATTRIBUTE,
        keywords: "abstract actual as break by catch class companion const constructor continue data do else enum expect external false final finally for fun get if import in infix init inline inner interface internal is lateinit null object open operator out override package private protected public reified return sealed set super suspend tailrec this throw true try typealias val value var vararg when where while",
        ..PLAIN
    },
    Syntax {
        names: "swift",
        nesting: Nesting::Nested,
        quotes: &[TRIPLE, DOUBLE],
        sigils: ATTRIBUTE,
        keywords: "actor any as associatedtype async await break case catch class continue default defer deinit do else enum extension fallthrough false fileprivate final for func get guard if import in indirect init inout internal is lazy let mutating nil nonisolated open operator override private protocol public repeat required rethrows return self set some static struct subscript super switch throw throws true try typealias unowned var weak where while",
        ..PLAIN
    },
    Syntax {
        names: "scala sc sbt groovy gradle",
        nesting: Nesting::Nested,
        quotes: &[TRIPLE, DOUBLE, CHARACTER, SINGLE],
        sigils: ATTRIBUTE,
        keywords: "abstract case catch class def do else enum export extends extension false final finally for forSome given if implicit import in lazy match new null object override package private protected return sealed super then this throw trait true try type using val var while with yield",
        ..PLAIN
    },
    Syntax {
        names: "dart",
        quotes: &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
        sigils: ATTRIBUTE,
        keywords: "abstract as assert async await base break case catch class const continue covariant default deferred do else enum export extends extension external factory false final finally for get if implements import in interface is late library mixin new null on operator part required rethrow return sealed set static super switch sync this throw true try typedef var void when while with yield",
        types: "bool double dynamic int num",
        ..PLAIN
    },
    Syntax {
        names: "php",
        comments: "// #",
        quotes: &[LONG, VERBATIM],
        sigils: VARIABLE,
        keywords: "abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty enum extends false final finally fn for foreach function global goto if implements include include_once instanceof interface isset list match namespace new null or print private protected public readonly require require_once return static switch throw trait true try unset use var while xor yield",
        types: "bool float int iterable mixed object self string void",
        ..PLAIN
    },
    Syntax {
        names: "ruby rb rake gemfile rakefile gemspec crystal cr",
        quotes: &[LONG, SINGLE],
        sigils: &[('@', Token::Type), ('$', Token::Type)],
        joints: "?",
        keywords: "alias and begin BEGIN break case class def defined do else elsif end END ensure false for if in module next nil not or private protected public redo require require_relative rescue retry return self super then true undef unless until when while yield attr_accessor attr_reader attr_writer include extend raise",
        ..SCRIPT
    },
    Syntax {
        names: "shell bash sh zsh fish ksh dash bashrc zshrc profile env",
        quotes: &[LONG, VERBATIM],
        sigils: VARIABLE,
        joints: "-",
        keywords: "alias break case cd continue declare do done echo elif else esac eval exec exit export fi for function if in local read readonly return set shift source test then trap unset until while",
        case: Case::Kept,
        ..SCRIPT
    },
    Syntax {
        names: "powershell ps1 pwsh psm1",
        block: Some(("<#", "#>")),
        quotes: &[quote("\"", "\"", Escape::None, Reach::Line), VERBATIM],
        sigils: VARIABLE,
        joints: "-",
        keywords: "begin break catch class continue data do else elseif end enum exit filter finally for foreach function if in param process return switch throw trap try until using while",
        case: Case::Ignored,
        ..SCRIPT
    },
    Syntax {
        names: "sql mysql postgresql postgres plsql sqlite psql",
        comments: "--",
        quotes: &[quote("'", "'", Escape::None, Reach::Lines), quote("\"", "\"", Escape::None, Reach::Line)],
        keywords: "add all alter and as asc begin between by cascade case check column commit constraint create cross database default delete desc distinct drop else end except exists explain false foreign from full grant group having if in index inner insert intersect into is join key left like limit not null offset on or order outer over partition primary references replace returning right rollback select set table then transaction trigger true truncate union unique update using values view when where with",
        types: "bigint bigserial bool boolean bytea char date datetime decimal double float int integer json jsonb numeric real serial smallint text time timestamp timestamptz uuid varchar",
        case: Case::Ignored,
        ..PLAIN
    },
    Syntax {
        names: "lua luau",
        comments: "--",
        block: Some(("--[[", "]]")),
        quotes: &[quote("[[", "]]", Escape::None, Reach::Lines), DOUBLE, SINGLE],
        keywords: "and break do else elseif end false for function goto if in local nil not or repeat return self then true until while",
        case: Case::Kept,
        ..PLAIN
    },
    Syntax {
        names: "zig",
        block: None,
        quotes: &[DOUBLE, CHARACTER],
        sigils: ATTRIBUTE,
        keywords: "align and anyerror anytype asm async await break callconv catch comptime const continue defer else enum errdefer error export extern false fn for if inline linksection noalias noinline null or orelse packed pub resume return struct suspend switch test threadlocal true try undefined union unreachable usingnamespace var volatile while",
        types: "bool c_int f32 f64 i16 i32 i64 i8 isize type u16 u32 u64 u8 usize void",
        ..PLAIN
    },
    Syntax {
        names: "haskell hs elm purescript",
        comments: "--",
        block: Some(("{-", "-}")),
        nesting: Nesting::Nested,
        quotes: &[DOUBLE, CHARACTER],
        joints: "'",
        keywords: "as case class data deriving do else family forall foreign hiding if import in infix infixl infixr instance let module newtype of qualified then type where",
        ..PLAIN
    },
    Syntax {
        names: "elixir ex exs",
        quotes: &[TRIPLE, LONG, SINGLE],
        sigils: &[('@', Token::Type), (':', Token::Text)],
        joints: "?",
        keywords: "after alias and case catch cond def defmacro defmodule defp defstruct do else end false fn for if import in nil not or quote raise receive require rescue true try unless unquote use when with",
        ..SCRIPT
    },
    Syntax {
        names: "ocaml ml mli fsharp fs fsx",
        comments: "//",
        block: Some(("(*", "*)")),
        nesting: Nesting::Nested,
        quotes: &[LONG, CHARACTER],
        keywords: "and as assert begin class do done downto else end exception external false for fun function functor if in include inherit inline let lazy match member method module mutable namespace new object of open or private rec ref sig struct then to true try type val when while with yield",
        types: "bool char float int list option string unit",
        ..PLAIN
    },
    Syntax {
        names: "clojure clj cljs edn lisp scheme elisp el racket",
        comments: ";",
        block: None,
        quotes: &[LONG],
        sigils: &[(':', Token::Name)],
        joints: "-?!*+/<>=.",
        keywords: "and case cond def define defmacro defn defun do else false fn for if lambda let letfn loop nil not ns or quote recur require set! true when",
        case: Case::Kept,
        ..PLAIN
    },
    Syntax {
        names: "r rscript julia jl",
        quotes: &[TRIPLE, LONG, SINGLE],
        joints: ".",
        keywords: "abstract baremodule begin break catch const continue do else elseif end export false FALSE finally for function global if import in let library local macro module mutable NA next NULL quote repeat return struct true TRUE try type using while",
        ..SCRIPT
    },
    Syntax {
        names: "perl pl pm",
        quotes: &[LONG, VERBATIM],
        sigils: &[('$', Token::Type), ('@', Token::Type), ('%', Token::Type)],
        keywords: "and cmp defined die do else elsif eq for foreach ge gt if last le lt my ne next no not or our package print qw redo require return say sub undef unless until use wantarray while",
        case: Case::Kept,
        ..SCRIPT
    },
    Syntax {
        names: "dockerfile docker containerfile",
        keywords: "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR",
        sigils: VARIABLE,
        joints: "-",
        case: Case::Kept,
        ..SCRIPT
    },
    Syntax {
        names: "makefile make mk gnumakefile justfile just cmake cmakelists.txt",
        sigils: VARIABLE,
        joints: "-",
        keywords: "define else endef endif endfunction endforeach export foreach function if ifdef ifeq ifndef ifneq include override set unexport",
        case: Case::Kept,
        ..SCRIPT
    },
    Syntax {
        names: "nix",
        quotes: &[quote("''", "''", Escape::None, Reach::Lines), LONG],
        joints: "-'",
        keywords: "assert else false if import in inherit let null or rec then true with",
        case: Case::Kept,
        block: Some(("/*", "*/")),
        ..SCRIPT
    },
    Syntax {
        names: "protobuf proto graphql gql thrift solidity sol",
        comments: "// #",
        quotes: &[TRIPLE, DOUBLE, SINGLE],
        sigils: ATTRIBUTE,
        keywords: "contract directive enum event extend extends false fragment function implements import input interface mapping message modifier mutation on oneof option optional package payable pragma private public query repeated required reserved return returns rpc scalar schema service struct subscription syntax true type union view",
        types: "address bool bytes double float int32 int64 string uint256 uint32 uint64",
        ..PLAIN
    },
    Syntax {
        names: "json jsonc json5 jsonl ndjson geojson ipynb",
        form: Form::Data(':'),
        quotes: &[DOUBLE],
        keywords: "false null true",
        case: Case::Kept,
        ..PLAIN
    },
    Syntax {
        names: "yaml yml",
        form: Form::Data(':'),
        sigils: &[('&', Token::Type), ('*', Token::Type), ('!', Token::Type)],
        joints: "-./",
        keywords: "false no null off on true yes",
        case: Case::Kept,
        ..SCRIPT
    },
    Syntax {
        names: "toml ini cfg conf properties editorconfig gitconfig desktop service cargo.lock poetry.lock",
        form: Form::Data('='),
        comments: "# ;",
        quotes: &[
            TRIPLE,
            quote("'''", "'''", Escape::None, Reach::Lines),
            DOUBLE,
            quote("'", "'", Escape::None, Reach::Line),
        ],
        joints: "-.",
        keywords: "false true",
        case: Case::Kept,
        ..SCRIPT
    },
    Syntax {
        names: "terraform hcl tf tfvars",
        form: Form::Data('='),
        comments: "# //",
        block: Some(("/*", "*/")),
        quotes: &[DOUBLE],
        joints: "-",
        keywords: "data dynamic false for for_each if in locals module null output provider resource terraform true variable",
        case: Case::Kept,
        ..SCRIPT
    },
    Syntax {
        names: "html htm xml xhtml svg vue svelte astro xsd xsl plist csproj",
        form: Form::Markup,
        comments: "",
        block: Some(("<!--", "-->")),
        quotes: &[quote("\"", "\"", Escape::None, Reach::Lines), quote("'", "'", Escape::None, Reach::Lines)],
        joints: "-:.",
        ..PLAIN
    },
    Syntax {
        names: "css scss less sass",
        form: Form::Style,
        comments: "//",
        sigils: &[('@', Token::Keyword), ('#', Token::Number), ('$', Token::Type)],
        joints: "-",
        keywords: "important",
        case: Case::Kept,
        ..PLAIN
    },
    Syntax { names: "diff patch udiff", form: Form::Diff, ..PLAIN },
];
