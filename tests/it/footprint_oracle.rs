//! The model's element counts against literal enumeration: every element that a sweep touches is put
//! in a set and counted (guide: static-model, "Footprints").

use std::collections::{BTreeMap, BTreeSet};

use crate::support::programs::{Recalculated, function, model, nest, program, stream};
use loopsheet_analysis::facts::{AccessClass, Block, Program, Stream, Subscript};
use loopsheet_expr::Expr;
use loopsheet_model::{Model, NestModel};

const NAMES: [&str; 3] = ["i", "j", "k"];
const SIZES: [&str; 3] = ["nx", "ny", "nz"];
const WORD: i64 = 8;

type Offsets = Vec<Vec<i64>>;

/// How a stream walks: for each dimension, the loop (0 is innermost) that moves along it and its stride.
#[derive(Clone)]
struct Case {
    name: String,
    offsets: Offsets,
    walks: Vec<(usize, i64)>,
    depth: usize,
}

impl Case {
    /// Every loop moves along its own dimension by one.
    fn plain(name: &str, offsets: Offsets) -> Case {
        let depth = offsets[0].len();
        Case {
            name: name.to_string(),
            offsets,
            walks: (0..depth).map(|d| (d, 1)).collect(),
            depth,
        }
    }

    /// Smallest block extent of each loop for which the formulas hold: the span of the offsets.
    fn span(&self, of_loop: usize) -> i64 {
        let along = self.walks.iter().position(|(l, _)| *l == of_loop);
        along.map_or(1, |d| {
            let values = || self.offsets.iter().map(|o| o[d]);
            (values().max().unwrap() - values().min().unwrap()).max(1)
        })
    }

    fn program(&self, class: AccessClass) -> Program {
        program_of(&[self.stream("a", class)], self.depth)
    }

    fn stream(&self, array: &str, class: AccessClass) -> Stream {
        let variables: Vec<&str> = self.walks.iter().map(|(l, _)| NAMES[*l]).collect();
        let offsets: Vec<&[i64]> = self.offsets.iter().map(Vec::as_slice).collect();
        let mut stream = stream(array, class, &variables, &offsets);
        stream.subscripts = (variables.iter().zip(&self.walks))
            .map(|(variable, (_, stride))| Subscript {
                terms: vec![(variable.to_string(), Expr::from(*stride))],
                base: Expr::from(0.0),
                gather: None,
            })
            .collect();
        stream
    }

    /// Elements, whole lines in each row, that the loops below `level` touch within a block; the loops
    /// above stand still.
    fn touched(&self, block: &[i64], level: usize, line: i64) -> i64 {
        let mut rows: BTreeMap<Vec<i64>, BTreeSet<i64>> = BTreeMap::new();
        let swept: Vec<i64> = (0..3)
            .map(|l| {
                if l < level {
                    *block.get(l).unwrap_or(&1)
                } else {
                    1
                }
            })
            .collect();
        for k in 0..swept[2] {
            for j in 0..swept[1] {
                for i in 0..swept[0] {
                    for offset in &self.offsets {
                        let place =
                            |d: usize| [i, j, k][self.walks[d].0] * self.walks[d].1 + offset[d];
                        let place: Vec<i64> = (0..offset.len()).map(place).collect();
                        rows.entry(place[1..].to_vec())
                            .or_default()
                            .insert(place[0]);
                    }
                }
            }
        }
        rows.values().map(|row| whole_lines(row, line / WORD)).sum()
    }
}

/// Elements of the lines that a row touches. Places at most a line apart are one run, and a run starts
/// with a line.
fn whole_lines(row: &BTreeSet<i64>, line: i64) -> i64 {
    let (mut start, mut last, mut end, mut lines) = (0, i64::MIN / 2, i64::MIN, 0);
    for place in row {
        if place - last > line {
            (start, end) = (*place, *place);
        }
        if *place >= end {
            end = start + ((place - start) / line + 1) * line;
            lines += 1;
        }
        last = *place;
    }
    lines * line
}

