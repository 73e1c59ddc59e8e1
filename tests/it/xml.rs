//! XML from outside: programs come back exactly, both ExaSAT generations are read, bad input is an
//! error with its place, and everything written is valid by the schema.

use crate::support::xml_programs::{self, NEWER, OLDER, program};
use loopsheet::diagnostic::{DiagnosticCode, Severity};
use loopsheet_analysis::facts::*;
use loopsheet_export::xml::{XmlError, read, write};
use loopsheet_expr::Expr;
use proptest::prelude::*;
use uppsala::XsdValidator;

fn innermost(program: &Program) -> &Block {
    let mut block = &program.functions[0].body;
    while let Some(inner) = block.loops().into_iter().next() {
        block = &inner.body;
    }
    block
}

/// Code, severity and line of each remark.
fn remarks(program: &Program) -> Vec<String> {
    let all = program.files.iter().flat_map(|file| &file.diagnostics);
    all.map(|d| {
        format!(
            "{} {} {}: {}",
            d.severity.as_str(),
            d.code,
            d.place.line,
            d.message
        )
    })
    .collect()
}

fn valid(text: &str) -> Vec<String> {
    thread_local! {
        static SCHEMA: XsdValidator = {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/loopsheet.xsd");
            let text = std::fs::read_to_string(&path).expect("the schema is there");
            let document = uppsala::parse(&text).expect("the schema is XML");
            XsdValidator::from_schema_with_base_path(&document, Some(&path)).expect("the schema is one")
        };
    }
    let document = uppsala::parse(text).expect("we write XML");
    SCHEMA.with(|schema| {
        schema
            .validate(&document)
            .iter()
            .map(ToString::to_string)
            .collect()
    })
}

#[test]
fn both_generations_give_the_same_nest() {
    let (newer, older) = (read(NEWER, "m.xml").unwrap(), read(OLDER, "m.xml").unwrap());
    assert_eq!(newer.functions[0].body.items, older.functions[0].body.items);
    assert_eq!(remarks(&newer), [""; 0]);
    assert!(newer.files.is_empty());
    assert_eq!(
        remarks(&older),
        [
            "note not-modelled 3: `<nonlocal>` has no counterpart in the model",
            "note not-modelled 4: `<local>` has no counterpart in the model",
            "note not-modelled 8: `<pininfo>` has no counterpart in the model",
            "note not-modelled 10: `ghost` of `<array>` has no counterpart in the model (3 times, first here)",
            "note not-modelled 29: `<array>` has no counterpart in the model",
        ]
    );
    let call = Call {
        line: 12,
        name: "multifab_fill_boundary".into(),
        arguments: vec!["u".into()],
        body: Body::Unknown,
        share: None,
        times: None,
        handed: Vec::new(),
        rest: Rest::default(),
    };
    assert_eq!(older.functions[0].body.calls, [call]);
}

#[test]
fn a_nest_of_exasat_is_understood() {
    let program = read(NEWER, "m.xml").unwrap();
    let function = &program.functions[0];
    assert_eq!((&*function.file, &*function.name), ("m.xml", "star"));
    let nest = function.body.loops();
    assert_eq!(nest[0].id, "star@4");
    let middle = &nest[0].body.loops()[0];
    assert_eq!(
        (&middle.lower, &middle.upper),
        (
            &Expr::parse("lo(2) - ng").unwrap(),
            &Expr::parse("hi(2) + ng").unwrap()
        )
    );
    let block = innermost(&program);
    let counts = OperationCounts {
        adds: 6,
        multiplies: 2,
        ..Default::default()
    };
    assert_eq!(block.flops.by_type, [(ElementType::Real(8), counts)].into());
    let [u, v, w] = &block.streams[..] else {
        panic!("three streams")
    };
    assert_eq!(
        (&u.component.0[..], &u.ty, u.element_bytes),
        (&[Expr::symbol("rho")][..], &ElementType::Real(8), Some(8))
    );
    let one = |name: &str| Subscript {
        terms: vec![(name.into(), Expr::from(1.0))],
        base: Expr::from(0.0),
        gather: None,
    };
    assert_eq!(u.subscripts, [one("i"), one("j"), one("k")]);
    assert_eq!(u.accesses.len(), 7);
    assert_eq!(
        u.accesses[5],
        Access {
            offset: vec![0, 0, -1],
            reads: 1,
            writes: 0
        }
    );
    assert_eq!(
        (v.subscripts[0].clone(), v.class, v.element_bytes),
        (one("j"), AccessClass::ReadWrite, Some(4))
    );
    assert!(w.subscripts[0].is_invariant());
    assert_eq!(
        (&w.accesses[0].offset, w.element_bytes),
        (&vec![3], Some(4))
    );
    // ExaSAT's vocabulary is enough for such a nest, so nothing else is written of its arrays.
    let text = write(&program);
    assert!(text.contains(
        "<access offset=\"(-1,0,0,rho)\" dependentloopvar=\"(i,j,k,)\" reads=\"1\" writes=\"0\"/>"
    ));
    assert!(
        ![
            "ls:subscripts",
            "ls:at",
            "ls:type",
            "ls:bytes",
            "ls:operations"
        ]
        .iter()
        .any(|part| text.contains(part))
    );
}

