//! Declarations without a type, which were `int` before C99 and which compilers still take. The grammar reads none of them.
//!
//! ```text
//! main() {…}             int main() {…}
//! f(a, b) char *a; {…}   int f(a, b) char *a; {…}
//! static n = 4;          static int n = 4;
//! register i;            register int i;
//! count = 13;            int count = 13;      outside of functions, if only declarations stand there
//! ```

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::fields::children;
use super::lone_names::{TYPES, Token, tokens};
use crate::syntax::{Role, SyntaxTree};

/// The type that is left out.
const TYPE: &str = "int ";
/// Words that may stand before a name alone.
const SPECIFIERS: &[&str] = &[
    "static",
    "extern",
    "register",
    "const",
    "volatile",
    "inline",
    "__inline",
    "__inline__",
];
/// Reserved words, but for those of types and the specifiers.
const KEYWORDS: &[&str] = &[
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "return",
    "goto",
    "break",
    "continue",
    "sizeof",
    "typedef",
    "struct",
    "union",
    "enum",
    // A type that follows from the value in C23.
    "auto",
    "typeof",
    "__typeof__",
    "asm",
    "__asm__",
    "__attribute__",
    "__extension__",
    "_Alignas",
    "_Static_assert",
    "_Thread_local",
    "_Pragma",
    "_Generic",
    "restrict",
];

/// Words that begin statements.
const STATEMENTS: &[&str] = &["if", "for", "while", "do", "switch"];

/// Whether a tree has an assignment outside of functions, beside functions: the grammar takes `count = 13;` for one.
pub fn has_assignments(tree: &SyntaxTree) -> bool {
    let items = children(tree.root());
    let is_assignment = |item: &Node| {
        tree.role(*item) == Some(Role::ExpressionStatement)
            && children(*item)
                .first()
                .is_some_and(|inner| tree.role(*inner) == Some(Role::AssignmentExpression))
    };
    let has = |role| items.iter().any(|item| tree.role(*item) == Some(role));
    has(Role::Procedure) && items.iter().any(is_assignment)
}

/// The text with the type where declarations leave it out; `None` if none does. Lines stay lines.
pub fn typed(source: &str) -> Option<String> {
    let tokens = tokens(source);
    let text = Text {
        source,
        tokens: &tokens,
    };
    let places = text.places();
    if places.is_empty() {
        return None;
    }
    let mut typed = String::with_capacity(source.len() + places.len() * TYPE.len());
    let mut written = 0;
    for place in places {
        typed.push_str(&source[written..place]);
        typed.push_str(TYPE);
        written = place;
    }
    typed.push_str(&source[written..]);
    Some(typed)
}

struct Text<'s> {
    source: &'s str,
    tokens: &'s [Token],
}

impl<'s> Text<'s> {
    /// Nothing behind the last token.
    fn get(&self, at: usize) -> &'s str {
        (self.tokens.get(at)).map_or("", |token| &self.source[token.start..token.end])
    }

    fn is_own_name(&self, at: usize) -> bool {
        let name = self.get(at);
        let is_reserved = [TYPES, KEYWORDS, SPECIFIERS]
            .iter()
            .any(|words| words.contains(&name));
        self.tokens.get(at).is_some_and(|token| token.is_name) && !is_reserved
    }

    /// The bytes at which a type is missing.
    fn places(&self) -> Vec<usize> {
        let called = self.called();
        let are_declarations = self.has_only_declarations();
        let mut places = Vec::new();
        let mut nesting = Nesting::default();
        let mut begins = true;
        // Where the names of parameters end whose declarations follow.
        let mut listed = None;
        for at in 0..self.tokens.len() {
            if begins {
                let first = self.behind(at, SPECIFIERS);
                let name = self.behind(first, &["*"]);
                let definition = match nesting.is_outside() {
                    true => self.definition(name, &called),
                    false => None,
                };
                listed = definition.or(listed);
                let is_lone = first == at
                    && are_declarations
                    && nesting.is_outside()
                    && self.is_own_name(at)
                    && self.get(at + 1) == "=";
                if definition.is_some() || is_lone || first > at && self.is_declared(name) {
                    places.push(self.tokens[first].start);
                }
            }
            begins = nesting.pass(self, at) || listed == Some(at);
        }
        places
    }

    /// Whether there are functions and no statements outside of them, as in a fragment.
    fn has_only_declarations(&self) -> bool {
        let mut nesting = Nesting::default();
        let mut has_functions = false;
        for at in 0..self.tokens.len() {
            let is_outside = nesting.is_outside();
            if is_outside && STATEMENTS.contains(&self.get(at)) {
                return false;
            }
            nesting.pass(self, at);
            has_functions |= is_outside && nesting.braces.last() == Some(&true);
        }
        has_functions
    }

    /// What is called in functions.
    fn called(&self) -> FxHashSet<&'s str> {
        let mut nesting = Nesting::default();
        let mut called = FxHashSet::from_iter(["main"]);
        for at in 0..self.tokens.len() {
            nesting.pass(self, at);
            if !nesting.braces.is_empty() && self.get(at + 1) == "(" {
                called.insert(self.get(at));
            }
        }
        called
    }

    /// The first token that is none of these.
    fn behind(&self, mut at: usize, words: &[&str]) -> usize {
        while words.contains(&self.get(at)) {
            at += 1;
        }
        at
    }

    /// Whether a name behind specifiers is what they declare, not a type.
    fn is_declared(&self, name: usize) -> bool {
        let ends = |at: usize| matches!(self.get(at), ";" | ",");
        self.is_own_name(name)
            && match self.get(name + 1) {
                "=" | "[" => true,
                // `extern f(), *g();`
                "(" if !matches!(self.get(name + 2), "*" | "^" | "(") => {
                    self.closing(name + 1).is_some_and(|close| ends(close + 1))
                }
                _ => ends(name + 1),
            }
    }

    /// The end of the parameters of a function that is defined there: `f() {`, `f(a) char *a; {`.
    fn definition(&self, name: usize, called: &FxHashSet<&str>) -> Option<usize> {
        if !self.is_own_name(name)
            || self.get(name + 1) != "("
            || matches!(self.get(name + 2), "*" | "^" | "(")
        {
            return None;
        }
        let close = self.closing(name + 1)?;
        // One name in parentheses may be what a macro declares: `TEST(sum) {`.
        let is_one_name = close == name + 3 && self.is_own_name(name + 2);
        let is_defined = match self.get(close + 1) {
            "{" => !is_one_name || called.contains(self.get(name)),
            _ => self.are_parameters(close + 1, close - name),
        };
        is_defined.then_some(close)
    }

    /// The token that closes the parenthesis around parameters.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0u32;
        for at in open..self.tokens.len() {
            match self.get(at) {
                "(" => depth += 1,
                ")" if depth == 1 => return Some(at),
                ")" => depth -= 1,
                ";" | "{" | "}" => return None,
                _ => {}
            }
        }
        None
    }

    /// Whether declarations of parameters begin there, so many at most, and a body behind them.
    fn are_parameters(&self, first: usize, mut most: usize) -> bool {
        let mut begins = true;
        for at in first..self.tokens.len() {
            match self.get(at) {
                "{" => return begins && at > first,
                "}" | "=" => return false,
                ";" if begins || most == 0 => return false,
                ";" => (begins, most) = (true, most - 1),
                _ if begins && !self.tokens[at].is_name => return false,
                _ => begins = false,
            }
        }
        false
    }
}

