//! Values that a program reads in order from a file that it opens by name.

use serde_json::Value;

use crate::small::iterations;
use crate::support::command;

/// The analysis of a program that reads `n` and `m` with these statements, beside such a file.
fn analysed(reads: &str, file: &str) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let source = format!(
        "
module sizes
  integer :: n, m, k
  real(8) :: dt
  character(8) :: title
  type grid
    integer :: cells
  end type
  type(grid) :: g
  real(8) :: x(100000)
contains
  subroutine look
    integer :: i
    integer :: list(3)
    {reads}
  end subroutine
  subroutine more
    read (10, *) k
  end subroutine
end module
program p
  use sizes
  integer :: i
  call look
  do i = 1, n
    x(i) = 1
  end do
  do i = 1, m
    x(i) = x(i) + dt
  end do
  do i = 1, g%cells
    x(i) = 2
  end do
  print *, x(3), title, k
end program"
    );
    std::fs::write(directory.path().join("a.f90"), source).expect("a file");
    std::fs::write(directory.path().join("run.dat"), file).expect("a file");
    command::analysed(directory.path(), &["--machine", "exasat"])
}

fn found(reads: &str, file: &str) -> Vec<f64> {
    iterations(&analysed(reads, file), "p")
}

const OPEN: &str = "open (10, file = 'run.dat')\n";

#[test]
fn a_list_gives_sizes_in_their_order() {
    let reads = format!(
        "{OPEN} read (10, *) title\n read (10, *)\n read (10, *) n, m\n read (10, *) dt, g%cells\n close (10)"
    );
    let file = "'a run'  ! its title\n# sizes\n 400 500 rows and columns\n0.1d0,\n600\n";
    assert_eq!(found(&reads, file), [400.0, 500.0, 600.0]);
    let json = analysed(&reads, file);
    let given = &json["parameters"]["n"];
    assert_eq!(
        (&given["value"], &given["origin"]),
        (&400.into(), &"input".into())
    );
    // Messages and checks in between do not read on.
    let checked = "integer :: ierr\n open (newunit = i, file = 'run.dat', iostat = ierr)\n \
         if (ierr /= 0) stop 'no file'\n print *, 'reading'\n read (unit = i, fmt = *) n, m, g%cells";
    assert_eq!(found(checked, "7,8 9\n"), [7.0, 8.0, 9.0]);
}

/// Where it is not known what stands before a value, it is none.
#[test]
fn what_may_be_elsewhere_in_the_file_gives_nothing() {
    let guessed = [128.0, 128.0, 128.0];
    let nothing = |reads: &str| {
        let reads = format!("{OPEN} {reads}");
        assert_eq!(found(&reads, "7 8 9\n7 8 9\n7 8 9\n"), guessed, "{reads}");
    };
    nothing("call more\n read (10, *) n, m, g%cells");
    nothing("rewind (10)\n read (10, *) n, m, g%cells");
    nothing("read (10, '(3i4)') n, m, g%cells");
    nothing("read (11, *) n, m, g%cells");
    nothing("read (*, *) n, m, g%cells");
    nothing("read (10, *) list\n read (10, *) n, m, g%cells");
    nothing("do i = 1, 2\n read (10, *) n, m, g%cells\n end do");
    // They are read elsewhere, too.
    nothing("read (10, *) n, m, g%cells\n read (*, *) n, m, g%cells");
    // The file ends, or has something else there.
    let read = format!("{OPEN} read (10, *) n, m, g%cells");
    assert_eq!(found(&read, "7 8\n"), [7.0, 8.0, 128.0]);
    assert_eq!(found(&read, "7 eight 9\n"), [7.0, 128.0, 128.0]);
    assert_eq!(found(&read, ""), guessed);
}

/// What a branch may give another value is not what was read.
#[test]
fn a_number_that_a_branch_sets_is_not_the_one_that_was_read() {
    let reads = format!("{OPEN}read (10, *) n, m\nif (n > 5) n = 5000");
    let sizes = found(&reads, "1000 20\n");
    assert_ne!(sizes[0], 1000.0);
    assert_eq!(sizes[1], 20.0);
}

/// What a program of C reads with these statements, beside such a file; or with the file as its input.
fn scanned(reads: &str, file: &str, options: &[&str]) -> Vec<f64> {
    let directory = tempfile::tempdir().expect("a directory");
    let source = format!(
        "#include <stdio.h>\n#include <stdlib.h>\ndouble x[100000];
         int main(int argc, char **argv) {{
           int n, m; double dt; FILE *in; char word[80];
           {reads}
           for (int i = 0; i < n; i++) x[i] = dt;
           for (int i = 0; i < m; i++) x[i] = 2;
           printf(\"%g\", x[3]);
         }}"
    );
    std::fs::write(directory.path().join("a.c"), source).expect("a file");
    let input = directory.path().join("run.dat");
    std::fs::write(&input, file).expect("a file");
    let machine = ["--machine", "exasat"];
    let mut arguments = machine.to_vec();
    arguments.extend(options.iter().map(|option| match *option {
        "FILE" => input.to_str().expect("a path"),
        option => option,
    }));
    iterations(&command::analysed(directory.path(), &arguments), "main")
}

#[test]
fn c_reads_words_over_the_ends_of_lines() {
    let opened = "in = fopen(\"run.dat\", \"r\"); if (!in) exit(1); fscanf(in, \"%d %lf\", &n, &dt); fscanf(in, \"%*s %d\", &m);";
    assert_eq!(scanned(opened, "400\n0.5 rows 500\n", &[]), [400.0, 500.0]);
    // What is read in between, and words with something else around them, stand elsewhere.
    let line = opened.replace("fscanf(in, \"%*s", "fgets(word, 80, in); fscanf(in, \"%*s");
    assert_eq!(scanned(&line, "400\n0.5 rows 500\n", &[]), [400.0, 128.0]);
    let sign = opened.replace("%d %lf", "n=%d %lf");
    assert_eq!(scanned(&sign, "400\n0.5 rows 500\n", &[])[0], 128.0);
}

/// The file of a run is read where the program learns its name only then, and as its standard input.
#[test]
fn an_input_that_is_named_is_read_in_order() {
    let input = ["--input", "FILE"];
    let named = "in = fopen(argv[1], \"r\"); fscanf(in, \"%d%d\", &n, &m); dt = 1;";
    assert_eq!(scanned(named, "40\n50\n", &input), [40.0, 50.0]);
    let standard = "scanf(\"%d\", &n); scanf(\"%d\", &m); dt = 1; n = 2*n;";
    assert_eq!(scanned(standard, "40 50\n", &input), [80.0, 50.0]);
    assert_eq!(scanned(standard, "40 50\n", &[]), [256.0, 128.0]);
}
