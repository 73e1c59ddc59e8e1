//! What a page was written with, unpacked.

use std::collections::HashSet;
use std::io::Read;

use flate2::read::ZlibDecoder;
use serde_json::Value;

/// What the page's scripts show.
pub fn data(page: &str) -> Value {
    serde_json::from_slice(&inflated(page, "data")).expect("JSON")
}

/// Values of the inputs as the page has them; what is unknown is not a number.
pub fn inputs(page: &str) -> Vec<f64> {
    let inputs = data(page)["inputs"].take();
    let inputs = inputs.as_array().expect("inputs").iter();
    let value = |input: &Value| {
        let known = input["value"].as_f64().or(input["absent"].as_f64());
        known.unwrap_or(f64::NAN)
    };
    inputs.map(value).collect()
}

/// The totals with their names, as the page computes them.
pub fn totals(page: &str) -> Vec<(String, f64)> {
    let values = formulas(page).figures(&inputs(page));
    let totals = data(page)["totals"].take();
    let totals = totals.as_array().expect("totals").iter();
    let total = |total: &Value| {
        let position = total[1].as_u64().expect("a position");
        (total[0].to_string(), values[position as usize])
    };
    totals.map(total).collect()
}

/// What a step takes, and what an input or a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    Input(usize),
    Constant(usize),
    Step(usize),
}

/// Steps as a page has them.
pub struct Steps {
    pub constants: Vec<f64>,
    /// The operation's number and as many operands as it has.
    pub steps: Vec<(u8, Vec<Slot>)>,
}

/// The formulas of a page: inputs that follow from others with the end of their steps, and figures.
pub struct Formulas {
    pub inputs: usize,
    pub following: Steps,
    pub definitions: Vec<(usize, usize, Slot)>,
    pub steps: Steps,
    pub figures: Vec<Slot>,
}

/// The formulas as the page's scripts read them.
pub fn formulas(page: &str) -> Formulas {
    let bytes = inflated(page, "formulas");
    let mut left = bytes.as_slice();
    let inputs = number(&mut left);
    let following = Steps::read(inputs, &mut left);
    let steps = Steps::read(inputs, &mut left);
    let mut end = 0;
    let definitions = (0..number(&mut left))
        .map(|_| {
            let input = number(&mut left);
            end += number(&mut left);
            (input, end, following.place(inputs, number(&mut left)))
        })
        .collect();
    let mut place = 0;
    let figures = (0..number(&mut left))
        .map(|_| {
            let code = number(&mut left) as i64;
            place += (code >> 1) ^ -(code & 1);
            steps.place(inputs, usize::try_from(place).expect("a position"))
        })
        .collect();
    assert!(left.is_empty(), "{} bytes too many", left.len());
    Formulas {
        inputs,
        following,
        definitions,
        steps,
        figures,
    }
}

impl Formulas {
    /// The steps that figures need, by number.
    pub fn needed(&self, figures: &[usize]) -> HashSet<Slot> {
        let mut found = HashSet::new();
        let mut pending: Vec<Slot> = figures.iter().map(|at| self.figures[*at]).collect();
        while let Some(place) = pending.pop() {
            if found.insert(place)
                && let Slot::Step(step) = place
            {
                pending.extend(&self.steps.steps[step].1);
            }
        }
        found
    }

    /// The figures with these values of the inputs; what is unknown is not a number.
    pub fn figures(&self, inputs: &[f64]) -> Vec<f64> {
        let mut inputs = inputs.to_vec();
        let mut values = Vec::new();
        for (input, end, place) in &self.definitions {
            self.following.run(&inputs, &mut values, *end);
            inputs[*input] = self.following.value(*place, &inputs, &values);
        }
        values.clear();
        self.steps.run(&inputs, &mut values, self.steps.steps.len());
        let figures = self.figures.iter();
        figures
            .map(|place| self.steps.value(*place, &inputs, &values))
            .collect()
    }
}