/// What is around a token.
#[derive(Default)]
struct Nesting {
    /// Whether the braces around hold statements.
    braces: Vec<bool>,
    parentheses: u32,
}

impl Nesting {
    fn is_outside(&self) -> bool {
        self.braces.is_empty() && self.parentheses == 0
    }

    /// Passes a token; whether a declaration may begin behind it.
    fn pass(&mut self, text: &Text, at: usize) -> bool {
        let before = at.checked_sub(1).map_or("", |before| text.get(before));
        match text.get(at) {
            "(" => {
                self.parentheses += 1;
                before == "for"
            }
            ")" => {
                self.parentheses = self.parentheses.saturating_sub(1);
                false
            }
            "{" => {
                let holds_statements =
                    matches!(before, ")" | ";" | "{" | "}" | ":" | "else" | "do");
                self.braces.push(holds_statements);
                holds_statements
            }
            "}" => self.braces.pop().unwrap_or(true),
            ";" => self.braces.last().copied().unwrap_or(true),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::typed;

    fn check(source: &str, expected: &str) {
        assert_eq!(typed(source).as_deref().unwrap_or(source), expected);
    }

    #[test]
    fn what_has_no_type_is_a_whole_number() {
        check("main() { return 0; }", "int main() { return 0; }");
        check("void *p;main(){}", "void *p;int main(){}");
        check(
            "f(a, b)\nchar *a;\nregister b;\n{ }\nmain(argc) { f(\"\", 1); }",
            "int f(a, b)\nchar *a;\nregister int b;\n{ }\nint main(argc) { f(\"\", 1); }",
        );
        check(
            "static n = 4, m; const k[] = {1};\nstatic g(x) int x; { register i, j; const l = 2; }",
            "static int n = 4, m; const int k[] = {1};\nstatic int g(x) int x; { register int i, j; const int l = 2; }",
        );
        check(
            "extern one_(); extern *next();\n*q(n) int n; { register y = 22; }",
            "extern int one_(); extern int *next();\nint *q(n) int n; { register int y = 22; }",
        );
        check(
            "n = 4; k[3] = {1}; void f() { m = 5; }",
            "int n = 4; k[3] = {1}; void f() { m = 5; }",
        );
        check(
            "void f() { for (register i = 0; i < 9; i++) g(i); } g(i) { }",
            "void f() { for (register int i = 0; i < 9; i++) g(i); } int g(i) { }",
        );
    }

    #[test]
    fn what_has_one_stays() {
        for source in [
            "int main(void) { return 0; }",
            "static real n = 4; extern real (*f)(void); static real (g)(int);",
            "int const n = 4; char *const p = 0; real const x = 1;",
            "TEST(sum) { int i; } TEST(product) ;",
            "DECLARE(x)\nint n;\nint main() { }",
            "static __attribute__((unused)) int n; struct s { int a; } t;",
            "for (i = 0; i < n; i++) { x[i] = 1; }",
            "struct s { const char *name; } f(void) { }",
            "void f(const real, const int n) { static const char *names[] = {\"a\"}; }",
            "enum { A, B } e; int x[] = {A, B}; typedef struct { int i; } t;",
            "n = 4; for (i = 0; i < n; i++) { x[i] = 1; }",
            "n = 4; x[0] = n;",
            "#define MAIN main() {\nint f(void) { }",
        ] {
            check(source, source);
        }
    }
}
