//! Flags of the compiler that change figures: sizes of types without a kind, form and width of Fortran's lines. From
//! `compile_commands.json`, or from the command line.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::command::{analysed, fixture, loopsheet, printed};

const FIELDS: &str = "\
module fields
  implicit none
  real :: a(1000)
  double precision :: d(1000)
  real(4) :: four(1000)
  real*8 :: eight(1000)
  real(kind(1.0)) :: of_literal(1000)
  real(kind(1d0)) :: of_double(1000)
  complex :: z(1000)
  integer :: i(1000)
  integer(kind(1)) :: of_one(1000)
  logical :: l(1000)
end module fields
";

const USER: &str = "\
subroutine work(n, b)
  use fields
  integer :: n, k
  real :: b(n)
  do k = 1, n
    a(k) = b(k) + real(i(k)) * 2.0
    d(k) = d(k) + 1d0
    four(k) = eight(k)
    of_literal(k) = of_double(k)
    z(k) = z(k) + z(k)
    of_one(k) = i(k)
    l(k) = .true.
  end do
end subroutine work
";

fn write(directory: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        std::fs::write(directory.join(name), text).expect("a file");
    }
}

/// Bytes of an element of every array, by its name, and how many operations each size of numbers has.
fn figures(directory: &Path, arguments: &[&str]) -> (BTreeMap<String, u64>, Value) {
    let mut command = loopsheet();
    let report = printed(
        command
            .current_dir(directory)
            .args(["analyze", ".", "--json", "-", "--quiet"])
            .args(arguments),
    );
    let functions = report["functions"].as_array().expect("functions");
    let loops = functions
        .iter()
        .flat_map(|function| function["loops"].as_array().expect("loops"));
    let mut sizes = BTreeMap::new();
    let mut by_type = Value::Null;
    for found in loops {
        for array in found["arrays"].as_array().expect("arrays") {
            let name = array["name"].as_str().expect("a name").to_string();
            sizes.insert(name, array["element_bytes"].as_u64().expect("bytes"));
        }
        by_type = found["flops"]["by_type"].clone();
    }
    (sizes, by_type)
}

fn sizes(directory: &Path, arguments: &[&str]) -> [u64; 11] {
    let found = figures(directory, arguments).0;
    [
        "a",
        "b",
        "d",
        "four",
        "eight",
        "of_literal",
        "of_double",
        "z",
        "i",
        "of_one",
        "l",
    ]
    .map(|name| found[name])
}

#[test]
fn sizes_of_types_without_a_kind_follow_the_flags() {
    let directory = tempfile::tempdir().expect("a directory");
    write(
        directory.path(),
        &[("fields.f90", FIELDS), ("user.f90", USER)],
    );
    let of = |flags: &str| sizes(directory.path(), &[&format!("--flags={flags}")]);
    assert_eq!(of("-O2"), [4, 4, 8, 4, 8, 4, 8, 8, 4, 4, 4]);
    assert_eq!(of("-fdefault-real-8"), [8, 8, 16, 4, 8, 8, 16, 16, 4, 4, 4]);
    assert_eq!(
        of("-fdefault-real-8 -fdefault-double-8"),
        [8, 8, 8, 4, 8, 8, 8, 16, 4, 4, 4]
    );
    assert_eq!(of("-r8 -i8"), [8, 8, 8, 4, 8, 8, 8, 16, 8, 8, 8]);
    assert_eq!(of("-real-size 64"), of("-autodouble"));
    assert_eq!(of("-freal-4-real-8"), [8, 8, 8, 8, 8, 8, 8, 16, 4, 4, 4]);
    assert_eq!(of("-freal-8-real-4"), [4, 4, 4, 4, 4, 4, 4, 8, 4, 4, 4]);
    assert_eq!(
        of("-finteger-4-integer-8"),
        [4, 4, 8, 4, 8, 4, 8, 8, 8, 8, 4]
    );
}

/// Operations are counted by the size of what they compute with: literals and conversions follow the flags, too.
#[test]
fn operations_are_of_the_size_that_the_flags_give() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = "subroutine f(n, a, j)\n integer :: n, k, j(n)\n real :: a(n)\n do k = 1, n\n a(k) = real(j(k)) * 2.0\n end do\nend\n";
    write(directory.path(), &[("f.f90", text)]);
    let single = figures(directory.path(), &[]).1;
    let double = figures(directory.path(), &["--flags", "-r8"]).1;
    let sizes = |by_type: &Value| {
        by_type
            .as_object()
            .expect("types")
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(sizes(&single), ["real4"]);
    assert_eq!(sizes(&double), ["real8"]);
}

