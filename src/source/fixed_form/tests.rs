use proptest::prelude::*;

use super::*;

fn converted(text: &str) -> SourceText {
    converted_as(text, &FortranFlags::default())
}

fn converted_as(text: &str, flags: &FortranFlags) -> SourceText {
    let result = to_free_form(SourceText::verbatim(&"a.f".into(), text.to_owned()), flags);
    assert_eq!(result.text.split('\n').count(), result.origins.len());
    result
}

#[track_caller]
fn check(fixed: &str, free: &str) {
    assert_eq!(converted(fixed).text, free);
}

#[test]
fn comments_keep_their_text() {
    check(
        "c one\nC two\n* three\nd four\n! five\n      ! six\n\n  \n",
        "! one\n! two\n! three\n! four\n! five\n      ! six\n\n\n",
    );
}

#[test]
fn labels_and_code_stay_in_their_columns() {
    check(
        "   10 X = 1\n10000 y=2\n 20  0z = 3\r\n",
        "   10 X = 1\n10000 y=2\n 20   z = 3\n",
    );
}

#[test]
fn continuation_by_any_mark() {
    check(
        "      x = 1\n     $  + 2\n     1  + 3\n     !  + 4\n",
        "      x = 1 &\n     &  + 2 &\n     &  + 3 &\n     &  + 4\n",
    );
    check(
        "      x = 1\n     é + 2\n     0y = 3\n",
        "      x = 1 &\n     & + 2\n      y = 3\n",
    );
}

#[test]
fn comments_and_blank_lines_between_continuation_lines() {
    check(
        "      x = 1 ! a\nc b\n\n     $  ! c\n     $  + 2 ! d\n      y = 1",
        "      x = 1 & ! a\n! b\n\n        ! c\n     &  + 2 ! d\n      y = 1",
    );
    // A continuation line without code at the end must not swallow the next statement.
    check(
        "      x = 1\n     &\n      y = 2",
        "      x = 1\n      \n      y = 2",
    );
}

#[test]
fn exclamation_mark_in_a_string_is_no_comment() {
    check(
        "      x = 'a!b', \"it's!\"\n     $  , 5H!('\"\", 'c'",
        "      x = 'a!b', \"it's!\" &\n     &  , 5H!('\"\", 'c'",
    );
}

#[test]
fn string_open_across_lines_is_filled_up_to_column_72() {
    let free = format!("      print *, 'one{}&\n\n     &  two'\n", " ".repeat(53));
    check(
        "      print *, 'one\nc it's left out\n     $  two'\n",
        &free,
    );
    let free = format!("      data a /60Hone{}&\n     &two/\n", " ".repeat(52));
    check("      data a /60Hone\n     $two/\n", &free);
}

#[test]
fn string_that_never_closes_takes_no_comment_with_it() {
    check(
        "      x = 'a\nc$omp barrier\nc b",
        "      x = 'a\n!$omp barrier\n! b",
    );
}

#[test]
fn doubled_quote_split_by_the_end_of_a_line() {
    let head = format!("      print *, '{}'", "x".repeat(55));
    assert_eq!(head.len(), 72);
    check(
        &format!("{head}\n     $'y'"),
        &format!("{head}&\n     &'y'"),
    );
}

#[test]
fn word_split_by_the_end_of_a_full_line() {
    let head = format!("      call {}", "x".repeat(61));
    check(
        &format!("{head}\n     $yz(a, b)"),
        &format!("{head}yz &\n     &  (a, b)"),
    );
}

#[test]
fn text_past_column_72_is_dropped() {
    let line = format!("{:72}SEQ00010", "      x = (1)");
    check(
        &format!("{line}\n{line}"),
        &format!("{0:72}\n{0:72}", "      x = (1)"),
    );
    let commented = format!("{:70}! a longer comment", "      x = 1");
    check(&commented, &commented);
}

#[test]
fn text_past_column_72_is_kept_where_statements_need_it() {
    let long = format!("      x = f({}, b)", "a".repeat(65));
    let fixed = format!("      y = 1\n{long}\n{long}\n");
    let result = converted(&fixed);
    assert_eq!(result.text, fixed);
    let [note] = &result.diagnostics[..] else {
        panic!("{:?}", result.diagnostics)
    };
    assert_eq!(
        (note.severity, note.code.as_str()),
        (Severity::Note, "fixed-form-long-lines")
    );
    assert_eq!(
        (note.place.line, note.place.column, note.width),
        (2, 73, long.len() as u32 - 72)
    );
}

#[test]
fn tab_form() {
    check(
        "\tx = 1\n\t1 + 2\n10\tcontinue\n\t! c\n",
        "\tx = 1 &\n\t& + 2\n10\tcontinue\n\t! c\n",
    );
}

#[test]
fn directives_get_free_form_continuation() {
    let fixed = "c$omp parallel do\nC$OMP+ private(x)\n*$omp& shared(y) ! z\n!$acc loop\n!$acc1 gang\nc$ompx\n!$    x = 1\n";
    let free = "!$omp parallel do &\n!$OMP& private(x) &\n!$omp& shared(y) ! z\n!$acc loop &\n!$acc& gang\n!$ompx\n!$    x = 1\n";
    // `c$ompx` is a comment like any other: a letter is a mark only where a blank follows.
    check(fixed, free);
}

#[test]
fn preprocessor_lines_stay() {
    let text = "#define f(x) \\\n  (x)\n#if A\n      x = 1\n#endif";
    check(text, text);
}

