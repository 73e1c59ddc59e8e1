//! Programs for tests: random ones with every field in use, and the same nest in the vocabulary of
//! both ExaSAT generations.

use std::collections::BTreeSet;

use loopsheet::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};
use loopsheet_analysis::facts::{self, *};
use loopsheet_analysis::in_core::{Carried, Chain, ChainKind, Functions, InCore, Order, Steps};
use loopsheet_analysis::loop_variable::LoopVariable;
use loopsheet_base::reason::ReasonCode;
use loopsheet_expr::{Expr, Symbol, SymbolKind};
use loopsheet_ir::Name;
use loopsheet_procedures::message_passing::InterfaceKind;
use loopsheet_source::optimisation::Optimisation;
use loopsheet_source::{Form, Language, Preprocessing};
use proptest::prelude::*;
use proptest::sample::select;
use strum::VariantArray;

/// A 7-point Laplacian as the newer generation writes it.
pub const NEWER: &str = r#"<program>
<function name="star" adds="0" multiplies="0" divides="0" specials="0">
<loop linenum="4" loopvar="k" lowerbound="lo(3)" upperbound="hi(3)" stride="1" adds="0" multiplies="0" divides="0" specials="0">
<loop linenum="5" loopvar="j" lowerbound="lo(2) - ng" upperbound="hi(2) + ng" stride="1" adds="0" multiplies="0" divides="0" specials="0">
<loop linenum="6" loopvar="i" lowerbound="lo(1)" upperbound="hi(1)" stride="1" adds="6" multiplies="2" divides="0" specials="0">
<scalar name="c" datatype="double" isConstant="true" accesstype="readonly" reads="2" writes="0"/>
<array name="u" component="rho" datatype="double" accesstype="readonly">
<access offset="(0,0,0,rho)" dependentloopvar="(i,j,k,)" reads="1" writes="0"/>
<access offset="(-1,0,0,rho)" dependentloopvar="(i,j,k,)" reads="1" writes="0"/>
<access offset="(1,0,0,rho)" dependentloopvar="(i,j,k,)" reads="1" writes="0"/>
<access offset="(0,-1,0,rho)" dependentloopvar="(i,j,k,)" reads="1" writes="0"/>
<access offset="(0,1,0,rho)" dependentloopvar="(i,j,k,)" reads="1" writes="0"/>
<access offset="(0,0,-1,rho)" dependentloopvar="(i,j,k,)" reads="1" writes="0"/>
<access offset="(0,0,1,rho)" dependentloopvar="(i,j,k,)" reads="1" writes="0"/>
</array>
<array name="v" component="" datatype="float" accesstype="readwrite">
<access offset="(0,0,0)" dependentloopvar="(j,k,i)" reads="1" writes="1"/>
</array>
<array name="w" component="" datatype="int" accesstype="readonly">
<access offset="(3)" dependentloopvar="()" reads="2" writes="0"/>
</array>
</loop>
</loop>
</loop>
</function>
</program>
"#;

