//! Names of variables and elements in an input file.

/// What a name of an input means: a variable, or the element of an array from which on it gives values.
///
/// ```text
/// cells          cells, no subscripts: a scalar, or the first element
/// cells(3)       cells, 3
/// dom(2)%n       dom%n, 2
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Designator {
    /// Without subscripts, in lower case.
    pub name: String,
    /// The components' own first, as in the element of the variable that they are.
    pub subscripts: Option<Box<[i64]>>,
}

impl Designator {
    /// `None` where a subscript is neither a number nor a section from a number on, or it names a section of another form.
    pub fn new(text: &str) -> Option<Designator> {
        let mut names: Vec<&str> = Vec::new();
        let mut lists: Vec<Vec<&str>> = Vec::new();
        for part in text.split('%') {
            let (name, rest) = match part.split_once('(') {
                Some((name, rest)) => (name, Some(rest.trim_end().strip_suffix(')')?)),
                None => (part, None),
            };
            names.push(name.trim());
            lists.extend(rest.map(|rest| rest.split(',').map(str::trim).collect()));
        }
        let texts: Vec<&str> = lists.into_iter().rev().flatten().collect();
        let section = match texts[..] {
            [only] => only.split_once(':'),
            _ => None,
        };
        let subscripts = match section {
            Some((first, last)) if !last.contains(':') => match first.trim() {
                "" => None,
                first => Some(Box::from([first.parse().ok()?])),
            },
            _ if texts.is_empty() => None,
            _ => Some(
                texts
                    .iter()
                    .map(|text| text.parse().ok())
                    .collect::<Option<Box<[i64]>>>()?,
            ),
        };
        Some(Designator {
            name: names.join("%").to_lowercase(),
            subscripts,
        })
    }
}