/// Each file is compiled in its own way, and what a module declares has the sizes of the module's file.
#[test]
fn a_module_has_the_sizes_of_its_own_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let commands = json!([
        {"directory": ".", "file": "fields.f90", "command": "gfortran -fdefault-real-8 -c fields.f90"},
        {"directory": ".", "file": "user.f90", "arguments": ["ifort", "-c", "user.f90"]},
    ]);
    write(
        directory.path(),
        &[
            ("fields.f90", FIELDS),
            ("user.f90", USER),
            ("compile_commands.json", &commands.to_string()),
        ],
    );
    assert_eq!(
        sizes(directory.path(), &[]),
        [8, 4, 16, 4, 8, 8, 16, 16, 4, 4, 4]
    );
    // The command line counts more.
    assert_eq!(
        sizes(directory.path(), &["--flags=-r8"]),
        [8, 8, 8, 4, 8, 8, 8, 16, 4, 4, 4]
    );
}

#[test]
fn form_and_width_of_lines_follow_the_flags() {
    let directory = tempfile::tempdir().expect("a directory");
    let filler = " ".repeat(60);
    let text = format!(
        "      subroutine f(n, a, b)\n      real a(n), b(n)\n      do k = 1, n\n        a(k) = a(k){filler}+ b(k)\nD       b(k) = a(k)*a(k)\n      end do\n      end\n"
    );
    // Its extension says free form.
    write(directory.path(), &[("f.f90", &text)]);
    let operations = |flags: &str| {
        let by_type = figures(directory.path(), &["--flags", flags]).1;
        by_type["real4"].clone()
    };
    let arrays = |flags: &str| figures(directory.path(), &["--flags", flags]).0.len();
    assert_eq!(arrays("-ffixed-form"), 1);
    assert_eq!(
        operations("-ffixed-form -ffixed-line-length-none")["adds"],
        1
    );
    assert_eq!(arrays("-fixed -extend-source"), 2);
    assert_eq!(operations("-fixed -132 -d-lines")["multiplies"], 1);
}

#[test]
fn a_flag_that_is_not_heeded_is_reported_once() {
    let directory = tempfile::tempdir().expect("a directory");
    write(
        directory.path(),
        &[
            ("fields.f90", FIELDS),
            ("user.f90", USER),
            (
                "c.c",
                "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n",
            ),
        ],
    );
    let complaint = |flags: &str| {
        let mut command = loopsheet();
        let output = command
            .current_dir(directory.path())
            .args(["analyze", ".", "--flags", flags])
            .output()
            .expect("it runs");
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        text.lines()
            .filter(|line| line.contains("flag-not-heeded"))
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    assert!(complaint("-O3 -r8 -march=native").is_empty());
    let fortran = complaint("-fpack-derived");
    assert!(
        fortran.len() == 1 && fortran[0].contains("2 files are compiled with `-fpack-derived`"),
        "{fortran:?}"
    );
    let c = complaint("-m32");
    assert!(
        c.len() == 1 && c[0].contains("1 file is compiled with `-m32`"),
        "{c:?}"
    );
}

/// What compilers may do follows from how each file is compiled: 4 elements of 3 cycles each where sums are reordered.
#[test]
fn chains_and_vectors_follow_the_flags() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = "double f(int n, double *a) { double s = 0.0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n";
    let commands = json!([
        {"directory": ".", "file": "a.c", "command": "gcc -O3 -c a.c"},
        {"directory": ".", "file": "b.c", "command": "gcc -Ofast -c b.c"},
        {"directory": ".", "file": "c.c", "command": "gcc -O3 -ffast-math -fno-tree-vectorize -c c.c"},
    ]);
    let named = |name: &str| text.replace("f(", &format!("{name}("));
    write(
        directory.path(),
        &[
            ("a.c", &named("a_sum")),
            ("b.c", &named("b_sum")),
            ("c.c", &named("c_sum")),
            ("compile_commands.json", &commands.to_string()),
        ],
    );
    let core = fixture("clock/core.toml");
    let core = core.to_str().expect("a path");
    let json = analysed(directory.path(), &["--machine", core, "--set", "n=1000"]);
    let functions = json["functions"].as_array().expect("functions");
    let found: Vec<(&str, f64, Value)> = (functions.iter())
        .map(|function| {
            let core = &function["nests"][0]["in_core"];
            let chain = core["chain_cycles"].as_f64().expect("a number");
            (
                function["name"].as_str().expect("a name"),
                chain,
                core["by_flags"].clone(),
            )
        })
        .collect();
    let fast = [
        "reorder_sums",
        "vector_functions",
        "no_math_errno",
        "finite_math",
    ];
    let scalar = [&fast[..], &["no_vectorise"]].concat();
    assert_eq!(
        found,
        [
            ("a_sum", 3.0, Value::Null),
            ("b_sum", 0.75, json!(fast)),
            ("c_sum", 3.0, json!(scalar)),
        ]
    );
}