/// The same nest as the older generation writes it.
pub const OLDER: &str = r#"<program>
<function name="star">
<nonlocal name="u"/>
<local name="v"/>
<loop linenum="4" loopvar="k" lowerbound="lo(3)" upperbound="hi(3)" stride="1" adds="0" multiplies="0" divides="0" specials="0">
<loop linenum="5" loopvar="j" lowerbound="lo(2) - ng" upperbound="hi(2) + ng" stride="1" adds="0" multiplies="0" divides="0" specials="0">
<loop linenum="6" loopvar="i" lowerbound="lo(1)" upperbound="hi(1)" stride="1" adds="6" multiplies="2" divides="0" specials="0">
<pininfo entries="1" iters="8" ops="64"/>
<scalar name="c" datatype="double" isConstant="true" accesstype="readonly" reads="2" writes="0"/>
<array name="u" component="rho" datatype="double" accesstype="readonly" ghost="(-1,1),(-1,1),(-1,1)">
<access index="(0,0,0)" isRelative="true" datatype="double" reads="1" writes="0"/>
<access index="(-1,0,0)" isRelative="true" datatype="double" reads="1" writes="0"/>
<access index="(1,0,0)" isRelative="true" datatype="double" reads="1" writes="0"/>
<access index="(0,-1,0)" isRelative="true" datatype="double" reads="1" writes="0"/>
<access index="(0,1,0)" isRelative="true" datatype="double" reads="1" writes="0"/>
<access index="(0,0,-1)" isRelative="true" datatype="double" reads="1" writes="0"/>
<access index="(0,0,1)" isRelative="true" datatype="double" reads="1" writes="0"/>
</array>
<array name="v" component="" datatype="float" accesstype="readwrite" ghost="(0,0),(0,0),(0,0)">
<access index="(0,0,0)" isRelative="true" indexorder="(1,2,0)" datatype="float" reads="1" writes="1"/>
</array>
<array name="w" component="" datatype="int" accesstype="readonly" ghost="(0,0),(0,0),(0,0)">
<access index="(3)" isRelative="false" datatype="int" reads="2" writes="0"/>
</array>
</loop>
</loop>
</loop>
<comm linenum="12" interface="multifab_fill_boundary">
<array name="u" numofcomponents="1" commtype="ghost" ghost="(-1,1),(-1,1),(-1,1)"/>
</comm>
</function>
</program>
"#;

/// Names and texts, most of them ordinary.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z][a-z0-9_%]{0,4}",
        1 => select(vec!["", "<a & \"b\" 'c'>", "a\\b", "tab\tline\nreturn\r", "\u{1}\\\u{fffe}", " é ∂u/∂x ", "`", "(,"])
            .prop_map(String::from),
        1 => prop::collection::vec(any::<char>(), 0..5).prop_map(String::from_iter),
    ]
}

fn symbol() -> impl Strategy<Value = Symbol> {
    let kind = select(SymbolKind::ALL.to_vec());
    (kind, text()).prop_map(|(kind, name)| Symbol::new(kind, &name))
}

pub fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        (-9i64..100).prop_map(Expr::from),
        select(vec![
            "n", "ng", "lo(1)", "hi(2)", "i", "fab%n", "a b", "1e999"
        ])
        .prop_map(Expr::symbol),
        symbol().prop_map(Expr::from),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        let two = || (inner.clone(), inner.clone());
        prop_oneof![
            two().prop_map(|(a, b)| a + b),
            two().prop_map(|(a, b)| a - b),
            two().prop_map(|(a, b)| a * b),
            two().prop_map(|(a, b)| a.quotient(b).truncated()),
            two().prop_map(|(a, b)| Expr::min([a, b])),
            inner.prop_map(|a| a.power(Expr::from(2.0))),
        ]
    })
}

fn counts() -> impl Strategy<Value = OperationCounts> {
    let simple =
        prop::array::uniform4(0u64..9).prop_map(|[a, m, d, s]| [a, m, d, s, 0, 0, 0, 0, 0]);
    prop_oneof![
        simple,
        prop::array::uniform9(0u64..9),
        prop::array::uniform9(any::<u64>())
    ]
    .prop_map(OperationCounts::from_values)
}

fn ty() -> impl Strategy<Value = ElementType> {
    let known = vec![
        "real8",
        "real4",
        "integer4",
        "integer8",
        "complex16",
        "logical4",
        "character",
        "?",
        "double",
        "fab",
    ];
    let names = prop_oneof![4 => select(known).prop_map(String::from), 1 => text()];
    names.prop_map(|name| ElementType::read(&name))
}

fn scalar() -> impl Strategy<Value = Scalar> {
    (
        text(),
        ty(),
        any::<bool>(),
        select(AccessClass::ALL.to_vec()),
        any::<u64>(),
        0u64..9,
    )
        .prop_map(|(name, ty, is_constant, class, reads, writes)| Scalar {
            name,
            ty,
            is_constant,
            class,
            reads,
            writes,
        })
}

fn variable() -> impl Strategy<Value = String> {
    prop_oneof![8 => select(vec!["i", "j", "k"]).prop_map(String::from), 1 => text()]
}