fn program_of(streams: &[Stream], depth: usize) -> Program {
    let body = Block {
        streams: streams.to_vec(),
        ..Block::default()
    };
    let loops: Vec<(&str, &str, &str)> = (0..depth)
        .rev()
        .map(|l| (NAMES[l], "1", SIZES[l]))
        .collect();
    program(vec![function(
        "f",
        "f.f90",
        &[],
        vec![nest("f", "f.f90", 1, &loops, body)],
    )])
}

/// Looks at the nest of a program's model with sizes, block sizes (innermost first) and a line. The model is built once:
/// the formulas follow the inputs.
fn look(
    model: &Model,
    sizes: &[i64],
    blocks: &[i64],
    line: i64,
    see: impl FnOnce(&NestModel, &dyn Fn(&[u32]) -> Vec<i64>),
) {
    let mut inputs = vec![("line_bytes", line as f64)];
    let named = |names: [&'static str; 3], values: &[i64]| {
        let values = values.iter().map(|value| *value as f64);
        names.into_iter().zip(values).collect::<Vec<_>>()
    };
    inputs.extend(named(SIZES, sizes));
    inputs.extend(named(["block_x", "block_y", "block_z"], blocks));
    let recalculated = Recalculated::new(model, inputs);
    let values = |ids: &[u32]| -> Vec<i64> {
        let exact = |id: &u32| {
            let value = recalculated.value(loopsheet_expr::FigureId(*id));
            assert!(value.fract() == 0.0, "not whole: {value}");
            value as i64
        };
        ids.iter().map(exact).collect()
    };
    see(&model.nests[0], &values);
}

fn ids(figures: &[loopsheet_expr::FigureId]) -> Vec<u32> {
    figures.iter().map(|id| id.0).collect()
}

/// Offsets −r..r along each axis.
fn star(dimensions: usize, radius: i64) -> Offsets {
    axes(dimensions, &(-radius..=radius).collect::<Vec<i64>>())
}

/// The given values along each axis, zero along the others.
fn axes(dimensions: usize, values: &[i64]) -> Offsets {
    let mut found = BTreeSet::new();
    for d in 0..dimensions {
        for value in values {
            let mut offset = vec![0; dimensions];
            offset[d] = *value;
            found.insert(offset);
        }
    }
    found.into_iter().collect()
}

fn full_box(dimensions: usize, values: &[i64]) -> Offsets {
    (0..dimensions).fold(vec![Vec::new()], |found, _| {
        found
            .iter()
            .flat_map(|o: &Vec<i64>| values.iter().map(move |v| [o.as_slice(), &[*v]].concat()))
            .collect()
    })
}

fn along(dimensions: usize, dimension: usize, values: &[i64]) -> Offsets {
    values
        .iter()
        .map(|v| {
            (0..dimensions)
                .map(|d| if d == dimension { *v } else { 0 })
                .collect()
        })
        .collect()
}

/// Offsets without any pattern, from a fixed linear congruence.
fn scattered(dimensions: usize, count: usize, reach: i64, seed: u64) -> Offsets {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as i64 % (2 * reach + 1) - reach
    };
    let all: BTreeSet<Vec<i64>> = (0..count)
        .map(|_| (0..dimensions).map(|_| next()).collect())
        .collect();
    all.into_iter().collect()
}

fn cases(dimensions: usize) -> Vec<Case> {
    let n = dimensions;
    let mut cases = vec![
        Case::plain("cell", along(n, 0, &[0])),
        Case::plain("shifted cell", vec![vec![3; n]]),
        Case::plain("box 1", full_box(n, &[-1, 0, 1])),
        Case::plain("box -1,1", full_box(n, &[-1, 1])),
        Case::plain("forward box", full_box(n, &[0, 1, 2])),
        Case::plain("holes", axes(n, &[-2, -1, 1, 2])),
        Case::plain("asymmetric star", axes(n, &[-3, -1, 0, 2])),
        Case::plain("diagonal", (-2..=2).map(|v| vec![v; n]).collect()),
        Case::plain(
            "antidiagonal",
            (0..4)
                .map(|v| {
                    (0..n as i64)
                        .map(|d| if d % 2 == 0 { v } else { -v })
                        .collect()
                })
                .collect(),
        ),
    ];
    cases.extend((1..=4).map(|r| Case::plain(&format!("star {r}"), star(n, r))));
    cases.extend((0..n).flat_map(|d| {
        [&[-2, -1, 1, 2][..], &[-2, -1, 0, 1, 2], &[0, 4], &[-4, 1]]
            .map(|values| Case::plain(&format!("{values:?} along {d}"), along(n, d, values)))
    }));
    cases.extend((1..=6).map(|seed| {
        Case::plain(
            &format!("scattered {seed}"),
            scattered(n, 3 + seed as usize, 2, seed),
        )
    }));
    cases
}

