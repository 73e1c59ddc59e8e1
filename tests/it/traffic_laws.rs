//! What holds of traffic whatever the nest is: it is never negative, and a larger cache never moves more.

use std::sync::Arc;

use crate::support::sources;
use loopsheet_analysis as analysis;
use loopsheet_ir::Unit;
use loopsheet_lower as lower;
use loopsheet_machine::MachineModel;
use loopsheet_model::parameters::Kind;
use loopsheet_model::{Detail, Model, Setting};
use loopsheet_source::SourceText;

/// Subscripts and bounds that formulas are easily wrong about.
const AWKWARD: &str = "
typedef struct { double r[3], rest[13]; } Wide;
typedef struct { double pos[3], f[3]; int id; } Mixed;
void edges(int n, double l[n][n][3][25]) {
  for (int k = 1; k < n - 1; k++)
    for (int i = 1; i < n - 1; i++) {
      l[i][k][0][0] = l[i-1][k][0][0]; l[i][k][0][24] = 0; l[i][k][1][0] = l[i+1][k][1][0]; l[i][k][2][24] = 0;
    }
}
void block(int n, double a[n][n][5][5], double b[n][n][5][5]) {
  for (int i = 1; i < n - 1; i++) for (int j = 0; j < n; j++) for (int c = 0; c < 5; c++) {
    a[i][j][0][c] = b[i-1][j][0][c] + b[i+1][j][4][c]; a[i][j][2][c] = b[i][j][c][0];
  }
}
void wave(int n, double a[n][n]) {
  for (int d = 2; d < 2*n-1; d++)
    for (int i = d-n+1 > 1 ? d-n+1 : 1; i < (d < n ? d : n); i++) a[i][d-i] = a[i-1][d-i] + a[i][d-i-1];
}
void tiles(int n, double a[n][n]) {
  for (int ii = 0; ii < n; ii += 8) for (int jj = 0; jj <= ii; jj += 8)
    for (int i = ii; i < (ii+8 < n ? ii+8 : n); i++) for (int j = jj; j < (jj+8 < n ? jj+8 : n); j++) a[i][j] *= 2;
}
void cholesky(int n, double a[n][n]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[j][k];
}
void flat(int n, double *a) {
  for (int i = 1; i < n - 1; i++) for (int d = 0; d < 3; d++) a[16*i+d] = a[16*i-16+d] + a[16*i+8+d] + a[16*i+16+d];
}
void several(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[12*i+3*j] += a[12*i+3*j+40] + b[5*j-2*i] + b[5*j+64];
}
void atoms(int n, Wide a[n], Mixed m[n]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int d = 0; d < 3; d++)
    m[i].f[d] += a[j].r[d] * (m[i].pos[d] - m[j].pos[d]) * m[j].id;
}
void multiples(int n, char *a) { for (int i = 2; i < n; i++) for (int j = 2*i; j < n; j += i) a[j] = 1; }
void sparse(int n, int *rows, int *column, double *v, double *x, double *y) {
  for (int i = 0; i < n; i++) for (int k = rows[i]; k < rows[i+1]; k++) y[i] += v[k] * x[column[k]];
}
void stages(int n, double *a) {
  for (int h = 1; h < n; h *= 2) for (int i = 0; i < n; i += 2*h) for (int j = i; j < i+h; j++) a[j] += a[j+h];
}
";

/// The sources of the repository, and the awkward ones.
fn units() -> Vec<Unit> {
    let directories = [
        "samples/kernels",
        "tests/fixtures/stencils",
        "tests/fixtures/kernels",
    ];
    let name = Arc::from("awkward.c");
    let awkward = SourceText::verbatim(&name, AWKWARD.to_string());
    let mut units = vec![lower::c::lower(&name, &awkward)];
    units.extend(sources::units(&directories));
    units
}

#[test]
fn larger_caches_never_move_more() {
    let program = analysis::analyze(&units());
    let machine = MachineModel::preset("xeon-8380").expect("a preset");
    let plain = Model::with(&program, machine.clone(), &[], Detail::Values).expect("sound");
    let sizes: Vec<String> = plain
        .parameters
        .rows()
        .iter()
        .filter(|row| row.value == 128.0 && row.kind == Kind::Problem)
        .map(|row| row.name.clone())
        .collect();
    let mut nests = 0;
    for size in [-7, 0, 1, 2, 3, 5, 17, 48, 100, 1024] {
        let setting = |name: &String| Setting::new(name.clone(), size.to_string());
        let settings: Vec<Setting> = sizes.iter().map(setting).collect();
        let model =
            Model::with(&program, machine.clone(), &settings, Detail::Values).expect("sound");
        for (index, nest) in model.nests.iter().enumerate() {
            let place = format!("{} with sizes of {size}", nest.nest.head().id);
            let (profile, _) = model.profile(index);
            let mut before = (f64::INFINITY, f64::INFINITY);
            for power in 6..34 {
                let (fetched, written) = profile.through(f64::from(power).exp2());
                assert!(
                    fetched >= 0.0 && written >= 0.0,
                    "{place}: {fetched}, {written} lines through 2^{power}"
                );
                let is_more =
                    fetched > before.0 * (1.0 + 1e-9) || written > before.1 * (1.0 + 1e-9);
                assert!(
                    !is_more,
                    "{place}: {fetched}, {written} lines through 2^{power}, {before:?} before"
                );
                before = (fetched, written);
            }
            nests += 1;
        }
    }
    assert!(nests > 500, "{nests}");
}