#[test]
fn text_that_is_no_fixed_form_passes() {
    check("", "");
    check("     & x = 1", "       x = 1");
    check("program p\n  x = 1\nend", "program p\n  x = 1\nend");
}

#[track_caller]
fn check_nesting(text: &str, nested: &str) {
    let result = nest_labelled_do(SourceText::verbatim(&"a.f90".into(), text.to_owned()));
    let lines = result
        .text
        .split('\n')
        .zip(&result.origins)
        .map(|(text, origin)| format!("{:2} {text}\n", origin.line));
    assert_eq!(lines.collect::<String>(), nested);
}

#[test]
fn loops_that_share_their_end() {
    check_nesting(
        "      DO 10 i = 1, n\n      do 10, j = 1, m\n   10 Continue\n      end",
        " 1       DO    i = 1, n\n 2       do     j = 1, m\n 3    10 Continue\n 3       end do\n 3       end do\n 4       end\n",
    );
}

#[test]
fn loops_that_end_with_an_ordinary_statement() {
    check_nesting(
        "      do 20 while (x > 0)\n      do 010 i = 1, n\n10    a(i) = &\n      ! b\n      & b(i) ! c\n20    x = x - 1\n",
        " 1       do    while (x > 0)\n 2       do     i = 1, n\n 3 10    a(i) = &\n 4       ! b\n 5       & b(i) ! c\n 5       end do\n \
         6 20    x = x - 1\n 6       end do\n 7 \n",
    );
}

#[test]
fn labelled_end_do_needs_no_other() {
    check_nesting(
        "do 10 i = 1, n\n do j = 1, m\n end do\n10 enddo\nouter: do 20\n20 end do outer",
        " 1 do    i = 1, n\n 2  do j = 1, m\n 3  end do\n 4 10 enddo\n 5 outer: do   \n 6 20 end do outer\n",
    );
}

#[test]
fn labels_count_within_their_procedure() {
    check_nesting(
        "do 10 i = 1, n\nend subroutine\ndo 10 j = 1, n\nend if\n10 continue",
        " 1 do 10 i = 1, n\n 2 end subroutine\n 3 do    j = 1, n\n 4 end if\n 5 10 continue\n 5    end do\n",
    );
}

#[test]
fn several_statements_in_a_line() {
    check_nesting(
        "x = ';'; do 10 i = 1, n; do 10 j = 1, n\n10 a(i) = 0; y = 1",
        " 1 x = ';'; do    i = 1, n; do    j = 1, n\n 2 10 a(i) = 0; end do; end do; y = 1\n",
    );
}

#[test]
fn what_is_no_labelled_loop_stays() {
    let text = "do = 10\ndo i = 1, n\n10 end do\ndo10 = 1\n! do 10 i = 1, n\nx = '&\n&do 10 i = 1, n'\n10 continue\n";
    assert_eq!(
        nest_labelled_do(SourceText::verbatim(&"a.f90".into(), text.to_owned())).text,
        text
    );
}

proptest! {
    #[test]
    fn any_text_passes_line_for_line(text in any_fortran()) {
        let free = converted(&text);
        prop_assert_eq!(free.origins.len(), text.split('\n').count());
        let nested = nest_labelled_do(free);
        prop_assert_eq!(nested.text.split('\n').count(), nested.origins.len());
    }

    #[test]
    fn any_free_text_can_be_searched_for_loops(text in any_fortran()) {
        let nested = nest_labelled_do(SourceText::verbatim(&"a".into(), text));
        prop_assert_eq!(nested.text.split('\n').count(), nested.origins.len());
    }
}

/// Heaps of what matters in a line, so that odd combinations turn up.
fn any_fortran() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        proptest::sample::select(vec![
            "\n",
            "\n",
            "\n     &",
            "\n      ",
            "\n10    ",
            "\nc$omp",
            "\n\t1",
            "\r\n",
            "#",
            "\t",
            "     ",
            "do 10 i = 1, n",
            "do 10",
            "continue",
            "end",
            "end do",
            "'",
            "\"",
            "!",
            ";",
            "&",
            "5H",
            "99999999999999999999h",
            "(",
            ")",
            ",",
            "é",
            "\u{feff}",
            "\0",
            "0",
            "a:",
            "\\",
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,80}",
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(fragment, 0..40).prop_map(|parts| parts.concat())
}

#[test]
fn a_width_that_is_given_is_kept() {
    let filler = " ".repeat(60);
    let text = format!("      x = 1{filler}0 + y\n");
    let with = |columns| {
        let mut flags = FortranFlags::default();
        flags.columns = columns;
        let converted = converted_as(&text, &flags);
        assert!(converted.diagnostics.is_empty());
        converted.text.trim().replace(' ', "")
    };
    assert_eq!(with(None), "x=10");
    assert_eq!(with(Some(Columns::First(72))), "x=10");
    assert_eq!(with(Some(Columns::First(132))), "x=10+y");
    assert_eq!(with(Some(Columns::All)), "x=10+y");
    assert_eq!(with(Some(Columns::First(16))), "x=1");
}

#[test]
fn debug_lines_are_code_where_a_flag_says_so() {
    let text = "d     x = 1\nD 10  y = 2\n";
    assert_eq!(converted(text).text, "!     x = 1\n! 10  y = 2\n");
    let mut flags = FortranFlags::default();
    flags.debug_lines = true;
    assert_eq!(
        converted_as(text, &flags).text,
        "      x = 1\n  10  y = 2\n"
    );
}
