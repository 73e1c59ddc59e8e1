//! Addresses that are passed, and what bounds load, counted by hand.

use crate::small::{accesses, c, fortran, function};

/// The names of the arrays that loops of a function access.
fn arrays(json: &serde_json::Value, name: &str) -> Vec<String> {
    let loops = function(json, name)["loops"].as_array().expect("loops");
    let all = loops
        .iter()
        .flat_map(|l| l["arrays"].as_array().expect("arrays"));
    all.map(|array| array["name"].as_str().expect("a name").to_string())
        .collect()
}

#[test]
fn an_address_that_is_passed_is_no_access() {
    let json = c("void ext(double *x, int n);
        void element(double *a, int n) { for (int i = 0; i < n; i++) ext(&a[i], 3); }
        void row(double m[10][10], int n) { for (int i = 0; i < n; i++) ext(&m[i][0], 3); }
        void moved(double *a, int n) { for (int i = 0; i < n; i++) ext(a + i, 3); }
        void indexed(double *a, int *p, int n) { for (int i = 0; i < n; i++) ext(&a[p[i]], 3); }
        void twice(double *x) { x[0] *= 2; }
        void known(double *a, int n) { for (int i = 0; i < n; i++) twice(&a[i]); }");
    for name in ["element", "row", "moved"] {
        assert_eq!(arrays(&json, name), Vec::<String>::new(), "{name}");
    }
    // The index is loaded.
    assert_eq!(arrays(&json, "indexed"), ["p"]);
    // A body that is known stands in place of the call.
    assert_eq!(accesses(&json, "known", "a"), [1, 1]);
    let json = fortran(
        "subroutine s(u, req, n)
           include 'mpif.h'
           real(8) u(n, n)
           integer req(n)
           do i = 1, n
             call MPI_Isend(u(1, i), n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, req(i), ierr)
           end do
         end subroutine",
    );
    assert_eq!(arrays(&json, "s"), Vec::<String>::new());
}

#[test]
fn bounds_that_are_data_are_loaded_once_for_each_loop() {
    let json = c("double csr(int n, const double *v, const int *rp) {
          double s = 0;
          for (int i = 0; i < n; i++)
            for (int k = rp[i]; k < rp[i + 1]; k++) s += v[k];
          return s;
        }");
    let loops = function(&json, "csr")["loops"].as_array().expect("loops");
    let arrays = loops[0]["arrays"].as_array().expect("arrays");
    assert_eq!(arrays.len(), 1);
    let places = arrays[0]["accesses"].as_array().expect("accesses").iter();
    let places: Vec<[i64; 2]> = places
        .map(|a| {
            [
                a["offset"][0].as_i64().expect("a number"),
                a["reads"].as_i64().expect("a number"),
            ]
        })
        .collect();
    assert_eq!(places, [[0, 1], [1, 1]]);
    assert_eq!(loops[1]["arrays"].as_array().map(Vec::len), Some(1));
}
