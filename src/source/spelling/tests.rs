use std::sync::Arc;

use super::*;

fn respelled(text: &str, form: Form) -> String {
    let file: Arc<str> = "file".into();
    respell(SourceText::verbatim(&file, text.to_string()), form).text
}

#[track_caller]
fn check(pairs: &[(&str, &str)], form: Form) {
    for (text, expected) in pairs {
        assert_eq!(respelled(text, form), *expected);
    }
}

#[test]
fn what_the_grammar_does_not_read_is_respelled() {
    check(
        &[
            ("common // x, y", "common    x, y"),
            ("common / / x /a/ z", "common     x /a/ z"),
            ("common /a/ z, // w(3)", "common /a/ z; common  w(3)"),
            ("open(-10, file='-1')", "open( 10, file='-1')"),
            ("write (unit = -1, *) -2", "write (unit =  1, *) -2"),
            (
                "forall (i=1:n, m(i)) a(i) = 1",
                "forall (i=1:n, m(i).or..false.) a(i) = 1",
            ),
            ("forall (integer :: i=1:n)", "forall (           i=1:n)"),
            (
                "call f(%VAL(n), a%ref(1), %loc (b))",
                "call f(    (n), a%ref(1),      (b))",
            ),
            ("x = [t :: t(1)]", "x = [     t(1)]"),
            ("x = (/ t(4) :: y /)", "x = (/         y /)"),
            ("final a, b", "final::a, b"),
            (
                "data x /4Habcd/, y /2*10H0123456789/",
                "data x /'abcd'/, y /2*'0123456789' /",
            ),
            (
                "data m /X'1F'/, n /'ff'x/, k /'17'O/",
                "data m /z'1F'/, n /z'ff'/, k /o'17'/",
            ),
            ("character*(*), name*3, b", "character*(*)  name*3, b"),
            ("DoWhile (n > 0)", "Do While (n > 0)"),
            ("10 format (2x, -2p10f12.2)", "10 format (2x,  2p10f12.2)"),
            ("  'a', -2PF5.1, 'b-2p') ", "  'a',  2PF5.1, 'b-2p') "),
            ("  PRIVATE ! so", "  private ! so"),
            (
                "real d(2) ! two\nn = 1\ndata d / 1., & ! one\n  2. /\nm = n",
                "real d(2); data d / 1., 2. / ! two\nn = 1\n\n\nm = n",
            ),
            (
                "type t\nreal x\nend type t\nx = 1\ndata y /1/",
                "type t\nreal x\nend type t; data y /1/\nx = 1\n",
            ),
            (
                "subroutine s\nx = 1\nDATA y /1/\nend\ndata z /2/",
                "subroutine s; DATA y /1/\nx = 1\n\nend\ndata z /2/",
            ),
            ("10 end block", "10 continue; end block"),
            ("10 endwhere mask", "10 continue; endwhere mask"),
        ],
        Form::Free,
    );
}

#[test]
fn everything_else_stays() {
    let same = [
        "real d(2)\ndata d / 1., 2. /\nn = 1",
        "call f(x, -2, -p)",
        "dowhile = 1",
        "real data(2)\nn = 1\ndata(1) = a / b\ndata = 1 / n",
        "common /a/ x, y",
        "x = a // b // 'it''s -1'",
        "forall (i=1:n, a(i) > 0) a(i) = 1",
        "forall (i=1:n, .not. m(i)) a(i) = 1",
        "type(t) :: x(3)",
        "real :: x(3) = [real :: 1, 2, 3]",
        "x = [t :: ]",
        "character*4 a, b",
        "character*4, intent(in) :: a",
        "final = 3",
        "final :: a",
        "10 end if",
        "end block",
        "h = 4*h1 - 3.0*h",
        "10 format (5Habcde, 1x'abc')",
        "print *, 'x''1f''', \"'1f'x\"",
        "s = 'common // x &",
        "! common // x",
        "#if x'1'",
        "do10i = 1",
        "externalfoo(1) = 2",
    ];
    for text in same {
        assert_eq!(respelled(text, Form::Free), text);
        assert_eq!(respelled(text, Form::Fixed), text);
    }
}

#[test]
fn words_of_fixed_form_are_set_apart_and_joined() {
    check(
        &[
            ("      do10i=1,n", "      do 10 i=1,n"),
            ("      doi=1,n", "      do i=1,n"),
            ("      do 10 i=1,n", "      do 10 i=1,n"),
            ("      externalfoo,bar", "      external foo,bar"),
            ("      callfoo(x)", "      call foo(x)"),
            ("      goto10", "      goto 10"),
            ("      R E T U R N", "      RETURN     "),
            ("   10 s t op", "   10 stop  "),
            ("      s t o p = 1", "      s t o p = 1"),
            ("   20 a(i)=a(i)*dvl3a i(i)", "   20 a(i)=a(i)*dvl3ai (i)"),
            ("      x = 1 000 .and. y", "      x = 1000  .and. y"),
            (
                "      parameter (m = 100 000, n = 'a 1 2')",
                "      parameter (m = 100000 , n = 'a 1 2')",
            ),
            ("      x = 1. E0 - 2. d-3", "      x = 1.E0  - 2.d-3 "),
            ("      data x / .5 d-3 /", "      data x / .5d-3  /"),
            ("      do 10 e5 = 1, n", "      do 10 e5 = 1, n"),
            ("      l = x.eq. e5", "      l = x.eq. e5"),
            ("   30 format (i3 2x)", "   30 format (i3 2x)"),
        ],
        Form::Fixed,
    );
}

/// A string that goes on in the next line.
#[test]
fn strings_hide_what_they_hold() {
    let text = "x = 'a &\n  &common // x'\ncommon // x";
    assert_eq!(
        respelled(text, Form::Free),
        "x = 'a &\n  &common // x'\ncommon    x"
    );
}