fn gather() -> impl Strategy<Value = Gather> {
    let loops = loops();
    (text(), loops, 1u32..70).prop_map(|(text, loops, multiple)| Gather {
        text,
        loops,
        multiple,
    })
}

fn subscript() -> impl Strategy<Value = Subscript> {
    let plain = prop_oneof![
        3 => variable().prop_map(|name| (vec![(name, Expr::from(1.0))], Expr::from(0.0), None)),
        1 => (1i64..4, variable()).prop_map(|(n, name)| (vec![(name, Expr::from(n))], Expr::symbol("ng"), None)),
    ];
    let odd = (
        prop::collection::vec((variable(), expr()), 0..3),
        expr(),
        prop::option::of(gather()),
    );
    prop_oneof![3 => plain.boxed(), 1 => odd.boxed()].prop_map(|(terms, base, gather)| Subscript {
        terms,
        base,
        gather,
    })
}

fn stream() -> impl Strategy<Value = Stream> {
    let offset = || prop_oneof![9 => -4i64..5, 1 => any::<i64>()];
    let access = move |rank| (prop::collection::vec(offset(), rank), 0u64..4, 0u64..2);
    let shape = (0usize..4).prop_flat_map(move |rank| {
        (
            prop::collection::vec(subscript(), rank),
            prop::collection::vec(access(rank), 0..5),
            prop_oneof![
                Just(vec![None; rank]),
                prop::collection::vec(prop::option::of((expr(), expr())), 0..4)
            ],
        )
    });
    let bytes = prop_oneof![Just(Some(8)), prop::option::of(any::<u32>())];
    let component = prop_oneof![
        Just(Vec::new()),
        Just(vec![Expr::symbol("qu")]),
        prop::collection::vec(expr(), 0..3),
    ];
    (
        text(),
        component,
        ty(),
        bytes,
        select(AccessClass::ALL.to_vec()),
        (shape, prop::collection::vec(range(), 0..2)),
    )
        .prop_map(
            |(array, component, ty, element_bytes, class, (shape, held))| {
                let (subscripts, accesses, extents) = shape;
                Stream {
                    array: array.into(),
                    component: Component(component),
                    ty,
                    element_bytes,
                    class,
                    subscripts,
                    accesses: (accesses.into_iter())
                        .map(|(offset, reads, writes)| Access {
                            offset,
                            reads,
                            writes,
                        })
                        .collect(),
                    extents,
                    held,
                }
            },
        )
}

fn key() -> impl Strategy<Value = FunctionKey> {
    (text(), text(), any::<u32>()).prop_map(|(name, file, line)| FunctionKey {
        name,
        file: file.into(),
        line,
    })
}

fn needs() -> impl Strategy<Value = Needs> {
    prop::option::of(prop::collection::vec(any::<u32>(), 0..3))
}

fn handed() -> impl Strategy<Value = Handed> {
    let loops = prop::collection::vec(select(&Constancy::ALL), 0..3);
    (loops, needs()).prop_map(|(loops, needs)| Handed { loops, needs })
}

fn call() -> impl Strategy<Value = Call> {
    let plain = prop::sample::select(vec![
        Body::Unknown,
        Body::Library,
        Body::Expanded,
        Body::Recursive(None),
    ]);
    let moved = communication().prop_map(|moved| Body::Communication(Box::new(moved)));
    let body = prop_oneof![
        plain,
        key().prop_map(Body::Function),
        prop::collection::vec(key(), 0..3).prop_map(Body::OneOf),
        key().prop_map(|key| Body::Recursive(Some(key))),
        moved
    ];
    (
        any::<u32>(),
        text(),
        prop::collection::vec(text(), 0..3),
        body,
        (prop::option::of(expr()), prop::option::of(expr())),
        prop::collection::vec(handed(), 0..3),
        prop::sample::select(vec![Rest::WithBody, Rest::InFront, Rest::WithCaller]),
    )
        .prop_map(
            |(line, name, arguments, body, (share, times), handed, rest)| Call {
                line,
                name,
                arguments,
                // Of the others, moves of data between processes, no sizes are followed.
                share: share.filter(|_| !matches!(body, Body::Communication(_))),
                times: times.filter(|_| !matches!(body, Body::Communication(_))),
                // Nothing is said of bodies that are not known.
                handed: match body {
                    Body::OneOf(_) | Body::Communication(_) => Vec::new(),
                    _ => handed,
                },
                // Only of functions of the program.
                rest: match body {
                    Body::Function(_) => rest,
                    _ => Rest::default(),
                },
                body,
            },
        )
}

