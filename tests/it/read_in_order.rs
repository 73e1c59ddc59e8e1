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