/// The innermost block of a loop over `i` inside one over `k`.
fn in_nest(body: &str) -> Result<Program, XmlError> {
    let text = format!(
        "<program>\n<function name=\"f\">\n<loop loopvar=\"k\" lowerbound=\"1\" upperbound=\"n\">\n\
         <loop loopvar=\"i\" lowerbound=\"1\" upperbound=\"n\">\n{body}\n</loop>\n</loop>\n</function>\n</program>\n"
    );
    read(&text, "m.xml")
}

#[test]
fn hand_written_files_may_be_short() {
    let program = in_nest(
        "<array name=\"a\" datatype=\"double\" accesstype=\"readwrite\"><access offset=\"(2*i+1,k)\"/></array>\n\
         <if conditional=\"x > 0\"><scalar name=\"s\" writes=\"1\"/></if>\n<else/>",
    )
    .unwrap();
    assert_eq!(remarks(&program), [""; 0]);
    let outer = program.functions[0].body.loops()[0];
    assert_eq!(
        (&*outer.id, outer.line, outer.end_line, &outer.step),
        ("f@3", 3, 3, &Expr::from(1.0))
    );
    let block = innermost(&program);
    assert_eq!(
        block.streams[0].subscripts[0].terms,
        [("i".to_string(), Expr::from(2.0))]
    );
    assert_eq!(
        block.streams[0].accesses,
        [Access {
            offset: vec![1, 0],
            reads: 1,
            writes: 1
        }]
    );
    let Item::Branch(branch) = &block.items[0] else {
        panic!("a branch")
    };
    assert_eq!(
        (branch.line, branch.probability.name(), &branch.otherwise),
        (6, "prob_f_6", &Some(Block::default()))
    );
    assert_eq!(branch.then.scalars[0].class, AccessClass::WriteOnly);
    assert_eq!(branch.then.scalars[0].ty, ElementType::Unknown);
}

#[test]
fn subscripts_that_differ_by_more_than_integers_are_streams_of_their_own() {
    let program = in_nest(
        "<array name=\"a\" component=\"\" datatype=\"float\" accesstype=\"readwrite\">\n\
         <access offset=\"(ng + 1,0)\" dependentloopvar=\"(2 * i,k)\" reads=\"1\" writes=\"0\"/>\n\
         <access offset=\"(ng,0)\" dependentloopvar=\"(2 * i,k)\" reads=\"1\" writes=\"0\"/>\n\
         <access offset=\"(0,0)\" dependentloopvar=\"(i,k)\" reads=\"0\" writes=\"1\"/>\n\
         <access offset=\"(col(k),0)\" dependentloopvar=\"(,i)\" reads=\"1\" writes=\"0\"/>\n</array>",
    )
    .unwrap();
    let [scaled, plain, gathered] = &innermost(&program).streams[..] else {
        panic!("three streams")
    };
    assert_eq!(
        scaled.subscripts[0].terms,
        [("i".to_string(), Expr::from(2.0))]
    );
    assert_eq!(scaled.subscripts[0].base, Expr::symbol("ng"));
    assert_eq!(
        scaled
            .accesses
            .iter()
            .map(|a| &a.offset[..])
            .collect::<Vec<_>>(),
        [[1, 0], [0, 0]]
    );
    assert_eq!(
        (scaled.class, plain.class),
        (AccessClass::ReadOnly, AccessClass::WriteOnly)
    );
    assert_eq!(
        gathered.subscripts[0]
            .gather
            .as_ref()
            .map(|data| data.text.as_str()),
        Some("col(k)")
    );
    // An index that an array holds is understood.
    assert_eq!(remarks(&program), [""; 0]);
}