fn reason() -> impl Strategy<Value = Reason> {
    let code = select(ReasonCode::VARIANTS);
    (code, any::<u32>(), text()).prop_map(|(code, line, detail)| Reason { code, line, detail })
}

fn block() -> impl Strategy<Value = Block> {
    let flat = || {
        let flops = prop_oneof![
            counts().prop_map(|counts| vec![(ElementType::Real(8), counts)]),
            prop::collection::vec((ty(), counts()), 0..3)
        ];
        (
            flops.prop_map(|by_type| Flops {
                by_type: by_type.into_iter().collect(),
            }),
            prop::collection::vec(scalar(), 0..3),
            prop::collection::vec(stream(), 0..3),
            prop::collection::vec(call(), 0..2),
            prop::collection::vec(reason(), 0..2),
            0..4_u64,
        )
            .prop_map(|(flops, scalars, streams, calls, reasons, texts)| Block {
                flops,
                texts,
                scalars,
                streams,
                calls,
                items: Vec::new(),
                settings: Vec::new(),
                reasons,
            })
    };
    flat().prop_recursive(3, 12, 3, move |inner| {
        let item = prop_oneof![
            enter_loop(inner.clone()).prop_map(|inner| Item::Loop(Box::new(inner))),
            branch(inner).prop_map(|inner| Item::Branch(Box::new(inner))),
        ];
        let settings = prop::collection::vec(setting(), 0..3);
        (flat(), prop::collection::vec(item, 0..3), settings).prop_map(
            |(block, items, mut settings)| {
                settings
                    .iter_mut()
                    .for_each(|setting| setting.position = setting.position.min(items.len()));
                settings.sort_by_key(|setting| setting.position);
                Block {
                    items,
                    settings,
                    ..block
                }
            },
        )
    })
}

fn enter_loop(body: impl Strategy<Value = Block>) -> impl Strategy<Value = Loop> {
    let step = prop_oneof![Just(Expr::from(1.0)), expr()]
        .prop_filter("a step of zero", |step| !step.is_zero());
    let names = (
        text(),
        text(),
        prop_oneof![3 => variable(), 1 => Just(String::new())],
        prop::option::of(text()),
    );
    (
        names,
        any::<u32>(),
        any::<u32>(),
        (expr(), expr(), step),
        (
            (any::<bool>(), needs()),
            (any::<bool>(), any::<bool>(), any::<bool>(), beside()),
            registers(),
            in_core(),
            repeated(),
        ),
        body,
    )
        .prop_map(
            |(
                (id, file, variable, parallel),
                line,
                end_line,
                (lower, upper, step),
                (
                    (is_serial, needs),
                    (exits_early, tests_last, steps_time, beside),
                    registers,
                    in_core,
                    repeated,
                ),
                body,
            )| Loop {
                id,
                file: file.into(),
                line,
                end_line,
                variable: LoopVariable::read(&variable),
                lower,
                upper,
                step,
                parallel: parallel.map(|words| LoopDirective::read(&words)),
                is_serial,
                needs,
                exits_early,
                tests_last,
                steps_time,
                beside,
                registers,
                in_core,
                repeated,
                body,
            },
        )
}

fn beside() -> impl Strategy<Value = Beside> {
    let lines = || prop::collection::vec(any::<u32>(), 0..3);
    (lines(), lines()).prop_map(|(before, behind)| Beside { before, behind })
}

fn repeated() -> impl Strategy<Value = OperationCounts> {
    let some = any::<[u64; 4]>();
    prop_oneof![Just([0; 4]), some].prop_map(|[adds, multiplies, divides, specials]| {
        OperationCounts {
            adds,
            multiplies,
            divides,
            specials,
            ..OperationCounts::default()
        }
    })
}

