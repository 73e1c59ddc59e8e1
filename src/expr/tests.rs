use proptest::prelude::*;

use super::*;

fn parse(text: &str) -> Expr {
    Expr::parse(text).unwrap()
}

#[test]
fn collects_like_terms_and_folds_numbers() {
    assert_eq!(parse("n + 2 - n + i*2 + i + 3").to_string(), "3*i + 5");
    assert_eq!(parse("hi(1) - lo(1) + 1").to_string(), "hi(1) - lo(1) + 1");
    assert_eq!(parse("(n + 1)*(n - 1)").expand().to_string(), "n^2 - 1");
    assert_eq!(parse("a - (b - a)").to_string(), "2*a - b");
}

#[test]
fn precedence_survives_printing() {
    for text in [
        "a/(b*c)",
        "a*(b/c)",
        "(a + b)*c",
        "-(a*b)^2",
        "2^(-n)",
        "ceil(n*8/64)*8",
        "if(a<=b, min(a, 3), -b)",
    ] {
        let once = parse(text);
        assert_eq!(parse(&once.to_string()), once, "{text} printed as {once}");
        let at = |symbol: &Symbol| Some(f64::from(symbol.name().as_bytes()[0]) / 7.0);
        assert_eq!(parse(&once.to_string()).evaluate(&at), once.evaluate(&at));
    }
}

#[test]
fn names_that_are_no_plain_identifiers_come_back() {
    for name in [
        "fab%lo(3)",
        "a[3].n",
        "p->n",
        "odd name",
        "1st",
        "min",
        "x y`",
        "`",
        "``a",
        "",
        "smooth.n",
    ] {
        let symbol = Expr::symbol(name);
        assert_eq!(parse(&(symbol.clone() + 1.0).to_string()), symbol + 1.0);
    }
}

#[test]
fn linear_parts() {
    let linear = parse("2*i + n*j - 3 + n").linear_in(&["i", "j"]).unwrap();
    assert_eq!(linear.coefficients, [parse("2"), parse("n")]);
    assert_eq!(linear.rest, parse("n - 3"));
    assert_eq!(parse("i*j").linear_in(&["i", "j"]), None);
    assert_eq!(parse("trunc(i/2)").linear_in(&["i"]), None);
}

#[test]
fn sums_over_a_loop_variable() {
    // Σ_{i=1}^{n} Σ_{j=i}^{n} 1 = n(n+1)/2; with n = 10 that is 55.
    let inner = parse("1").sum_over("j", &parse("i"), &parse("n")).unwrap();
    let outer = inner.sum_over("i", &parse("1"), &parse("n")).unwrap();
    assert_eq!(outer.evaluate(&|_: &Symbol| Some(10.0)), Ok(55.0));
    for k in 0..=6 {
        let power = Expr::symbol("i").power(Expr::from(f64::from(k)));
        let closed = power
            .sum_over("i", &parse("3"), &parse("n"))
            .unwrap()
            .evaluate(&|_: &Symbol| Some(9.0))
            .unwrap();
        let slow: f64 = (3..=9).map(|i| f64::from(i).powi(k)).sum();
        assert!(
            (closed - slow).abs() < 1e-6 * slow,
            "power {k}: {closed} against {slow}"
        );
    }
}

#[test]
fn malformed_text_is_an_error_with_its_place() {
    for text in ["", "a +", "(a", "min(a", "a b", "`a", "if(a, b, c)", "1..2"] {
        assert!(Expr::parse(text).is_err(), "{text}");
    }
    assert!(Expr::parse(&"(".repeat(100_000)).is_err());
    assert!(Expr::parse(&"-".repeat(100_000)).is_err());
}

struct Cells;
impl CellNames for Cells {
    fn figure(&self, id: FigureId) -> String {
        format!("A{}", id.0)
    }
    fn symbol(&self, name: &str) -> String {
        name.replace(['(', ')'], "_")
    }
    fn range(&self, figures: &[FigureId]) -> Option<String> {
        (figures.len() > 2).then(|| format!("A{}:A{}", figures[0].0, figures[figures.len() - 1].0))
    }
}

#[test]
fn excel_formulas() {
    let show = |e: &Expr| {
        Excel {
            expr: e,
            names: &Cells,
        }
        .to_string()
    };
    assert_eq!(
        show(&parse("ceil(hi(1)*8/64)*8 - min(a, 2)")),
        "8*ROUNDUP(8*hi_1_/64,0)-MIN(a,2)"
    );
    let figures = Expr::sum((1..4).map(|i| Expr::from(FigureId(i))));
    assert_eq!(show(&(figures * 2.0)), "2*SUM(A1:A3)");
    assert_eq!(show(&parse("if(a<b, (-a)^2, 0)")), "IF(a<b,(-a)^2,0)");
    assert_eq!(show(&parse("min(a, 1e15)")), "MIN(a,1E+15)");
    assert_eq!(show(&parse("a - 2.5e-7")), "a-2.5E-7");
    assert_eq!(show(&Expr::from(f64::INFINITY)), "(10^999)");
}