fn check_elements(case: &Case, block: &[i64], line: i64, model: &Model) {
    look(model, block, &[], line, |nest, values| {
        let model = values(&ids(&nest.streams[0].elements));
        let counted: Vec<i64> = (1..=case.depth)
            .map(|level| case.touched(block, level, line))
            .collect();
        assert_eq!(model[0], case.offsets.len() as i64, "{} cells", case.name);
        assert_eq!(
            model[1..],
            counted,
            "{} {block:?} lines of {line}",
            case.name
        );
    });
}

#[test]
fn two_dimensions_at_every_block_size() {
    for case in cases(2) {
        let program = case.program(AccessClass::ReadOnly);
        let model = model(&program, "exasat", &[]);
        for line in [8, 64] {
            for bx in case.span(0)..=20 {
                for by in case.span(1)..=20 {
                    check_elements(&case, &[bx, by], line, &model);
                }
            }
        }
    }
}

#[test]
fn three_dimensions_at_many_block_sizes() {
    for case in cases(3) {
        let program = case.program(AccessClass::ReadOnly);
        let model = model(&program, "exasat", &[]);
        let from: Vec<i64> = (0..3).map(|l| case.span(l)).collect();
        for (step, line) in [(0, 8), (1, 64), (5, 8), (6, 64), (7, 64)] {
            for (x, y, z) in [
                (0, 0, 0),
                (1, 0, 0),
                (0, 1, 0),
                (0, 0, 1),
                (1, 1, 1),
                (2, 1, 0),
                (1, 0, 2),
            ] {
                let block = [from[0] + step + x, from[1] + step * y, from[2] + y + z];
                check_elements(&case, &block, line, &model);
            }
        }
        check_elements(&case, &[20, 9, 8], 64, &model);
    }
}

#[test]
fn dimensions_and_loops_in_other_orders() {
    let offsets = [
        along(2, 0, &[0]),
        star(2, 1),
        star(2, 2),
        along(2, 1, &[-2, -1, 1, 2]),
    ];
    for offsets in offsets {
        // The inner loop runs along the second dimension.
        let case = Case {
            walks: vec![(1, 1), (0, 1)],
            ..Case::plain("transposed", offsets.clone())
        };
        let program = case.program(AccessClass::ReadOnly);
        // One loop of three does not move the array.
        for absent in 0..3 {
            let loops: Vec<usize> = (0..3).filter(|l| *l != absent).collect();
            let walks = vec![(loops[0], 1), (loops[1], 1)];
            let case = Case {
                walks,
                depth: 3,
                ..Case::plain(&format!("without loop {absent}"), offsets.clone())
            };
            let program = case.program(AccessClass::ReadOnly);
            let model = model(&program, "exasat", &[]);
            for block in [[4, 5, 6], [9, 7, 4], [8, 8, 8], [17, 4, 5]] {
                check_elements(&case, &block, 64, &model);
            }
        }
        let model = model(&program, "exasat", &[]);
        for block in [[4, 5], [8, 8], [17, 4], [4, 17], [20, 20]] {
            check_elements(&case, &block, 64, &model);
        }
    }
}

