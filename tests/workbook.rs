//! probe
mod programs;
#[test]
fn probe() {
    let program = programs::mixed();
    let model = programs::model(&program, "xeon-8380", programs::WORKED);
    std::fs::write("/tmp/wb.xlsx", loopsheet::export::xlsx::workbook(&model).unwrap()).unwrap();
}