#[test]
fn nothing_is_dropped_in_silence() {
    let cases = [
        (
            "<loop loopvar=\"m\" lowerbound=\"1\" upperbound=\"size of x\"/>",
            "note unread-expression 5: `size of x` cannot be read",
        ),
        (
            "<lopp/>",
            "warning unknown-element 5: `<lopp>` is unknown in `<loop>`",
        ),
        (
            "<scalar name=\"s\" read=\"1\"/>",
            "warning unknown-attribute 5: the attribute `read` of `<scalar>`",
        ),
        (
            "<scalar name=\"s\" struct=\"t\"/>",
            "note not-modelled 5: `struct` of `<scalar>`",
        ),
        (
            "<scalar name=\"s\">text</scalar>",
            "warning unknown-text 5: text inside `<scalar>`",
        ),
        (
            "<scalar name=\"s\">&amp;</scalar>",
            "warning unknown-text 5: text inside `<scalar>`",
        ),
        (
            "<array name=\"a\"/>",
            "warning no-access 5: the array `a` has no accesses",
        ),
        (
            "<array name=\"a\"><access offset=\"(0)\" dependentloopvar=\"(z)\"/></array>",
            "note gather 5: the subscript `z`",
        ),
        (
            "<array name=\"a\"><access offset=\"(i*k)\"/></array>",
            "note gather 5: the subscript `i*k` is not affine in the loop variables: taken as a gather",
        ),
        (
            "<array name=\"a\"><access index=\"(0,0,0)\"/></array>",
            "warning no-such-loop 5: `(0,0,0)` is relative to more",
        ),
        (
            "<funccall name=\"g\" flops=\"9\"/>",
            "note not-modelled 5: `flops` of `<funccall>`",
        ),
        (
            "<x:loop xmlns:x=\"urn:x\"/>",
            "warning unknown-element 5: `<{urn:x}loop>`",
        ),
    ];
    for (body, expected) in cases {
        let program = in_nest(body).unwrap_or_else(|error| panic!("{body}: {error}"));
        let found = remarks(&program);
        assert!(
            found.len() == 1 && found[0].starts_with(expected),
            "{body}: {found:?}"
        );
        assert_eq!(program.files[0].lines, 9);
        assert!(program.files[0].diagnostics[0].severity < Severity::Error);
    }
}

#[test]
fn parts_of_ours_that_contradict_the_rest_hold_and_are_remarked_on() {
    let program = in_nest(
        "<array name=\"a\" datatype=\"double\"><ls:subscripts xmlns:ls=\"urn:loopsheet:xml:1\"><ls:subscript base=\"m\"/>\
         </ls:subscripts>\n<access ls:at=\"1\" xmlns:ls=\"urn:loopsheet:xml:1\" offset=\"(m + 2)\"/></array>",
    )
    .unwrap();
    assert_eq!(innermost(&program).streams[0].accesses[0].offset, [1]);
    assert_eq!(
        remarks(&program),
        [
            "warning contradiction 6: `offset` of `<access>` contradicts `ls:subscripts` and `ls:at`, which hold"
        ]
    );
    let text =
        write(&read(NEWER, "m.xml").unwrap()).replacen("ls:id=\"star@5\"", "ls:id=\"star@4\"", 1);
    let program = read(&text, "m.xml").unwrap();
    assert_eq!(
        program.functions[0].body.loops()[0].body.loops()[0].id,
        "star@4#2"
    );
    assert_eq!(
        remarks(&program),
        ["warning duplicate-id 5: the id `star@4` is that of an earlier loop"]
    );
}