fn carried() -> impl Strategy<Value = Carried> {
    let kind = prop::sample::select(&ChainKind::ALL[..]);
    let apart = (any::<i64>(), any::<u32>());
    let chain = (text(), kind, 1..u32::MAX, apart, any::<[u32; 11]>());
    let chain = chain.prop_map(|(name, kind, distance, apart, steps)| Chain {
        name,
        kind,
        distance,
        iterations_apart: apart.0,
        set_around: apart.1,
        steps: Steps::from_values(steps),
    });
    let chains = prop::collection::vec(chain, 0..3);
    let order = prop::sample::select(&Order::ALL[..]);
    let at_once = prop::option::of(1..u32::MAX);
    (chains, order, at_once).prop_map(|(chains, order, at_once)| Carried {
        chains,
        order,
        at_once,
    })
}

fn in_core() -> impl Strategy<Value = Option<InCore>> {
    let functions = any::<[u32; 8]>().prop_map(Functions::from_values);
    let outer = prop::collection::vec((text(), carried()), 0..2);
    let known = (
        carried(),
        outer,
        functions,
        any::<bool>(),
        any::<[bool; 5]>(),
    );
    prop::option::of(known.prop_map(
        |(carried, outer, functions, notes_errors, compiled)| InCore {
            carried,
            outer,
            functions,
            notes_errors,
            compiled: Optimisation::from_values(compiled),
        },
    ))
}

fn registers() -> impl Strategy<Value = Option<Registers>> {
    let one = || any::<[u32; 5]>().prop_map(RegisterUse::from_values);
    prop::option::of((one(), one()).prop_map(|(integer, floating)| Registers { integer, floating }))
}

fn communication() -> impl Strategy<Value = Communication> {
    let kind = prop::sample::select(InterfaceKind::ALL);
    let halo = (expr(), expr(), prop::collection::vec(expr(), 0..3));
    let halo = halo.prop_map(|(components, width, extents)| Halo {
        components,
        width,
        extents,
    });
    let sizes = (
        prop::option::of(expr()),
        prop::option::of(expr()),
        prop::option::of(halo),
    );
    (
        text(),
        kind,
        prop::collection::vec(text(), 0..3),
        text(),
        sizes,
    )
        .prop_map(
            |(library, kind, arrays, datatype, (count, element_bytes, halo))| Communication {
                library,
                kind,
                arrays,
                count,
                datatype,
                element_bytes,
                halo,
            },
        )
}

fn branch(block: impl Strategy<Value = Block> + Clone) -> impl Strategy<Value = Branch> {
    let lines = || prop::option::of(any::<(u32, u32)>());
    (
        any::<u32>(),
        text(),
        text(),
        block.clone(),
        prop::option::of(block),
        (lines(), lines(), decision(), asks(), loops(), parted()),
    )
        .prop_map(
            |(
                line,
                condition,
                probability,
                then,
                otherwise,
                (then_lines, otherwise_lines, decision, asks, loops, parts),
            )| Branch {
                line,
                condition,
                probability: Symbol::new(SymbolKind::Probability, &probability),
                decision,
                loops,
                parts,
                asks,
                then,
                otherwise_lines: otherwise_lines.filter(|_| otherwise.is_some()),
                otherwise,
                then_lines,
            },
        )
}

fn loops() -> impl Strategy<Value = Option<BTreeSet<u32>>> {
    prop::option::of(prop::collection::btree_set(0u32..4, 0..3))
}

fn parted() -> impl Strategy<Value = Option<Parted>> {
    let part = prop::collection::btree_set(0u32..4, 1..3);
    let parts = (any::<bool>(), prop::collection::vec(part, 2..4));
    prop::option::of(parts.prop_map(|(all, loops)| Parted {
        holds: if all {
            Quantifier::All
        } else {
            Quantifier::Any
        },
        loops,
    }))
}

fn asks() -> impl Strategy<Value = Asks> {
    prop_oneof![Just(Asks::All), Just(Asks::Loops)]
}

fn range() -> impl Strategy<Value = GuardRange> {
    let end = || prop::option::of(expr());
    (text(), end(), end()).prop_map(|(variable, lower, upper)| GuardRange {
        variable,
        lower,
        upper,
    })
}

