//! Programs described by hand, for tests of what comes after the analysis.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use loopsheet::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};
use loopsheet_analysis::facts::{
    Access, AccessClass, Asks, Block, Branch, Component, Constant, Decision, ElementType, File,
    Flops, Function, Item, Loop, OperationCounts, Origin, Program, Reason, Stream, Subscript,
};
use loopsheet_analysis::loop_variable::LoopVariable;
use loopsheet_base::reason::ReasonCode;
use loopsheet_expr::{Expr, FigureId, Lookup, Symbol, SymbolKind};
use loopsheet_machine::MachineModel;
use loopsheet_model::{Figures, Model, Setting};
use loopsheet_source::{Form, Language, Preprocessing};

pub fn expr(text: &str) -> Expr {
    Expr::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

pub fn settings(pairs: &[(&str, &str)]) -> Vec<Setting> {
    pairs
        .iter()
        .map(|(name, value)| Setting::new(name.to_string(), value.to_string()))
        .collect()
}

pub fn model<'p>(program: &'p Program, machine: &str, pairs: &[(&str, &str)]) -> Model<'p> {
    let machine = MachineModel::preset(machine).unwrap_or_else(|error| panic!("{error}"));
    Model::build(program, machine, &settings(pairs)).unwrap_or_else(|error| panic!("{error}"))
}

/// What a model's figures come to with the inputs of another.
pub fn figures_with_inputs_of(model: &Model, other: &Model) -> BTreeMap<FigureId, f64> {
    let recalculated = Recalculated {
        inputs: &other.figures,
        ..Recalculated::new(model, [])
    };
    let ids = model.figures.iter().map(|(id, _)| id);
    ids.map(|id| (id, recalculated.value(id))).collect()
}

/// A model with other inputs, as a spreadsheet recalculates it: only the figures that are asked for.
pub struct Recalculated<'m> {
    figures: &'m Figures,
    inputs: &'m Figures,
    changed: HashMap<&'m str, f64>,
    values: RefCell<HashMap<FigureId, f64>>,
}

impl<'m> Recalculated<'m> {
    pub fn new(model: &'m Model, changed: impl IntoIterator<Item = (&'m str, f64)>) -> Self {
        let changed: HashMap<_, _> = changed.into_iter().collect();
        for name in changed.keys() {
            assert!(model.figures.input(name).is_some(), "no input {name}");
        }
        Recalculated {
            figures: &model.figures,
            inputs: &model.figures,
            changed,
            values: RefCell::default(),
        }
    }

    /// The value of a figure; what is not known is no number.
    pub fn value(&self, id: FigureId) -> f64 {
        let known = self.values.borrow().get(&id).copied();
        known.unwrap_or_else(|| {
            let value = self.figures.get(id).expr.evaluate(self);
            let value = value.unwrap_or(f64::NAN);
            self.values.borrow_mut().insert(id, value);
            value
        })
    }
}

impl Lookup for Recalculated<'_> {
    fn symbol(&self, symbol: &Symbol) -> Option<f64> {
        let changed = self.changed.get(symbol.name()).copied();
        changed.or_else(|| self.inputs.input(symbol.name()))
    }

    fn figure(&self, id: FigureId) -> Option<f64> {
        Some(self.value(id))
    }
}

/// Settings of the worked figures (guide: static-model, "Worked example: the seven-point star").
pub const WORKED: &[(&str, &str)] = &[
    ("block_x", "16"),
    ("block_y", "16"),
    ("block_z", "128"),
    ("lo(1)", "1"),
    ("lo(2)", "1"),
    ("lo(3)", "1"),
    ("hi(1)", "128"),
    ("hi(2)", "128"),
    ("hi(3)", "128"),
];

pub fn flops(adds: u64, multiplies: u64, divides: u64, specials: u64) -> Flops {
    let counts = OperationCounts {
        adds,
        multiplies,
        divides,
        specials,
        ..OperationCounts::default()
    };
    Flops {
        by_type: BTreeMap::from([(ElementType::Real(8), counts)]),
    }
}

