//! `--tables DIR`: what the CSV files hold is what tables.json says and what the JSON report has.

use std::collections::BTreeMap;

use crate::support::programs::{WORKED, flops, function, mixed, model, nest, program, stream};
use loopsheet_analysis::facts::{AccessClass, Block};
use loopsheet_export::{json, tables};
use loopsheet_model::Model;
use serde_json::Value;

struct Tables {
    described: Value,
    /// Headings and rows by file.
    files: BTreeMap<String, (Vec<String>, Vec<Vec<String>>)>,
}

impl Tables {
    fn of(model: &Model) -> Tables {
        let mut described = Value::Null;
        let mut files = BTreeMap::new();
        for (name, content) in tables::files(model, tables::TablesFormat::Csv).unwrap() {
            if name == "tables.json" {
                described = serde_json::from_slice(&content).unwrap();
                continue;
            }
            let mut reader = csv::Reader::from_reader(content.as_slice());
            let cells = |record: &csv::StringRecord| {
                record.iter().map(str::to_string).collect::<Vec<String>>()
            };
            let heads = cells(reader.headers().unwrap());
            // The reader refuses rows of another length.
            files.insert(
                name,
                (
                    heads,
                    reader
                        .records()
                        .map(|record| cells(&record.unwrap()))
                        .collect(),
                ),
            );
        }
        Tables { described, files }
    }

    fn descriptions(&self) -> &Vec<Value> {
        self.described["tables"].as_array().unwrap()
    }

    /// The column of a table that the workbook heads so.
    fn column(&self, table: &str, group: &str, header: &str) -> Vec<String> {
        let described = self
            .descriptions()
            .iter()
            .find(|t| t["name"] == table)
            .unwrap();
        let columns = described["columns"].as_array().unwrap();
        let position = columns
            .iter()
            .position(|c| c["group"] == group && c["header"] == header)
            .unwrap();
        self.files[&format!("{table}.csv")]
            .1
            .iter()
            .map(|row| row[position].clone())
            .collect()
    }
}

/// The reader of JSON may be off in the last digit.
fn near(cell: &str, value: &Value) -> bool {
    match (cell.parse::<f64>(), value.as_f64()) {
        (Ok(a), Some(b)) => (a - b).abs() <= 1e-14 * b.abs(),
        (a, b) => a.is_err() && b.is_none(),
    }
}

#[test]
fn every_column_is_described_with_its_unit() {
    let program = mixed();
    for machine in ["exasat", "xeon-8380"] {
        let tables = Tables::of(&model(&program, machine, WORKED));
        assert_eq!(tables.descriptions().len(), tables.files.len());
        for described in tables.descriptions() {
            let (heads, rows) = &tables.files[described["file"].as_str().unwrap()];
            assert_eq!(described["rows"], rows.len());
            let columns = described["columns"].as_array().unwrap();
            let names: Vec<&str> = columns
                .iter()
                .map(|c| c["name"].as_str().unwrap())
                .collect();
            assert_eq!(&names, heads);
            for column in columns {
                assert!(
                    column["unit"].is_string() && !column["meaning"].as_str().unwrap().is_empty(),
                    "{column}"
                );
                let name = column["name"].as_str().unwrap();
                assert!(
                    name.chars()
                        .all(|c| c.is_lowercase() || c.is_numeric() || c == '_'),
                    "{name}"
                );
            }
        }
        let unit = |table: &str, group: &str, header: &str| {
            let described = tables
                .descriptions()
                .iter()
                .find(|t| t["name"] == table)
                .unwrap();
            let is = |c: &&Value| c["group"] == group && c["header"] == header;
            described["columns"]
                .as_array()
                .unwrap()
                .iter()
                .find(is)
                .unwrap()["unit"]
                .as_str()
                .unwrap()
                .to_string()
        };
        assert_eq!(unit("loops", "Time", "Estimate"), "s");
        assert_eq!(unit("loops", "Time", "Arithmetic intensity"), "flop/B");
        assert_eq!(unit("loops", "Footprint", "Footprint"), "B");
        assert_eq!(unit("caches", "Cache", "Capacity"), "B");
    }
}

#[test]
fn values_are_those_of_the_json_report() {
    let program = mixed();
    let model = model(&program, "xeon-8380", WORKED);
    let tables = Tables::of(&model);
    let report: Value = serde_json::from_str(&json::analysis(&model)).unwrap();
    let nests: Vec<&Value> = report["functions"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|f| f["nests"].as_array().unwrap())
        .collect();
    let traffic = "Memory traffic over the whole execution, by what is reused";
    let all = "Operations over the whole execution";
    type Pick = fn(&Value) -> &Value;
    let columns: [(&str, &str, Pick); 6] = [
        ("Time", "Estimate", |nest| &nest["seconds"]),
        ("Time", "Arithmetic intensity", |nest| &nest["intensity"]),
        (all, "Iterations", |nest| &nest["iterations"]),
        (all, "Flops", |nest| &nest["flops"]),
        (all, "Weighted flops", |nest| &nest["weighted_flops"]),
        (traffic, "Actual", |nest| &nest["traffic"]["actual"]),
    ];
    let ids = tables.column("loops", "Loop", "Loop");
    assert_eq!(ids.len(), nests.len());
    for (group, header, pick) in columns {
        for ((id, cell), nest) in ids
            .iter()
            .zip(tables.column("loops", group, header))
            .zip(&nests)
        {
            assert_eq!(nest["loop"], id.as_str());
            assert!(
                near(&cell, pick(nest)),
                "{id}, {header}: {cell}, not {}",
                pick(nest)
            );
        }
    }
    let (_, parameters) = &tables.files["parameters.csv"];
    for row in parameters.iter().filter(|row| row[2] != "machine") {
        assert!(
            near(&row[1], &report["parameters"][&row[0]]["value"]),
            "{row:?}"
        );
    }
    let cache = parameters
        .iter()
        .find(|row| row[0] == "cache_bytes")
        .unwrap();
    assert_eq!(
        (cache[1].parse().ok(), cache[5].as_str()),
        (model.machine.get("cache_bytes"), "B")
    );
    assert_eq!(tables.described["seconds"], report["totals"]["seconds"]);
}