#[test]
fn stages_of_a_tree_are_whole_powers_of_two() {
    for (members, stages) in [
        (0.0, 0.0),
        (1.0, 0.0),
        (2.0, 1.0),
        (5.0, 3.0),
        (8.0, 3.0),
        (9.0, 4.0),
        (1024.0, 10.0),
    ] {
        assert_eq!(
            Expr::from(members).tree_stages().as_number(),
            Some(stages),
            "{members}"
        );
    }
    let show = |e: &Expr| {
        Excel {
            expr: e,
            names: &Cells,
        }
        .to_string()
    };
    assert_eq!(
        show(&parse("2*treestages(p)")),
        "2*ROUNDUP(ROUND(LOG(MAX(p,1),2),9),0)"
    );
    assert_eq!(parse("treestages(p)").to_string(), "treestages(p)");
}

#[test]
fn a_common_divisor_is_one_function_everywhere() {
    for (a, b, divisor) in [
        (4096.0, 1536.0, 512.0),
        (0.0, 64.0, 64.0),
        (64.0, 0.0, 64.0),
        (65.0, 64.0, 1.0),
    ] {
        let found = Expr::from(a).common_divisor(Expr::from(b));
        assert_eq!(found.as_number(), Some(divisor), "{a} {b}");
    }
    let below_zero = Expr::from(-1.0).common_divisor(Expr::from(4.0));
    assert!(below_zero.as_number().is_some_and(f64::is_nan));
    let formula = parse("2*gcd(8*n, 4096)");
    assert_eq!(formula.to_string(), "2*gcd(8*n, 4096)");
    let excel = Excel {
        expr: &formula,
        names: &Cells,
    };
    assert_eq!(excel.to_string(), "2*GCD(8*n,4096)");
}

#[test]
fn a_sign_does_not_slip_under_a_power_or_into_a_sum() {
    let a = Expr::symbol("a");
    let minus = |e: &Expr| Expr::product([Expr::from(-1.0), e.clone()]);
    let square = minus(&a.clone().power(Expr::from(2.0)));
    assert_eq!(square.to_string(), "-a^2");
    // Excel reads -a^2 as (-a)^2.
    assert_eq!(
        Excel {
            expr: &(square.clone() + parse("b")),
            names: &Cells
        }
        .to_string(),
        "-1*a^2+b"
    );
    assert_eq!((parse("b") + square).to_string(), "b - a^2");
    assert_eq!(
        (parse("b") + minus(&parse("a + c"))).to_string(),
        "b + (-1)*(a + c)"
    );
}

/// Expressions as the constructors make them.
fn expressions() -> impl Strategy<Value = Expr> {
    let number = prop_oneof![
        (-9i64..9).prop_map(Expr::from),
        any::<f64>().prop_filter_map("NaN", finite)
    ];
    let symbol = prop_oneof!["[a-e]", "[a-z]\\([1-3]\\)", "[ `.%a-]{0,4}", "\\PC{1,3}"];
    let kind = prop::sample::select(SymbolKind::ALL.to_vec());
    let symbol = (kind, symbol).prop_map(|(kind, name)| Expr::from(Symbol::new(kind, &name)));
    let leaf = prop_oneof![number, symbol];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let list = || prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            list().prop_map(Expr::sum),
            list().prop_map(Expr::product),
            list().prop_map(Expr::min),
            list().prop_map(Expr::max),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.quotient(b)),
            (inner.clone(), -2i64..4).prop_map(|(a, n)| a.power(Expr::from(n))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.power(b)),
            inner.clone().prop_map(Expr::truncated),
            inner.clone().prop_map(|a| -a),
            prop::array::uniform4(inner.clone()).prop_map(|[a, b, c, d]| Expr::choose(
                Comparison::LessOrEqual,
                a,
                b,
                c,
                d
            )),
        ]
    })
    .prop_filter("not a number", |e| !e.to_string().contains("NaN"))
}

fn finite(value: f64) -> Option<Expr> {
    (!value.is_nan()).then(|| Expr::from(value))
}

proptest! {
    #[test]
    fn text_comes_back_as_the_same_expression(expr in expressions()) {
        let text = format!("{expr:#}");
        prop_assert_eq!(Expr::parse(&text), Ok(expr), "{}", text);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[-+*/^().,`<=0-9a-z ]{0,40}|\\PC{0,20}") {
        let _ = Expr::parse(&text).map(|e| e.expand());
    }
}
