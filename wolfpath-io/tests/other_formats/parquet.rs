//! Tests of tables of edges in Parquet.

use super::{bad, edges, good};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

/// Returns a table with one row group.
fn table(columns: &str, fill: impl FnOnce(&mut SerializedRowGroupWriter<'_, Vec<u8>>)) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(&format!("message table {{ {columns} }}")).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let mut group = file.next_row_group().unwrap();
    fill(&mut group);
    group.close().unwrap();
    file.into_inner().unwrap()
}

/// Writes the next column.
macro_rules! column {
    ($group:ident, $type:ty, $values:expr, $levels:expr) => {
        let mut column = $group.next_column().unwrap().unwrap();
        column.typed::<$type>().write_batch(&$values, $levels, None).unwrap();
        column.close().unwrap();
    };
}

#[test]
fn columns_by_name_and_by_place() {
    let named = table("REQUIRED DOUBLE weight; REQUIRED INT32 dst; REQUIRED INT64 src;", |group| {
        column!(group, DoubleType, [0.5, 2.0], None);
        column!(group, Int32Type, [2, 3], None);
        column!(group, Int64Type, [1, 1], None);
    });
    assert_eq!(edges(&good("g.parquet", named)), [(1, 2, 0.5), (1, 3, 2.0)]);
    let placed =
        table("REQUIRED INT32 a (INTEGER(32,false)); OPTIONAL INT64 b; REQUIRED INT32 time;", |group| {
            column!(group, Int32Type, [-1], None);
            column!(group, Int64Type, [7], Some(&[1]));
            column!(group, Int32Type, [0], None);
        });
    let list = good("g.parquet", placed);
    assert_eq!(edges(&list), [(u64::from(u32::MAX), 7, 1.0)]);
    assert!(list.notes().contains(&"columns ignored: time".to_owned()));
}

#[test]
fn names_are_those_of_text() {
    let numbers = |names: [&str; 3]| {
        let columns = names.map(|name| format!("REQUIRED INT64 {name};")).concat();
        table(&columns, |group| {
            column!(group, Int64Type, [5], None);
            column!(group, Int64Type, [1], None);
            column!(group, Int64Type, [2], None);
        })
    };
    for names in [["weight", "u", "v"], ["weight", "Tail", "HEAD"], ["weight", "FromNodeId", "ToNodeId"]] {
        let list = good("g.parquet", numbers(names));
        assert_eq!(edges(&list), [(1, 2, 5.0)], "{names:?}");
        assert!(list.notes()[0].contains("from column 2"), "{:?}", list.notes());
    }
    assert_eq!(edges(&good("g.parquet", numbers(["id", "target", "weight"]))), [(5, 1, 2.0)]);
    bad("g.parquet", numbers(["target", "id", "weight"]), &["the schema", "no column is called `source`"]);
    bad("g.parquet", numbers(["src", "from", "dst"]), &["the schema", "both `src` and `from`"]);
}

#[test]
fn tables_of_something_else() {
    bad("g.parquet", b"PAR1", &["the file", "Parquet"]);
    bad("g.parquet", b"1 2\n2 3\n3 4\n", &["the file", "Parquet"]);
    let missing = table("OPTIONAL INT64 source; REQUIRED INT64 target;", |group| {
        column!(group, Int64Type, [1], Some(&[1, 0]));
        column!(group, Int64Type, [1, 2], None);
    });
    bad("g.parquet", missing, &["rows 0 to 1, column source", "only 1 values"]);
    let negative = table("REQUIRED INT64 source; REQUIRED INT64 target;", |group| {
        column!(group, Int64Type, [1, 2], None);
        column!(group, Int64Type, [1, -2], None);
    });
    bad("g.parquet", negative, &["row 1, column target", "-2"]);
    let words = table("REQUIRED BYTE_ARRAY source; REQUIRED INT64 target;", |group| {
        column!(group, ByteArrayType, [ByteArray::from("x")], None);
        column!(group, Int64Type, [1], None);
    });
    bad("g.parquet", words, &["column source", "BYTE_ARRAY", "INT64"]);
    let one = table("REQUIRED INT64 source;", |group| {
        column!(group, Int64Type, [1], None);
    });
    bad("g.parquet", one, &["1 columns", "at least two"]);
    let nan = table("REQUIRED INT64 source; REQUIRED INT64 target; REQUIRED DOUBLE weight;", |group| {
        column!(group, Int64Type, [1], None);
        column!(group, Int64Type, [1], None);
        column!(group, DoubleType, [f64::NAN], None);
    });
    bad("g.parquet", nan, &["row 0, column weight", "NaN"]);
}