/// A stream of `real8` whose dimensions each follow one variable.
pub fn stream(array: &str, class: AccessClass, variables: &[&str], offsets: &[&[i64]]) -> Stream {
    let subscript = |variable: &&str| Subscript {
        terms: vec![(variable.to_string(), Expr::from(1.0))],
        base: Expr::from(0.0),
        gather: None,
    };
    let (reads, writes) = match class {
        AccessClass::ReadOnly => (1, 0),
        AccessClass::WriteOnly => (0, 1),
        AccessClass::ReadWrite | AccessClass::WriteRead => (1, 1),
    };
    Stream {
        array: array.into(),
        component: Component::default(),
        ty: ElementType::Real(8),
        element_bytes: Some(8),
        class,
        subscripts: variables.iter().map(subscript).collect(),
        accesses: offsets
            .iter()
            .map(|offset| Access {
                offset: offset.to_vec(),
                reads,
                writes,
            })
            .collect(),
        extents: vec![None; variables.len()],
        held: Vec::new(),
    }
}

/// A nest of `(variable, lower, upper)`, outermost first, around a body.
pub fn nest(
    function: &str,
    file: &str,
    line: u32,
    loops: &[(&str, &str, &str)],
    body: Block,
) -> Loop {
    let ((variable, lower, upper), inner) = loops.split_first().expect("at least one loop");
    let body = match inner {
        [] => body,
        _ => Block {
            items: vec![Item::Loop(Box::new(nest(
                function,
                file,
                line + 1,
                inner,
                body,
            )))],
            ..Block::default()
        },
    };
    Loop {
        id: format!("{function}@{line}"),
        file: file.into(),
        line,
        end_line: line + 9,
        variable: LoopVariable::of_source(variable.to_string()),
        lower: expr(lower),
        upper: expr(upper),
        step: Expr::from(1.0),
        parallel: None,
        is_serial: false,
        needs: None,
        exits_early: false,
        tests_last: false,
        steps_time: false,
        beside: Default::default(),
        registers: None,
        in_core: None,
        repeated: Default::default(),
        body,
    }
}

pub fn function(name: &str, file: &str, constants: &[(&str, &str)], loops: Vec<Loop>) -> Function {
    let constant = |(name, value): &(&str, &str)| Constant {
        symbol: Symbol::source(name),
        value: expr(value),
        origin: Origin::Assigned,
    };
    Function {
        name: name.into(),
        file: file.into(),
        line: 1,
        end_line: None,
        is_entry: false,
        is_shown: true,
        given_by: Vec::new(),
        recursion: None,
        constants: constants.iter().map(constant).collect(),
        shared: Vec::new(),
        pointed: Vec::new(),
        objects: Vec::new(),
        body: Block {
            items: loops.into_iter().map(|l| Item::Loop(Box::new(l))).collect(),
            ..Block::default()
        },
    }
}

pub fn program(functions: Vec<Function>) -> Program {
    let mut paths: Vec<Arc<str>> = functions.iter().map(|f| f.file.clone()).collect();
    paths.dedup();
    let file = |path: Arc<str>| File {
        path,
        language: Language::Fortran,
        form: Form::Free,
        lines: 40,
        is_parallel: None,
        is_of_processes: false,
        preprocessing: Preprocessing::None,
        diagnostics: Vec::new(),
    };
    Program {
        files: paths.into_iter().map(file).collect(),
        functions,
        places: BTreeMap::new(),
        unmentioned: BTreeMap::new(),
        set: BTreeMap::new(),
        unread: BTreeMap::new(),
    }
}

/// A1 = 7-point star of A0 (guide: static-model, "Worked example: the seven-point star").
pub fn seven_point() -> Function {
    let star: &[&[i64]] = &[
        &[0, 0, 0],
        &[-1, 0, 0],
        &[1, 0, 0],
        &[0, -1, 0],
        &[0, 1, 0],
        &[0, 0, -1],
        &[0, 0, 1],
    ];
    let body = Block {
        flops: flops(6, 2, 0, 0),
        streams: vec![
            stream("A0", AccessClass::ReadOnly, &["i", "j", "k"], star),
            stream(
                "A1",
                AccessClass::WriteOnly,
                &["i", "j", "k"],
                &[&[0, 0, 0]],
            ),
        ],
        ..Block::default()
    };
    let loops = [
        ("k", "lo(3)", "hi(3)"),
        ("j", "lo(2)", "hi(2)"),
        ("i", "lo(1)", "hi(1)"),
    ];
    function(
        "smooth",
        "smooth.f90",
        &[],
        vec![nest("smooth", "smooth.f90", 8, &loops, body)],
    )
}