#[test]
fn strides() {
    let colours = [
        ("one colour", along(2, 0, &[0])),
        ("neighbours in x", along(2, 0, &[-1, 1])),
        ("with the centre", along(2, 0, &[-1, 0, 1])),
        ("star", star(2, 1)),
        ("wide star", star(2, 2)),
        ("rows apart", along(2, 1, &[-3, 0, 2])),
    ];
    for (name, offsets) in colours {
        for (sx, sy) in [
            (1, 2),
            (2, 1),
            (2, 2),
            (1, 3),
            (3, 2),
            (4, 1),
            (-1, 1),
            (1, -2),
            (-2, 1),
        ] {
            let case = Case {
                walks: vec![(0, sx), (1, sy)],
                ..Case::plain(&format!("{name} by {sx},{sy}"), offsets.clone())
            };
            let program = case.program(AccessClass::ReadOnly);
            let model = model(&program, "exasat", &[]);
            for bx in 4..=20 {
                for by in [4, 5, 8, 13] {
                    check_elements(&case, &[bx, by], 64, &model);
                    if sx.abs() == 1 {
                        check_elements(&case, &[bx, by], 8, &model);
                    }
                }
            }
        }
    }
}

/// Costs of the `exasat` machine: bytes moved for each byte.
fn cost(class: AccessClass) -> i64 {
    if class == AccessClass::ReadOnly { 1 } else { 2 }
}

/// Block extents along one loop: full ones and a last smaller one.
fn split(size: i64, block: i64) -> Vec<i64> {
    (0..size)
        .step_by(block as usize)
        .map(|start| block.min(size - start))
        .collect()
}

/// Traffic of every scenario, block by block; level 0 is no reuse.
fn traffic(case: &Case, class: AccessClass, sizes: &[i64], blocks: &[i64], line: i64) -> Vec<i64> {
    let extents = |l: usize| {
        if l < case.depth {
            split(sizes[l], blocks[l])
        } else {
            vec![1]
        }
    };
    let mut bytes = vec![0; case.depth + 1];
    for bz in extents(2) {
        for by in extents(1) {
            for bx in extents(0) {
                let block = [bx, by, bz];
                for (level, sum) in bytes.iter_mut().enumerate() {
                    let outer: i64 = block[level..].iter().product();
                    let elements = match level {
                        0 => case.offsets.len() as i64,
                        _ => case.touched(&block, level, line),
                    };
                    *sum += cost(class) * WORD * outer * elements;
                }
            }
        }
    }
    bytes
}

/// Of all these sizes and blocks, for short and long lines.
fn check_traffic<const N: usize>(case: &Case, shapes: &[([i64; N], [i64; N])]) {
    for class in [AccessClass::ReadOnly, AccessClass::ReadWrite] {
        let program = case.program(class);
        let model = model(&program, "exasat", &[]);
        for ((sizes, blocks), line) in shapes.iter().flat_map(|s| [(s, 8), (s, 64)]) {
            look(&model, sizes, blocks, line, |nest, values| {
                let counted = traffic(case, class, sizes, blocks, line);
                let what = format!("{} {sizes:?} in {blocks:?} lines of {line}", case.name);
                assert_eq!(values(&ids(&nest.streams[0].traffic)), counted, "{what}");
                let scenarios = values(&ids(&nest.traffic.scenarios));
                assert_eq!(scenarios[..=case.depth], counted, "{what}");
                let blocks: i64 = sizes
                    .iter()
                    .zip(blocks)
                    .map(|(n, b)| split(*n, *b).len() as i64)
                    .product();
                assert_eq!(values(&[nest.blocks.0]), [blocks], "{what}");
            });
        }
    }
}

#[test]
fn traffic_of_partial_blocks_is_that_of_the_blocks_one_by_one() {
    for case in cases(2) {
        check_traffic(
            &case,
            &[
                ([20, 21], [7, 8]),
                ([21, 12], [8, 12]),
                ([15, 21], [9, 16]),
                ([20, 17], [20, 6]),
            ],
        );
    }
    for case in cases(3) {
        check_traffic(
            &case,
            &[
                ([21, 13, 12], [8, 8, 12]),
                ([12, 13, 14], [12, 8, 8]),
                ([21, 9, 13], [16, 9, 8]),
            ],
        );
    }
}