#[test]
fn dress_does_not_matter() {
    let plain = read(NEWER, "m.xml").unwrap();
    let byte_order_mark = format!(
        "\u{feff}<?xml version=\"1.0\"?>\n<!-- {} -->\n{NEWER}",
        "a < b && c"
    );
    for text in [
        byte_order_mark,
        NEWER.replace('\n', "\r\n"),
        NEWER.replace('"', "'"),
        NEWER.replace(' ', "\n "),
    ] {
        let mut program = read(&text, "m.xml").unwrap();
        program.functions[0].line = 2;
        assert_eq!(program, plain, "{text}");
    }
    let program = Program {
        functions: vec![Function {
            name: "a\u{1}".into(),
            ..plain.functions[0].clone()
        }],
        ..plain
    };
    let text = write(&program);
    assert!(text.contains("name=\"a\\u{1}\""));
    assert_eq!(
        read(
            &text
                .replace("ls:", "mine:")
                .replace("xmlns:ls", "xmlns:mine"),
            "m.xml"
        ),
        Ok(program)
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn malformed_input_is_an_error_with_its_place() {
    let attribute =
        |text: &str| format!("<program>\n<function name=\"f\"\n {text}></function></program>");
    let cases = [
        ("", "1:1: malformed XML: there is no element"),
        ("hello", "1:1: malformed XML: text before the first element"),
        ("\n PK\u{3}", "2:4: malformed XML: the character U+0003"),
        ("<!-- a -->", "1:11: malformed XML: there is no element"),
        (
            "<program>",
            "1:10: malformed XML: `<program>` of line 1 is not closed",
        ),
        (
            "<program>\n<function name=\"f\"",
            "2:1: malformed XML: tag not closed",
        ),
        (
            "<program>\n<function name=\"f>\n</function></program>",
            "2:1: malformed XML: attribute value not closed",
        ),
        (
            "<program>\n</function>\n</program>",
            "2:1: malformed XML: `</function>` where `</program>` must come",
        ),
        ("</program>", "1:1: malformed XML: close tag `</program>`"),
        (
            "<program/><program/>",
            "1:11: malformed XML: a second outermost element",
        ),
        (
            "<program/>\nmore",
            "2:1: malformed XML: text after the last element",
        ),
        (
            "<program>\na && b</program>",
            "2:3: malformed XML: `&` without a name",
        ),
        (
            "<program>\n&nbsp;</program>",
            "2:1: malformed XML: unknown entity `&nbsp;`",
        ),
        (
            "<program>a < b</program>",
            "1:12: malformed XML: `<` starts no element",
        ),
        (
            "<program><1/></program>",
            "1:10: malformed XML: `<1` starts no element",
        ),
        (
            "<ls:program/>",
            "1:1: malformed XML: the prefix `ls:` is not declared",
        ),
        (
            &attribute("a=\"&#1;\""),
            "3:2: malformed XML: the value of `a` names a character",
        ),
        (
            &attribute("a=\"1\" a=\"2\""),
            "3:8: malformed XML: an attribute is given twice",
        ),
        (
            &attribute("x:a=\"1\""),
            "3:2: malformed XML: the prefix `x:` is not declared",
        ),
        (
            "<!DOCTYPE program [<!ENTITY a \"b\">]>\n<program/>",
            "1:1: a document type declaration is not read",
        ),
        (
            "<program><?xml version=\"1.0\"?></program>",
            "1:10: malformed XML: `<?xml …?>` is not at the start",
        ),
        (
            "\u{feff}\n  <machine/>",
            "2:3: the outermost element is `machine`",
        ),
        ("<machine/>", "1:1: the outermost element is `machine`"),
        (
            "<program xmlns=\"urn:x\"/>",
            "1:1: the outermost element is `{urn:x}program`",
        ),
        (
            "<program>\n<function/></program>",
            "2:1: `<function>` has no attribute `name`",
        ),
        (
            &attribute("adds=\"many\""),
            "3:2: adds=\"many\" of `<function>` cannot be read; write a whole number",
        ),
        (
            &attribute("adds=\"-1\""),
            "3:2: adds=\"-1\" of `<function>`",
        ),
        (
            &attribute("adds=\"18446744073709551616\""),
            "3:2: adds=\"18446744073709551616\" of `<function>`",
        ),
    ];
    for (text, expected) in cases {
        let error = read(text, "m.xml").expect_err(text);
        let message = error.to_string();
        assert!(
            message.starts_with(&format!("m.xml:{expected}")),
            "{text}\n{message}\n{expected}"
        );
        assert!(message.starts_with(&error.place().to_string()), "{message}");
    }
    let cases = [
        (
            "<loop lowerbound=\"1\" upperbound=\"2\"/>",
            "5:1: `<loop>` has no attribute `loopvar`",
        ),
        (
            "<loop loopvar=\"j\" lowerbound=\"1\"/>",
            "5:1: `<loop>` has no attribute `upperbound`",
        ),
        (
            "<loop loopvar=\"j\" lowerbound=\" \" upperbound=\"2\"/>",
            "5:19: lowerbound=\" \" of `<loop>`",
        ),
        (
            "<loop loopvar=\"j\" lowerbound=\"1\" upperbound=\"2\" stride=\"0\"/>",
            "5:49: stride=\"0\" of `<loop>`",
        ),
        (
            "<if linenum=\"3\"/>",
            "5:1: `<if>` has no attribute `conditional`",
        ),
        (
            "<else iflinenum=\"3\"/>",
            "5:1: this `<else>` follows no `<if linenum=\"3\">`",
        ),
        (
            "<if linenum=\"3\" conditional=\"c\"/><else iflinenum=\"4\"/>",
            "5:34: this `<else>` follows no",
        ),
        ("<scalar/>", "5:1: `<scalar>` has no attribute `name`"),
        (
            "<scalar name=\"s\" accesstype=\"rw\"/>",
            "5:18: accesstype=\"rw\" of `<scalar>` cannot be read; write one of",
        ),
        (
            "<scalar name=\"s\" isConstant=\"1\"/>",
            "5:18: isConstant=\"1\" of `<scalar>`",
        ),
        (
            "<array name=\"a\"><access/></array>",
            "5:17: `<access>` has no attribute `offset`",
        ),
        (
            "<array name=\"a\"><access offset=\"1,2\"/></array>",
            "5:25: offset=\"1,2\" of `<access>` cannot be read; write a tuple",
        ),
        (
            "<array name=\"a\"><access offset=\"(1,,2)\"/></array>",
            "5:25: offset=\"(1,,2)\" of `<access>`",
        ),
        (
            "<array name=\"a\"><access offset=\"(1,2)\" dependentloopvar=\"(i)\"/></array>",
            "5:40: dependentloopvar=\"(i)\" of `<access>` cannot be read; write one entry for each of the 2",
        ),
        (
            "<array name=\"a\"><access index=\"(1,\"/></array>",
            "5:25: index=\"(1,\" of `<access>`",
        ),
        (
            "<array name=\"a\"><access index=\"(1)\" indexorder=\"(x)\"/></array>",
            "5:37: indexorder=\"(x)\" of `<access>`",
        ),
        (
            "<array name=\"a\"><access index=\"(1)\" isRelative=\"no\"/></array>",
            "5:37: isRelative=\"no\" of `<access>`",
        ),
        (
            "<funccall name=\"g\"><arg/></funccall>",
            "5:20: `<arg>` has no attribute `argname`",
        ),
        (
            "<array name=\"a\"><ls:extents xmlns:ls=\"urn:loopsheet:xml:1\"><ls:extent lower=\"1 +\" upper=\"n\"/></ls:extents></array>",
            "5:71: lower of `<ls:extent>`: cannot read the expression `1 +`",
        ),
        (
            "<array name=\"a\"><ls:subscripts xmlns:ls=\"urn:loopsheet:xml:1\"><ls:subscript base=\"m\"/></ls:subscripts>\n\
             <access ls:at=\"1 2\" xmlns:ls=\"urn:loopsheet:xml:1\"/></array>",
            "6:9: ls:at=\"1 2\" of `<access>` cannot be read; write an integer for each of the 1 of `ls:subscripts`",
        ),
    ];
    for (body, expected) in cases {
        let message = in_nest(body).expect_err(body).to_string();
        assert!(
            message.starts_with(&format!("m.xml:{expected}")),
            "{body}\n{message}\n{expected}"
        );
    }
    let deep = format!("<program>{}", "<function name=\"f\">".repeat(100_000));
    assert!(matches!(
        read(&deep, "m.xml"),
        Err(XmlError::TooDeep { limit: 256, .. })
    ));
}

/// As ExaSAT's compilers print it: lines of a log around, characters that XML does not allow, attributes without quotes or
/// values, one offset for an index that several loops compute, and no end.
#[test]
fn what_is_nearly_xml_is_read_with_a_warning_for_each_guess() {
    let text = r#"compiling smooth.c
warning: unknown pragma
<program>
<function name="smooth">
<loop linenum="11" loopvar="k" lowerbound="klo" upperbound="khi" stride="1">
<loop linenum="12" loopvar="j" lowerbound="jlo" upperbound="jhi" stride=2 pure>
<loop linenum="13" loopvar="i" lowerbound="ilo + (j & 1)" upperbound="ihi" adds="6">
<array name="x" datatype="vector<double> &" accesstype="readwrite">
<access offset="(ilo+jlo+-jlo)" dependentloopvar="(k,j)" reads="1" writes="1"/>
</array>
</loop>
</loop>
"#;
    let program = read(text, "m.xml").expect(text);
    let remarks: Vec<(u32, &str)> = (program.files[0].diagnostics.iter())
        .filter(|remark| remark.code == DiagnosticCode::Repaired)
        .map(|remark| (remark.place.line, remark.message.as_str()))
        .collect();
    assert_eq!(
        remarks,
        [
            (3, "text before the first element was left out"),
            (6, "the value of `stride` of `<loop>` has no quotes"),
            (6, "`pure` of `<loop>` has no value and was left out"),
            (
                7,
                "`&` or `<` in the value of `lowerbound` of `<loop>` is not escaped, and is taken literally"
            ),
            (
                8,
                "`&` or `<` in the value of `datatype` of `<array>` is not escaped, and is taken literally"
            ),
            (
                13,
                "the file ends inside `<loop>`: what may have followed is missing"
            ),
            (
                9,
                "one offset for several loop variables: taken as a subscript for each, the innermost first"
            ),
        ]
    );
    let [stream] = &innermost(&program).streams[..] else {
        panic!("one stream");
    };
    let terms: Vec<&str> = (stream.subscripts.iter())
        .map(|subscript| subscript.terms[0].0.as_str())
        .collect();
    assert_eq!(terms, ["j", "k"]);
    assert_eq!(stream.subscripts[0].base.to_string(), "ilo");
    for refused in [
        "",
        "hello",
        "a <program> b",
        "<program/> more",
        "<machine name=x/>",
    ] {
        assert!(read(refused, "m.xml").is_err(), "{refused}");
    }
}

#[test]
fn the_schema_refuses_deliberate_damage() {
    let text = write(&read(OLDER, "m.xml").unwrap());
    assert_eq!(valid(&text), [""; 0]);
    for (from, to) in xml_programs::DAMAGE {
        let damaged = text.replacen(from, to, 1);
        assert_ne!(damaged, text, "{from} is not there");
        assert_ne!(valid(&damaged), [""; 0], "{to} instead of {from}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    #[test]
    fn programs_come_back_and_are_valid(program in program()) {
        let text = write(&program);
        prop_assert_eq!(read(&text, "m.xml"), Ok(program.clone()), "{}", text);
        prop_assert_eq!(write(&program), text.clone());
        prop_assert_eq!(valid(&text), [""; 0], "{}", text);
    }

    #[test]
    fn any_text_is_an_error_with_a_place(text in "\\PC{0,60}|[<>/&;='\"a-z!?\\[\\]\n-]{0,60}") {
        prop_assume!(text.trim() != "<program/>");
        let error = read(&text, "m.xml").expect_err(&text);
        prop_assert!(error.place().line as usize <= text.lines().count().max(1) + 1);
    }

    #[test]
    fn a_changed_document_is_read_or_refused(
        program in program(),
        older in any::<bool>(),
        at in any::<prop::sample::Index>(),
        removed in 0usize..12,
        inserted in prop_oneof![Just(String::new()), xml_programs::text(), "[-0-9(),<>/&;=\"'a-z ]{0,6}"],
    ) {
        let mut text = if older { OLDER.to_string() } else { write(&program) };
        let boundary = |text: &str, mut at: usize| {
            while !text.is_char_boundary(at) {
                at += 1;
            }
            at
        };
        let start = boundary(&text, at.index(text.len()));
        let end = boundary(&text, (start + removed).min(text.len()));
        text.replace_range(start..end, &inserted);
        // What is read is a program like any other.
        if let Ok(read_program) = read(&text, "m.xml") {
            let again = write(&read_program);
            prop_assert_eq!(read(&again, "m.xml"), Ok(read_program), "{}", text);
            prop_assert_eq!(valid(&again), [""; 0], "{}", again);
        }
    }
}