/// Names with commas, quotes and line ends come back as they are.
#[test]
fn odd_names_come_back() {
    let odd = ["a,b", "say \"x\"", "two\nlines", " =cmd()", "é;ü", ""];
    let streams = odd
        .iter()
        .map(|name| stream(name, AccessClass::ReadOnly, &["i"], &[&[0]]))
        .collect();
    let body = Block {
        flops: flops(1, 0, 0, 0),
        streams,
        ..Block::default()
    };
    let loops = vec![nest(
        "f,\"g\"",
        "a \"b\", c.f90",
        7,
        &[("i", "1", "n")],
        body,
    )];
    let program = program(vec![function("f,\"g\"", "a \"b\", c.f90", &[], loops)]);
    let tables = Tables::of(&model(&program, "exasat", &[]));
    assert_eq!(tables.column("loops", "Loop", "File"), ["a \"b\", c.f90"]);
    assert_eq!(tables.column("loops", "Loop", "Function"), ["f,\"g\""]);
    let (heads, rows) = &tables.files["arrays.csv"];
    let position = heads.iter().position(|head| head == "array").unwrap();
    let mut arrays: Vec<&str> = rows.iter().map(|row| row[position].as_str()).collect();
    arrays.sort_unstable();
    let mut expected = odd.to_vec();
    expected.sort_unstable();
    assert_eq!(arrays, expected);
}

/// The files as Parquet: values and nulls of every column, as text.
fn parquet_columns(bytes: Vec<u8>) -> (Vec<String>, Vec<Vec<Option<String>>>) {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr();
    let names: Vec<String> = (schema.columns().iter())
        .map(|column| column.name().to_string())
        .collect();
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        let cell = |(_, field): (&String, &Field)| match field {
            Field::Null => None,
            Field::Str(text) => Some(text.clone()),
            Field::Long(number) => Some(number.to_string()),
            Field::Double(number) => Some(number.to_string()),
            other => panic!("{other:?}"),
        };
        row.get_column_iter().map(cell).collect()
    });
    let rows = rows.collect();
    (names, rows)
}

/// Parquet has what CSV has, under names with units that need no quotes in SQL.
#[test]
fn parquet_has_the_cells_of_csv() {
    use tables::TablesFormat::{Csv, Parquet};
    for machine in ["exasat", "xeon-8380"] {
        let program = mixed();
        let model = model(&program, machine, WORKED);
        let csv: BTreeMap<String, Vec<u8>> =
            tables::files(&model, Csv).unwrap().into_iter().collect();
        let files = tables::files(&model, Parquet).unwrap();
        assert_eq!(files.len(), csv.len());
        let (_, described) = files
            .iter()
            .find(|(name, _)| name == "tables.json")
            .unwrap();
        let described: Value = serde_json::from_slice(described).unwrap();
        assert_eq!(described["schema"], "loopsheet/tables/2");
        for table in described["tables"].as_array().unwrap() {
            let file = table["file"].as_str().unwrap();
            let (_, bytes) = files.iter().find(|(name, _)| name == file).unwrap();
            let (names, rows) = parquet_columns(bytes.clone());
            let columns = table["columns"].as_array().unwrap();
            let said: Vec<&str> = columns
                .iter()
                .map(|c| c["name"].as_str().unwrap())
                .collect();
            assert_eq!(names, said, "{file}");
            let mut sorted = names.clone();
            sorted.sort();
            sorted.dedup();
            assert_eq!(sorted.len(), names.len(), "{names:?}");
            for (column, name) in columns.iter().zip(&names) {
                let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
                assert!(name.starts_with(|c: char| c.is_ascii_lowercase()), "{name}");
                assert!(name.chars().all(plain), "{name}");
                let end = match column["unit"].as_str().unwrap() {
                    "B" => "_bytes",
                    "s" => "_s",
                    "flop" => "_flops",
                    _ => "",
                };
                assert!(name.ends_with(end), "{name} without {end}");
            }
            let beside = &csv[&file.replace(".parquet", ".csv")];
            let mut reader = csv::Reader::from_reader(beside.as_slice());
            let mut compared = 0;
            for (record, row) in reader.records().zip(&rows) {
                for ((text, cell), name) in record.unwrap().iter().zip(row).zip(&names) {
                    let same = match cell {
                        None => text.is_empty(),
                        Some(cell) => match (cell.parse::<f64>(), text.parse::<f64>()) {
                            (Ok(a), Ok(b)) => a == b,
                            // CSV has an apostrophe before what a spreadsheet would take for a formula.
                            _ => text.trim_start_matches('\'') == cell.trim_start_matches('\''),
                        },
                    };
                    assert!(same, "{file} {name}: {text:?} and {cell:?}");
                }
                compared += 1;
            }
            assert_eq!(
                (compared, rows.len()),
                (table["rows"].as_u64().unwrap() as usize, compared)
            );
        }
    }
}