#[test]
fn traffic_of_arrays_that_some_loops_do_not_move() {
    for absent in 0..3 {
        let loops: Vec<usize> = (0..3).filter(|l| *l != absent).collect();
        let walks = vec![(loops[0], 1), (loops[1], 1)];
        let case = Case {
            walks,
            depth: 3,
            ..Case::plain(&format!("without loop {absent}"), along(2, 0, &[0]))
        };
        if absent != 0 {
            check_traffic(
                &case,
                &[
                    ([12, 13, 14], [12, 13, 14]),
                    ([12, 13, 14], [5, 4, 3]),
                    ([9, 9, 9], [4, 9, 2]),
                ],
            );
        }
    }
}

/// Live groups by the words of the specification: within each family of groups that differ in one
/// dimension only, span plus the largest distance between neighbours of any read stream.
fn live(cases: &[&Case], level: usize) -> Vec<i64> {
    let families = |case: &Case| -> Vec<Vec<i64>> {
        let mut found: BTreeMap<Vec<i64>, BTreeSet<i64>> = BTreeMap::new();
        for offset in &case.offsets {
            let mut family = offset[level..].to_vec();
            let place = family.remove(0);
            found.entry(family).or_default().insert(place);
        }
        found
            .into_values()
            .map(|places| places.into_iter().collect())
            .collect()
    };
    let gaps = cases
        .iter()
        .flat_map(|case| families(case))
        .flat_map(|f| f.windows(2).map(|p| p[1] - p[0]).collect::<Vec<_>>());
    let gap = gaps.max().unwrap_or(1);
    cases
        .iter()
        .map(|case| {
            families(case)
                .iter()
                .map(|f| f[f.len() - 1] - f[0] + gap)
                .sum()
        })
        .collect()
}

#[test]
fn live_groups_and_working_sets() {
    let plain = cases(3);
    for (index, first) in plain.iter().enumerate() {
        let second = &plain[(index * 7 + 3) % plain.len()];
        let both = [first, second];
        let streams = [
            first.stream("a", AccessClass::ReadOnly),
            second.stream("b", AccessClass::ReadOnly),
        ];
        let block = [12, 9, 8];
        let program = program_of(&streams, 3);
        let model = model(&program, "exasat", &[]);
        look(&model, &block, &[], 64, |nest, values| {
            for (position, case) in both.iter().enumerate() {
                let figures = &nest.streams[position];
                let what = format!("{} beside {}", both[0].name, both[1].name);
                let count = |level: usize| {
                    case.offsets
                        .iter()
                        .map(|o| &o[level..])
                        .collect::<BTreeSet<_>>()
                        .len() as i64
                };
                let groups: Vec<i64> = (0..3).map(count).collect();
                assert_eq!(values(&ids(&figures.groups)), groups, "{what}");
                let live: Vec<i64> = (0..3).map(|level| live(&both, level)[position]).collect();
                assert_eq!(values(&ids(&figures.live))[1..], live[1..], "{what}");
                let single = Case {
                    offsets: case.offsets[..1].to_vec(),
                    ..(*case).clone()
                };
                let mut held = vec![WORD * groups[0]];
                held.extend((1..3).map(|level| {
                    let waiting = (live[level] - groups[level]) * single.touched(&block, level, 64);
                    WORD * (case.touched(&block, level, 64) + waiting)
                }));
                assert_eq!(values(&ids(&figures.working_set)), held, "{what}");
            }
        });
    }
}

#[test]
fn live_planes_of_the_specification() {
    for (planes, expected) in [
        (&[-2, -1, 1, 2][..], 6),
        (&[-2, -1, 0, 1, 2], 5),
        (&[0], 1),
        (&[-1, 0, 1], 3),
        (&[0, 4], 8),
    ] {
        let case = Case::plain("planes", along(3, 2, planes));
        let program = case.program(AccessClass::ReadOnly);
        let model = model(&program, "exasat", &[]);
        look(&model, &[8, 8, 8], &[], 64, |nest, values| {
            let live = values(&[nest.streams[0].live[2].0]);
            assert_eq!(live, [expected], "{planes:?}");
        });
    }
}