/// c(i,j) += a(i,k)·b(k,j), with the sizes defined by another symbol.
pub fn matrix_multiply() -> Function {
    let body = Block {
        flops: flops(1, 1, 0, 0),
        streams: vec![
            stream("a", AccessClass::ReadOnly, &["i", "k"], &[&[0, 0]]),
            stream("b", AccessClass::ReadOnly, &["k", "j"], &[&[0, 0]]),
            stream("c", AccessClass::ReadWrite, &["i", "j"], &[&[0, 0]]),
        ],
        ..Block::default()
    };
    let loops = [("j", "1", "n"), ("k", "1", "n"), ("i", "1", "n")];
    function(
        "matmul",
        "matmul.f90",
        &[("n", "2*m")],
        vec![nest("matmul", "matmul.f90", 5, &loops, body)],
    )
}

/// One nest with a division, names that a spreadsheet could misread, and one loop that is not fully
/// understood: a branch inside, unknown trip count.
pub fn triad_and_search() -> Function {
    let triad = Block {
        flops: flops(1, 1, 1, 0),
        streams: vec![
            stream("=cmd()", AccessClass::ReadOnly, &["i"], &[&[0], &[1]]),
            stream("+b", AccessClass::ReadOnly, &["i"], &[&[0]]),
            stream("@c", AccessClass::WriteOnly, &["i"], &[&[0]]),
        ],
        ..Block::default()
    };
    let branch = Branch {
        line: 31,
        condition: "-x(i) < 0".into(),
        probability: Symbol::new(SymbolKind::Probability, "prob_31"),
        decision: Decision::Data,
        loops: None,
        parts: None,
        asks: Asks::All,
        then: Block {
            flops: flops(2, 0, 0, 1),
            streams: vec![stream("-d", AccessClass::ReadWrite, &["i"], &[&[0]])],
            ..Block::default()
        },
        otherwise: None,
        then_lines: Some((31, 32)),
        otherwise_lines: None,
    };
    let reasons = vec![
        Reason {
            code: ReasonCode::ZeroStep,
            line: 30,
            detail: "=while (err > tol)".into(),
        },
        Reason {
            code: ReasonCode::Call,
            line: 32,
            detail: "user_norm".into(),
        },
    ];
    let search = Block {
        flops: flops(1, 0, 0, 0),
        streams: vec![stream("x", AccessClass::ReadOnly, &["i"], &[&[0]])],
        items: vec![Item::Branch(Box::new(branch))],
        reasons,
        ..Block::default()
    };
    let loops = vec![
        nest("n1", "=odd.f90", 20, &[("i", "1", "n1")], triad),
        nest(
            "n1",
            "=odd.f90",
            30,
            &[("i", "1", "trip_count`trip_30`")],
            search,
        ),
        nest(
            "n1",
            "=odd.f90",
            40,
            &[("j", "r", "c"), ("i", "true", "n1")],
            Block::default(),
        ),
    ];
    let mut function = function("n1", "=odd.f90", &[], loops);
    function.body.reasons.push(Reason {
        code: ReasonCode::Goto,
        line: 60,
        detail: "goto 10".into(),
    });
    function
}

/// Everything above in one program, with a diagnostic and a file that is not read.
pub fn mixed() -> Program {
    let mut program = program(vec![seven_point(), matrix_multiply(), triad_and_search()]);
    program.unread = BTreeMap::from([("cpp".to_string(), 3)]);
    program.files[2].diagnostics.push(Diagnostic {
        severity: Severity::Error,
        code: DiagnosticCode::SyntaxError,
        place: Place {
            file: "=odd.f90".into(),
            line: 50,
            column: 7,
        },
        width: 3,
        message: "cannot be read".into(),
        help: Some("mend it".into()),
    });
    program
}
