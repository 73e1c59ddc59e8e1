//! Which loops must follow which, and which may become one, on loops worked out by hand.

use crate::support::command;
use serde_json::Value;

fn functions(path: &str) -> Vec<Value> {
    let json = command::analysed(path, &[]);
    json["functions"].as_array().expect("functions").clone()
}

fn function(name: &str) -> Value {
    function_of("tests/fixtures/sequences/neighbours.c", name)
}

fn function_of(path: &str, name: &str) -> Value {
    functions(path)
        .into_iter()
        .find(|function| function["name"] == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

/// Positions of a function's outer loops, in the order of the source.
fn position(function: &Value, id: &Value) -> usize {
    let loops = function["sequences"][0]["loops"].as_array().expect("loops");
    loops
        .iter()
        .position(|entry| entry["loop"] == *id)
        .unwrap_or_else(|| panic!("no {id}"))
}

/// Earlier and later loop, kind, and whether it follows from others.
fn edges(function: &Value) -> Vec<(usize, usize, String, bool)> {
    let edge = |edge: &Value| {
        let kind = edge["kind"].as_str().expect("a kind").to_string();
        (
            position(function, &edge["from"]),
            position(function, &edge["to"]),
            kind,
            edge["implied"] == true,
        )
    };
    let mut edges: Vec<_> = function["dependencies"]
        .as_array()
        .expect("edges")
        .iter()
        .map(edge)
        .collect();
    edges.sort();
    edges
}

/// For each pair of neighbours the number of outer loops that fuse, or what prevents it.
fn fusions(function: &Value) -> Vec<Result<u64, String>> {
    let fusion = |fusion: &Value| match fusion["loops"].as_u64() {
        Some(loops) => Ok(loops),
        None => Err(fusion["prevented_by"]
            .as_str()
            .expect("a reason")
            .to_string()),
    };
    function["sequences"][0]["fusions"]
        .as_array()
        .expect("pairs")
        .iter()
        .map(fusion)
        .collect()
}

fn edge(from: usize, to: usize, kind: &str, implied: bool) -> (usize, usize, String, bool) {
    (from, to, kind.into(), implied)
}

/// `c` at (i, j) takes `a` at (i, j) and (i-1, j), which the first loop has written before: both loops fuse.
#[test]
fn what_was_written_before_may_be_used() {
    let function = function("legal");
    assert_eq!(edges(&function), [edge(0, 1, "flow", false)]);
    assert_eq!(
        function["dependencies"][0]["distances"]["a"],
        serde_json::json!([[0, 0], [0, 1]])
    );
    assert_eq!(fusions(&function), [Ok(2)]);
    // Written at 2 B a byte and read at 1 apart, 2 together: the second reading of 98 rows of 104 doubles (whole lines).
    assert_eq!(
        function["sequences"][0]["fusions"][0]["bytes_saved"],
        98 * 104 * 8
    );
}

/// The third loop takes `c` one column ahead: only the rows can be walked together. `a` one row before and one
/// column ahead is there already.
#[test]
fn rows_fuse_where_columns_do_not() {
    let function = function("outer_only");
    let expected = [
        edge(0, 1, "flow", false),
        edge(0, 2, "anti", true),
        edge(1, 2, "flow", false),
    ];
    assert_eq!(edges(&function), expected);
    assert_eq!(fusions(&function), [Ok(2), Ok(1)]);
}

/// `a` one row ahead is not there yet.
#[test]
fn what_is_written_later_prevents_fusion() {
    let function = function("prevented");
    assert_eq!(edges(&function), [edge(0, 1, "flow", false)]);
    assert_eq!(
        fusions(&function),
        [
            Err("`a` would be used before its time".into()),
            Err("their ranges differ".into())
        ]
    );
}

/// The first row, the last one and those between have nothing to do with each other; the last loop reads the
/// first two.
#[test]
fn ranges_that_do_not_meet_are_apart() {
    let function = function("rows");
    assert_eq!(
        edges(&function),
        [edge(0, 3, "flow", false), edge(1, 3, "flow", false)]
    );
    let times = function["sequences"][0].clone();
    let of = |loop_: usize, key: &str| times["loops"][loop_][key].as_f64().expect("seconds");
    assert_eq!([of(0, "start"), of(1, "start"), of(2, "start")], [0.0; 3]);
    assert_eq!(of(3, "start"), of(0, "seconds").max(of(1, "seconds")));
    let longest = of(2, "seconds").max(of(3, "finish"));
    assert_eq!(times["critical_seconds"].as_f64(), Some(longest));
}

/// The second loop needs the whole sum.
#[test]
fn a_sum_prevents_fusion() {
    let function = function("reduced");
    assert_eq!(
        edges(&function),
        [edge(0, 1, "anti", false), edge(0, 1, "flow", false)]
    );
    assert_eq!(fusions(&function), [Err("scalar `s`".into())]);
}

/// In a time loop the sweeps there and back are a sequence of their own.
#[test]
fn loops_inside_a_loop_are_a_sequence() {
    let function = function("time_loop");
    let sequences = function["sequences"].as_array().expect("sequences");
    assert_eq!(sequences.len(), 1);
    assert_eq!(sequences[0]["within"], function["loops"][0]["id"]);
    assert_eq!(
        edges(&function),
        [edge(0, 1, "anti", false), edge(0, 1, "flow", false)]
    );
    assert_eq!(
        fusions(&function),
        [Err("`d` would be used before its time".into())]
    );
}

/// Only one of the first two runs; neither hides the other from the third.
#[test]
fn arms_of_a_branch_do_not_depend_on_each_other() {
    let function = function("arms");
    assert_eq!(
        edges(&function),
        [edge(0, 2, "flow", false), edge(1, 2, "flow", false)]
    );
}

/// The sample of a compressible flow: 0 makes q of u; 1 and 2 make fluxes and 3 sources of both; 4 makes the new u of
/// these and of the old one, which 0 to 3 have read; 5 reads q. That 4 comes after 0 follows from the others.
#[test]
fn a_step_of_a_compressible_flow() {
    let function = function_of("samples/kernels/euler.f90", "advance");
    let expected = [
        edge(0, 1, "flow", false),
        edge(0, 2, "flow", false),
        edge(0, 3, "flow", false),
        edge(0, 4, "anti", true),
        edge(0, 5, "flow", false),
        edge(1, 4, "anti", false),
        edge(1, 4, "flow", false),
        edge(2, 4, "anti", false),
        edge(2, 4, "flow", false),
        edge(3, 4, "anti", false),
        edge(3, 4, "flow", false),
    ];
    assert_eq!(edges(&function), expected);
    let [ranges, sum] = [
        "their ranges differ",
        "scalar `fastest` is set outside the loops too",
    ];
    assert_eq!(
        fusions(&function),
        [Err(ranges.into()), Ok(2), Ok(2), Ok(2), Err(sum.into())]
    );
}

/// What straight-line code may set for the second loop, a loop that may end early, and threads.
#[test]
fn what_stands_between_prevents_fusion() {
    for (name, why) in [
        ("normalised", "scalar `factor` is set outside the loops too"),
        ("shifted", "scalar `k` is set outside the loops too"),
        ("left_early", "left_early@"),
        ("last_value", "`i` is used outside the loops too"),
        (
            "parallel",
            "`a` is used in other iterations of a parallel loop",
        ),
    ] {
        let found = fusions(&function(name));
        assert!(
            matches!(&found[0], Err(reason) if reason.starts_with(why)),
            "{name}: {found:?}"
        );
    }
}

/// Earlier and later loop by position, kind, and the scalars of an edge, of the sequence inside a loop or outside of all.
fn through_scalars(function: &Value, sequence: usize) -> Vec<(usize, usize, String, Vec<String>)> {
    let sequence = &function["sequences"][sequence];
    let ids: Vec<&Value> = sequence["loops"]
        .as_array()
        .expect("loops")
        .iter()
        .map(|entry| &entry["loop"])
        .collect();
    let position = |id: &Value| ids.iter().position(|known| *known == id);
    let edges = function["dependencies"].as_array().expect("edges").iter();
    let mut found: Vec<_> = edges
        .filter_map(|edge| {
            let scalars: Vec<String> =
                serde_json::from_value(edge["scalars"].clone()).expect("names");
            let kind = edge["kind"].as_str().expect("a kind").to_string();
            let ends = (position(&edge["from"])?, position(&edge["to"])?);
            (!scalars.is_empty()).then_some((ends.0, ends.1, kind, scalars))
        })
        .collect();
    found.sort();
    found
}

/// q = A p (0), pq = p q (1), x += alpha p (2), r -= alpha q and rho = r r (3), p = r + beta p (4): alpha is rho of the round before
/// over pq, so it orders 2 and 3 behind 1; beta is the new rho over the old, which orders 4 behind 3 (r does too).
#[test]
fn scalars_order_the_loops_of_conjugate_gradients() {
    let function = function_of("tests/fixtures/sequences/scalars.c", "conjugate_gradients");
    let flow = |from, to, names: &[&str]| {
        (
            from,
            to,
            "flow".to_string(),
            names
                .iter()
                .map(|name| name.to_string())
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(
        through_scalars(&function, 0),
        [
            flow(1, 2, &["alpha"]),
            flow(1, 3, &["alpha"]),
            flow(3, 4, &["beta"])
        ]
    );
    let path = function["sequences"][0]["critical_path"]
        .as_array()
        .expect("a path");
    assert_eq!(path.len(), 4, "q, pq, then r with rho, then p: {path:?}");
}

/// Of t nothing leaves a loop; m goes from the first to the third.
#[test]
fn private_scalars_order_nothing() {
    let function = function_of("tests/fixtures/sequences/scalars.c", "own_and_passed_on");
    assert_eq!(
        through_scalars(&function, 0),
        [(0, 2, "flow".into(), vec!["m".into()])]
    );
    assert_eq!(
        edges(&function),
        [edge(0, 2, "flow", false), edge(1, 2, "anti", false)]
    );
}

#[test]
fn a_condition_waits_for_what_it_compares() {
    let function = function_of("tests/fixtures/sequences/scalars.c", "decided");
    assert_eq!(
        through_scalars(&function, 0),
        [(0, 1, "flow".into(), vec!["norm".into()])]
    );
}

/// The second loop reads odd elements where the first wrote even ones; of b, the second writes all elements.
#[test]
fn strides_that_step_over_each_other_do_not_meet() {
    let function = function_of("tests/fixtures/sequences/scalars.c", "interleaved");
    assert_eq!(
        edges(&function),
        [edge(1, 2, "output", false), edge(1, 3, "output", false)]
    );
}

#[test]
fn one_storage_under_two_names() {
    let function = function_of("tests/fixtures/sequences/scalars.c", "shared");
    let expected = [
        edge(0, 1, "flow", false),
        edge(0, 1, "output", false),
        edge(2, 3, "output", false),
    ];
    assert_eq!(edges(&function), expected);
}

/// a is b, p is t; the list writes c, and `random_number` d.
#[test]
fn equivalence_pointers_and_lists_that_read() {
    let function = function_of("tests/fixtures/sequences/storage.f90", "storage");
    let expected = [
        edge(0, 1, "flow", false),
        edge(1, 4, "output", false),
        edge(2, 3, "flow", false),
        edge(3, 5, "output", false),
    ];
    assert_eq!(edges(&function), expected);
    // Nothing is fused over a statement that reads or writes.
    assert!(
        fusions(&function)[3]
            .as_ref()
            .is_err_and(|why| why.contains("read statement"))
    );
}

/// Members, casts, rows and pointers of one structure or block of storage: only what cannot meet is told apart.
#[test]
fn parts_and_views_of_one_structure() {
    let prevented = [
        (
            "views.c",
            "gathered_read",
            "`p` would be used before its time",
        ),
        (
            "views.c",
            "gathered_write",
            "`p` would be used before its time",
        ),
        (
            "views.c",
            "second_pointer",
            "`g` and `g->a` may share storage",
        ),
        (
            "views.c",
            "first_of_array",
            "`g` and `g->a` may share storage",
        ),
        (
            "views.c",
            "cast_view",
            "`a(real4 *)` and `a` may share storage",
        ),
        ("views.c", "flat_view", "`V` would be used before its time"),
        (
            "views.c",
            "row_beyond_its_end",
            "`V` would be used before its time",
        ),
        (
            "views.f90",
            "pointer_to_structure",
            "`q%a` and `f%a` may share storage",
        ),
        (
            "views.f90",
            "over_the_common_block",
            "`e` and `b` may share storage",
        ),
    ];
    for (file, name, why) in prevented {
        let function = function_of(&format!("tests/fixtures/sequences/{file}"), name);
        assert_eq!(fusions(&function), [Err(why.to_string())], "{name}");
        assert!(!edges(&function).is_empty(), "{name}");
    }
    for name in ["other_members", "same_member"] {
        assert_eq!(
            fusions(&function_of("tests/fixtures/sequences/views.c", name)),
            [Ok(1)],
            "{name}"
        );
    }
}
