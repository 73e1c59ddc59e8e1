//! Text to expressions: what [`Expr`]'s `Display` writes, and the bounds in ExaSAT's XML.
//!
//! A name followed by parentheses that is not one of the functions is one symbol, parentheses
//! included: `hi(1)`, `ubound(x,2)`. A name in backticks is taken as it stands, a backtick inside it
//! written twice; right behind the word for a kind of symbol it is one of that kind.

use super::{Comparison, Expr, Function, Symbol, SymbolKind};

/// What could not be read, and where (in bytes from the start of the text).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the expression `{text}`: {what} at character {offset}")]
pub struct ParseError {
    pub text: String,
    pub what: &'static str,
    pub offset: usize,
}

impl Expr {
    /// Reads an expression.
    ///
    /// # Errors
    /// The text is not an expression; the error says what was expected and where.
    pub fn parse(text: &str) -> Result<Expr, ParseError> {
        let mut parser = Parser {
            text,
            at: 0,
            depth: 0,
        };
        let expr = parser.sum()?;
        parser.space();
        if parser.at < text.len() {
            Err(parser.error("unexpected text"))
        } else {
            Ok(expr)
        }
    }
}

/// Whether a symbol is read back as itself without backticks.
pub(super) fn is_plain_symbol(name: &str) -> bool {
    let mut parser = Parser {
        text: name,
        at: 0,
        depth: 0,
    };
    let looks_plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && !name.contains([' ', '`']);
    looks_plain
        && parser.name().is_ok_and(|expr| expr == Expr::symbol(name))
        && parser.at == name.len()
}