impl Steps {
    fn read(inputs: usize, left: &mut &[u8]) -> Steps {
        let [constants, count] = [number(left), number(left)];
        let bytes = take(left, 8 * constants);
        let constant = |at: usize| {
            f64::from_le_bytes(std::array::from_fn(|byte| bytes[byte * constants + at]))
        };
        let mut read = Steps {
            constants: (0..constants).map(constant).collect(),
            steps: Vec::new(),
        };
        let operations = take(left, count);
        read.steps = operations.iter().map(|code| (*code, Vec::new())).collect();
        for operand in 0..3 {
            for at in 0..count {
                let code = read.steps[at].0;
                let operands = match code {
                    6..=10 => 1,
                    17 => 3,
                    _ => 2,
                };
                if operands <= operand {
                    continue;
                }
                let value = number(left);
                let place = match value % 2 {
                    1 => read.place(inputs, value / 2),
                    _ => Slot::Step(at.checked_sub(value / 2 + 1).expect("an earlier step")),
                };
                read.steps[at].1.push(place);
            }
        }
        read
    }

    fn place(&self, inputs: usize, position: usize) -> Slot {
        let leaves = inputs + self.constants.len();
        match position {
            _ if position < inputs => Slot::Input(position),
            _ if position < leaves => Slot::Constant(position - inputs),
            _ => {
                assert!(position - leaves < self.steps.len(), "no step {position}");
                Slot::Step(position - leaves)
            }
        }
    }

    fn value(&self, place: Slot, inputs: &[f64], values: &[f64]) -> f64 {
        match place {
            Slot::Input(at) => inputs[at],
            Slot::Constant(at) => self.constants[at],
            Slot::Step(at) => values[at],
        }
    }

    fn run(&self, inputs: &[f64], values: &mut Vec<f64>, end: usize) {
        for (code, operands) in &self.steps[values.len()..end] {
            let of = |at: usize| self.value(operands[at], inputs, values);
            let (x, y) = (of(0), operands.get(1).map_or(f64::NAN, |_| of(1)));
            let known = !x.is_nan() && !y.is_nan();
            let truth = |holds: bool| match known {
                true => f64::from(u8::from(holds)),
                false => f64::NAN,
            };
            values.push(match code {
                0 => x + y,
                1 => x * y,
                2 => x / y,
                3 => x.powf(y),
                4 | 5 if !known => f64::NAN,
                4 => x.min(y),
                5 => x.max(y),
                6 => x.ceil(),
                7 => x.floor(),
                8 => x.trunc(),
                9 => x.abs(),
                10 => x.log2().ceil().max(0.0),
                11 => truth(x < y),
                12 => truth(x <= y),
                13 => truth(x > y),
                14 => truth(x >= y),
                15 => truth(x == y),
                16 => truth(x != y),
                17 if x == 1.0 => y,
                17 if x == 0.0 => of(2),
                18 if known => x * y,
                17 | 18 => f64::NAN,
                other => panic!("no operation {other}"),
            });
        }
    }
}

/// Seven bits a byte, the lowest first.
fn number(left: &mut &[u8]) -> usize {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = take(left, 1)[0];
        value |= usize::from(byte & 127) << shift;
        if byte < 128 {
            break;
        }
    }
    value
}

fn take<'b>(left: &mut &'b [u8], length: usize) -> &'b [u8] {
    let (taken, rest) = left.split_at(length);
    *left = rest;
    taken
}

fn inflated(page: &str, id: &str) -> Vec<u8> {
    let (_, rest) = page.split_once(&format!("id=\"{id}\">")).expect(id);
    let (packed, _) = rest.split_once("</script>").expect("an end");
    let mut content = Vec::new();
    let packed = bytes(packed);
    ZlibDecoder::new(packed.as_slice())
        .read_to_end(&mut content)
        .expect("deflated bytes");
    content
}

/// The bytes of a text in base64.
fn bytes(text: &str) -> Vec<u8> {
    let value = |digit: u8| match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("{other} is no digit"),
    };
    let digits = text.trim_end_matches('=');
    let mut bytes = Vec::new();
    for four in digits.as_bytes().chunks(4) {
        let bits = four
            .iter()
            .fold(0u32, |bits, digit| (bits << 6) | u32::from(value(*digit)));
        let bits = bits << (6 * (4 - four.len()));
        bytes.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}