fn decision() -> impl Strategy<Value = Decision> {
    let ranges = || prop::collection::vec(range(), 1..3);
    prop_oneof![
        Just(Decision::Data),
        Just(Decision::Fixed),
        Just(Decision::Loops(Share::Estimated)),
        Just(Decision::Loops(Share::Counted)),
        ranges().prop_map(|ranges| Decision::Guard(Guard::Inside(ranges))),
        ranges().prop_map(|ranges| Decision::Guard(Guard::Outside(ranges))),
    ]
}

fn diagnostic() -> impl Strategy<Value = Diagnostic> {
    let severity = select(vec![Severity::Note, Severity::Warning, Severity::Error]);
    (
        severity,
        select(DiagnosticCode::VARIANTS),
        (text(), any::<u32>(), any::<u32>()),
        any::<u32>(),
        text(),
        prop::option::of(text()),
    )
        .prop_map(
            |(severity, code, (file, line, column), width, message, help)| Diagnostic {
                severity,
                code,
                place: Place {
                    file: file.into(),
                    line,
                    column,
                },
                width,
                message,
                help,
            },
        )
}

fn file() -> impl Strategy<Value = File> {
    let kind = (
        select(Language::ALL.to_vec()),
        select(Form::ALL.to_vec()),
        select(Preprocessing::ALL.to_vec()),
    );
    (
        text(),
        kind,
        (any::<usize>(), any::<Option<bool>>(), any::<bool>()),
        prop::collection::vec(diagnostic(), 0..3),
    )
        .prop_map(
            |(path, (language, form, preprocessing), (lines, is_parallel, processes), found)| {
                File {
                    path: path.into(),
                    language,
                    form,
                    lines,
                    is_parallel,
                    is_of_processes: processes,
                    preprocessing,
                    diagnostics: found,
                }
            },
        )
}

fn setting() -> impl Strategy<Value = Setting> {
    (
        0..4usize,
        select(SettingKind::ALL.to_vec()),
        text(),
        prop::collection::vec(text(), 0..3),
    )
        .prop_map(|(position, kind, name, from)| Setting {
            position,
            kind,
            name,
            from,
        })
}

fn function() -> impl Strategy<Value = Function> {
    let constant =
        (symbol(), expr(), select(Origin::ALL.to_vec())).prop_map(|(symbol, value, origin)| {
            Constant {
                symbol,
                value,
                origin,
            }
        });
    let name = || text().prop_map(Name::from);
    let pairs = || prop::collection::vec((name(), name()), 0..2);
    (
        text(),
        text(),
        (any::<u32>(), prop::option::of(any::<u32>())),
        any::<bool>(),
        prop::collection::vec(key(), 0..2),
        prop::collection::vec(constant, 0..3),
        (
            pairs(),
            pairs(),
            prop::collection::vec(named_object(), 0..3),
        ),
        block(),
    )
        .prop_map(
            |(
                name,
                file,
                (line, end_line),
                is_entry,
                given_by,
                constants,
                (shared, pointed, objects),
                body,
            )| {
                Function {
                    name,
                    file: file.into(),
                    line,
                    end_line,
                    is_entry,
                    is_shown: true,
                    given_by,
                    recursion: None,
                    constants,
                    shared,
                    pointed,
                    objects,
                    body,
                }
            },
        )
}

fn named_object() -> impl Strategy<Value = NamedObject> {
    (text(), object(), any::<(bool, bool)>()).prop_map(|(name, object, (is_whole, is_laid_out))| {
        NamedObject {
            name: name.into(),
            object,
            is_whole,
            is_laid_out,
        }
    })
}

fn object() -> impl Strategy<Value = Object> {
    let owner = (0..6, text(), text()).prop_map(|(kind, name, file)| {
        let file = file.into();
        match kind {
            0 => Owner::Program,
            1 => Owner::File(file),
            2 => Owner::Scope { name, file },
            3 => Owner::Common(name),
            4 => Owner::Structure(name),
            _ => Owner::Procedure { name, file },
        }
    });
    (text(), owner).prop_map(|(name, owner)| Object { name, owner })
}

