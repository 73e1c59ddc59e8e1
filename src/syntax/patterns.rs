//! Query files taken apart into patterns, so that patterns that name node kinds and nothing else
//! become a table: most do, and a table costs nothing a node.

/// One top-level pattern of a query file.
#[derive(Debug, PartialEq, Eq)]
pub struct Pattern<'q> {
    /// The text before the capture.
    pub text: &'q str,
    /// The capture that follows the whole pattern; a group with predicates has it inside.
    pub role: Option<&'q str>,
}

/// The patterns of a query file, in order. Comments are `;` to the end of the line.
pub fn split(query: &str) -> Vec<Pattern<'_>> {
    let mut patterns = Vec::new();
    let mut start = None;
    let mut depth = 0usize;
    let mut text = "";
    let mut chars = query.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            ';' => while chars.next_if(|(_, c)| *c != '\n').is_some() {},
            '"' => {
                while let Some((_, c)) = chars.next() {
                    match c {
                        '\\' => {
                            chars.next();
                        }
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '(' | '[' => {
                if depth == 0 {
                    start = Some(at);
                }
                depth += 1;
            }
            ')' | ']' => {
                depth = depth.saturating_sub(1);
                if let (0, Some(start)) = (depth, start) {
                    text = &query[start..=at];
                    // A group captures inside, where its predicates can name the capture.
                    if text.starts_with("((") {
                        patterns.push(Pattern { text, role: None });
                    }
                }
            }
            '@' if depth == 0 => {
                let end =
                    |(_, c): &(usize, char)| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
                let mut last = at;
                while let Some((at, _)) = chars.next_if(end) {
                    last = at;
                }
                patterns.push(Pattern {
                    text,
                    role: Some(&query[at + 1..=last]),
                });
            }
            _ => {}
        }
    }
    patterns
}

impl<'q> Pattern<'q> {
    /// The node kinds and the role of a pattern that names nothing else: `(a) @r` or
    /// `[(a) (b)] @r`. `None` if it looks into the nodes.
    pub fn plain_kinds(&self) -> Option<(Vec<&'q str>, &'q str)> {
        let role = self.role?;
        let inner = match self.text.strip_prefix('[') {
            Some(list) => list.strip_suffix(']')?,
            None => self.text,
        };
        let mut kinds = Vec::new();
        for line in inner.lines() {
            let line = line.split(';').next().unwrap_or("");
            for part in line.split_whitespace() {
                let kind = part.strip_prefix('(')?.strip_suffix(')')?;
                if kind.is_empty() || !kind.chars().all(|c| c.is_alphanumeric() || c == '_') {
                    return None;
                }
                kinds.push(kind);
            }
        }
        Some((kinds, role))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_patterns_and_others() {
        let query = "; text (a) @x\n(do_loop) @loop\n[(a)\n (b)] @pair\n(k \"exit\") @exit\n(l !left) @unary\n\
                     ((c) @d (#match? @d \"^!\"))\n";
        let patterns = split(query);
        let plain: Vec<_> = patterns.iter().map(super::Pattern::plain_kinds).collect();
        let expected = [
            Some((vec!["do_loop"], "loop")),
            Some((vec!["a", "b"], "pair")),
            None,
            None,
            None,
        ];
        assert_eq!(plain, expected);
        assert_eq!(patterns[2].role, Some("exit"));
        assert_eq!(patterns[4].text, "((c) @d (#match? @d \"^!\"))");
    }
}