/// Nesting that is read before giving up, so that no input overflows the stack.
const DEPTH_LIMIT: usize = 200;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn error(&self, what: &'static str) -> ParseError {
        ParseError {
            text: self.text.to_string(),
            what,
            offset: self.at,
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str, what: &'static str) -> Result<(), ParseError> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(self.error(what))
        }
    }

    fn sum(&mut self) -> Result<Expr, ParseError> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(self.error("too deeply nested"));
        }
        let negative = self.eat("-");
        let first = self.product()?;
        let mut terms = vec![if negative { -first } else { first }];
        loop {
            if self.eat("+") {
                terms.push(self.product()?);
            } else if self.eat("-") {
                terms.push(-self.product()?);
            } else {
                self.depth -= 1;
                return Ok(Expr::sum(terms));
            }
        }
    }

    fn product(&mut self) -> Result<Expr, ParseError> {
        let mut value = self.factor()?;
        loop {
            if self.rest().trim_start().starts_with("**") {
                return Err(self.error("`**` after an operand that already has a power"));
            } else if self.eat("*") {
                value = value * self.factor()?;
            } else if self.eat("/") {
                value = value.quotient(self.factor()?);
            } else {
                return Ok(value);
            }
        }
    }

    fn factor(&mut self) -> Result<Expr, ParseError> {
        let base = self.primary()?;
        if self.eat("^") || self.eat("**") {
            Ok(base.power(self.primary()?))
        } else {
            Ok(base)
        }
    }

    fn primary(&mut self) -> Result<Expr, ParseError> {
        self.space();
        match self.rest().chars().next() {
            Some('(') => {
                self.at += 1;
                let inner = self.sum()?;
                self.expect(")", "expected `)`")?;
                Ok(inner)
            }
            Some('-') => {
                self.at += 1;
                self.depth += 1;
                if self.depth > DEPTH_LIMIT {
                    return Err(self.error("too deeply nested"));
                }
                let operand = self.primary();
                self.depth -= 1;
                Ok(-operand?)
            }
            Some('`') => self.quoted(SymbolKind::Source),
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(),
            _ => Err(self.error("expected a number, a name or `(`")),
        }
    }

    /// A name in backticks; two backticks inside stand for one.
    fn quoted(&mut self, kind: SymbolKind) -> Result<Expr, ParseError> {
        let mut name = String::new();
        loop {
            self.at += 1;
            let end = self
                .rest()
                .find('`')
                .ok_or_else(|| self.error("backtick without its end"))?;
            name.push_str(&self.rest()[..end]);
            self.at += end + 1;
            if !self.rest().starts_with('`') {
                return Ok(Expr::from(Symbol::new(kind, &name)));
            }
            name.push('`');
        }
    }

    fn number(&mut self) -> Result<Expr, ParseError> {
        let rest = self.rest();
        let digits = |s: &str| {
            s.find(|c: char| !c.is_ascii_digit() && c != '.')
                .unwrap_or(s.len())
        };
        let mut end = digits(rest);
        if let Some(exponent) = rest[end..].strip_prefix(['e', 'E']) {
            let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if unsigned.starts_with(|c: char| c.is_ascii_digit()) {
                end = rest.len() - unsigned.len() + digits(unsigned);
            }
        }
        let value = rest[..end]
            .parse::<f64>()
            .map_err(|_| self.error("not a number"))?;
        self.at += end;
        Ok(Expr::from(value))
    }

    fn name(&mut self) -> Result<Expr, ParseError> {
        let start = self.at;
        self.identifier();
        let name = self.text[start..self.at].to_string();
        if let Some(kind) = SymbolKind::parse(&name).filter(|_| self.rest().starts_with('`')) {
            return self.quoted(kind);
        }
        if !self.rest().starts_with(['(', '[']) {
            return Ok(Expr::symbol(&name));
        }
        if let Some(function) = function(&name) {
            return self.call(function);
        }
        if name == "if" {
            return self.condition();
        }
        while self.rest().starts_with(['(', '[']) {
            self.balanced()?;
            if self.rest().starts_with(['%', '.']) {
                self.at += 1;
                self.identifier();
            }
        }
        Ok(Expr::symbol(
            &self.text[start..self.at].replace(char::is_whitespace, ""),
        ))
    }

    /// A name with components: `fab%n`, `level.dim`, `smooth.n`, `p->n`.
    fn identifier(&mut self) {
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '%' | '.' | '$' | '@');
        loop {
            self.at += self
                .rest()
                .find(|c: char| !part(c))
                .unwrap_or(self.rest().len());
            if !self.rest().starts_with("->") {
                return;
            }
            self.at += 2;
        }
    }

    fn balanced(&mut self) -> Result<(), ParseError> {
        let mut open = 0usize;
        for (offset, c) in self.rest().char_indices() {
            match c {
                '(' | '[' => open += 1,
                ')' | ']' => {
                    open -= 1;
                    if open == 0 {
                        self.at += offset + 1;
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
        Err(self.error("parenthesis without its end"))
    }

    fn call(&mut self, function: Function) -> Result<Expr, ParseError> {
        self.expect("(", "expected `(`")?;
        let mut arguments = vec![self.sum()?];
        while self.eat(",") {
            arguments.push(self.sum()?);
        }
        self.expect(")", "expected `)`")?;
        match function {
            Function::Min => Ok(Expr::min(arguments)),
            Function::Max => Ok(Expr::max(arguments)),
            Function::SumAbove if arguments.len() % 2 == 1 => {
                let members = arguments.split_off(1);
                let (sizes, amounts) = members.split_at(members.len() / 2);
                let members: Vec<(Expr, Expr)> =
                    sizes.iter().cloned().zip(amounts.iter().cloned()).collect();
                Ok(Expr::sum_above(arguments.remove(0), &members))
            }
            Function::SumAbove => Err(self.error("as many sizes as amounts expected")),
            Function::CommonDivisor => match <[Expr; 2]>::try_from(arguments) {
                Ok([a, b]) => Ok(a.common_divisor(b)),
                Err(_) => Err(self.error("two arguments expected")),
            },
            _ if arguments.len() != 1 => Err(self.error("one argument expected")),
            _ => Ok(arguments.remove(0).rounded(function)),
        }
    }

    fn condition(&mut self) -> Result<Expr, ParseError> {
        self.expect("(", "expected `(`")?;
        let left = self.sum()?;
        let signs = [
            Comparison::LessOrEqual,
            Comparison::NotEqual,
            Comparison::GreaterOrEqual,
            Comparison::Less,
            Comparison::Greater,
            Comparison::Equal,
        ];
        let comparison = signs
            .into_iter()
            .find(|s| self.eat(s.sign()))
            .ok_or_else(|| self.error("expected a comparison"))?;
        let right = self.sum()?;
        self.expect(",", "expected `,`")?;
        let then = self.sum()?;
        self.expect(",", "expected `,`")?;
        let otherwise = self.sum()?;
        self.expect(")", "expected `)`")?;
        Ok(Expr::choose(comparison, left, right, then, otherwise))
    }
}

fn function(name: &str) -> Option<Function> {
    Some(match name {
        "min" => Function::Min,
        "max" => Function::Max,
        "ceil" => Function::Ceiling,
        "floor" => Function::Floor,
        "trunc" => Function::Truncate,
        "abs" => Function::Absolute,
        "treestages" => Function::TreeStages,
        "gcd" => Function::CommonDivisor,
        "sumabove" => Function::SumAbove,
        _ => return None,
    })
}