fn place_symbol() -> impl Strategy<Value = Symbol> {
    text().prop_map(|name| Symbol::new(SymbolKind::Place, &name))
}

fn place() -> impl Strategy<Value = facts::Place> {
    let origin = select(Origin::ALL.to_vec());
    let value = || prop::option::of(expr());
    let guess = (
        prop::option::of((0..1000).prop_map(f64::from)),
        prop::collection::vec((0..1000).prop_map(f64::from), 0..3),
    );
    (
        text(),
        text(),
        any::<u32>(),
        any::<[bool; 5]>(),
        (value(), value()),
        guess,
        origin,
    )
        .prop_map(
            |(
                name,
                file,
                line,
                [is_constant, is_real, is_table, decides, changes],
                (value, smallest),
                (guess, choices),
                origin,
            )| {
                facts::Place {
                    name,
                    file: file.into(),
                    line,
                    is_constant,
                    is_real,
                    is_table,
                    decides,
                    changes,
                    value,
                    smallest,
                    guess,
                    choices,
                    origin,
                }
            },
        )
}

/// Any program with unique loop ids.
pub fn program() -> impl Strategy<Value = Program> {
    let unread = prop::collection::btree_map(text(), any::<usize>(), 0..3);
    let functions = prop::collection::btree_set(text(), 1..3);
    let unmentioned = prop::collection::btree_map(text(), functions, 0..3);
    (
        prop::collection::vec(file(), 0..3),
        prop::collection::vec(function(), 0..3),
        prop::collection::btree_map(place_symbol(), place(), 0..3),
        unmentioned,
        unread,
    )
        .prop_map(|(files, mut functions, places, unmentioned, unread)| {
            let mut count = 0;
            functions
                .iter_mut()
                .for_each(|function| number_loops(&mut function.body, &mut count));
            Program {
                files,
                functions,
                places,
                unmentioned,
                set: std::collections::BTreeMap::new(),
                unread,
            }
        })
}

fn number_loops(block: &mut Block, count: &mut usize) {
    for item in &mut block.items {
        match item {
            Item::Loop(inner) => {
                *count += 1;
                inner.id = format!("{}{count}", inner.id);
                number_loops(&mut inner.body, count);
            }
            Item::Branch(branch) => {
                number_loops(&mut branch.then, count);
                branch
                    .otherwise
                    .iter_mut()
                    .for_each(|block| number_loops(block, count));
            }
        }
    }
}

/// Changes to the document of [`OLDER`] that make it invalid.
pub const DAMAGE: &[(&str, &str)] = &[
    ("<function name=\"star\"", "<function"),
    ("linenum=\"4\"", "linenum=\"four\""),
    ("linenum=\"4\"", "linenum=\"-4\""),
    ("lowerbound=\"lo(3)\"", "lowerbound=\"\""),
    ("adds=\"6\"", "adds=\"6.5\""),
    ("adds=\"6\"", "additions=\"6\""),
    ("isConstant=\"true\"", "isConstant=\"yes\""),
    ("accesstype=\"readwrite\"", "accesstype=\"rw\""),
    ("offset=\"(3)\"", "offset=\"3\""),
    ("ls:id=\"star@4\"", ""),
    ("ls:id=\"star@4\"", "id=\"star@4\""),
    ("language=\"fortran\"", "language=\"pascal\""),
    ("severity=\"note\"", "severity=\"hint\""),
    (
        "<funccall linenum=\"12\" name=\"multifab_fill_boundary\">",
        "<funccall linenum=\"12\">",
    ),
    ("<scalar ", "<ls:scalar "),
    ("<arg ", "<argument "),
    ("urn:loopsheet:xml:1", "urn:loopsheet:xml:2"),
];

/// Values of attributes in our namespace, which only some validators look at.
pub const DAMAGE_IN_OURS: &[(&str, &str)] = &[
    ("ls:line=\"2\"", "ls:line=\"\""),
    ("ls:id=\"star@4\"", "ls:id=\"star@4\" ls:endline=\"end\""),
];
