//! Sources that cannot be read in full: their figures are marked, and every command says so.

use super::*;

/// As `analyze` does: errors are no success, and figures that are without something have a star.
#[test]
fn what_was_not_read_is_said_and_marked() {
    let project = project("sources = ['half.c', 'lost.c', 'kernels/sum.c']\n[set]\nn = 64\n");
    let write = |name: &str, text: &str| fs::write(project.path().join(name), text).expect(name);
    write("half.c", &format!("{SUM}double g(\n"));
    write("lost.c", &format!("#include \"lost.h\"\n{SUM}"));
    let of_analyze = |name: &str| {
        let mut command = loopsheet();
        let command = command.current_dir(project.path());
        let output = command.args(["analyze", name]).output();
        output.expect("it runs").status.code()
    };
    assert_eq!(of_analyze("half.c"), Some(1));
    assert_eq!(of_analyze("lost.c"), Some(0));
    for arguments in [
        &["plan", "sweep.toml"][..],
        &["run", "--all"],
        &["run", "--all"],
        &["merge"],
        &["report", "--html", "r.html", "-o", "r.xlsx"],
    ] {
        let (status, said) = sweep(project.path(), arguments);
        assert_eq!(status, 1, "{arguments:?}: {said}");
        assert!(said.contains("half.c could not be read in full (1 error)"));
        assert!(said.contains("lost.c: `lost.h` was not found"), "{said}");
    }
    // Of other sources nothing is to be said.
    done(project.path(), &["run", "3"]);
    let rows = rows(project.path());
    for (input, errors, expected) in [
        ("half.c", 1.0, "half.c (1 error)"),
        ("lost.c", 0.0, "lost.c (`lost.h` was not found)"),
        ("kernels/sum.c", 0.0, ""),
    ] {
        let own = || rows.iter().filter(|row| text(row, "input") == input);
        assert!(own().count() > 1, "a program and a nest");
        assert!(
            own().all(|row| text(row, "not_read") == expected),
            "{input}"
        );
        let program = own().find(|row| text(row, "kind") == "program");
        let program = program.expect("the program");
        assert_eq!(number(program, "error_remarks"), Some(errors));
    }
    let page = fs::read_to_string(project.path().join("r.html")).expect("a page");
    for expected in ["half.c (1 error)", "lost.c (`lost.h` was not found)"] {
        let note = format!("without what was not read: {expected}");
        assert!(page.contains(&note), "{page}");
    }
    assert_eq!(page.matches(" *</td>").count(), 2, "{page}");
    let book = fs::read(project.path().join("r.xlsx")).expect("a workbook");
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(book)).expect("a workbook");
    for sheet in ["Best", "Configurations"] {
        let range = book.worksheet_range(sheet).expect("the sheet");
        let marked = range.rows().filter(|row| {
            let mut cells = row.iter().filter_map(DataType::get_string);
            cells.any(|cell| cell.starts_with("* without what was not read"))
        });
        assert_eq!(marked.count(), 2, "{sheet}");
    }
}

/// So do maps, whose figures are of several sources together.
#[test]
fn maps_say_which_sources_are_not_exact() {
    let project = project(
        "sources = ['half.c', 'kernels/sum.c']\nmachines = ['epyc-7763', 'grace']\n[set]\nn = [64, 128]\n",
    );
    let half = format!("{SUM}double g(\n");
    fs::write(project.path().join("half.c"), half).expect("a file");
    for arguments in [
        &["plan", "sweep.toml"][..],
        &["run", "--all"],
        &["merge"],
        &["report", "--html", "r.html"],
    ] {
        sweep(project.path(), arguments);
    }
    let page = fs::read_to_string(project.path().join("r.html")).expect("a page");
    let remark = "* Times of half.c are not exact: columns not_read";
    assert!(page.contains("Time of sources over"), "{page}");
    assert!(page.contains(remark), "{page}");
}
