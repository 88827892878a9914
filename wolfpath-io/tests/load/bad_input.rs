//! Tests that reading an invalid file returns an error of one line, which states the location, what was expected, and
//! what to do.

use super::load_text;
use std::fs;
use wolfpath_io::load::{Format, LoadOptions, load, read};

/// Checks that reading the text fails with an error of one line, which contains all texts of `says`.
#[track_caller]
fn refused(name: &str, text: impl AsRef<[u8]>, says: &[&str]) {
    let error = load_text(name, text).expect_err("an invalid file must be rejected").to_string();
    for part in says.iter().chain(&[name]) {
        assert!(error.contains(part), "{error:?} does not say {part:?}");
    }
    assert!(!error.contains('\n'), "{error:?} is more than a line");
}

#[test]
fn no_file_and_no_ordinary_file() {
    let folder = tempfile::tempdir().unwrap();
    let error = load(folder.path().join("none.el"), &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("none.el: no such file"), "{error}");
    let error = load(folder.path(), &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("a directory"), "{error}");
    let empty = folder.path().join("empty.mtx");
    fs::write(&empty, "").unwrap();
    let error = load(&empty, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("empty.mtx: empty; expected"), "{error}");
}

#[test]
fn not_text() {
    refused("g.el", b"1 2\n3 \x004\n", &["byte 6", "0x00", "not text"]);
    refused("g.el", b"\x7fELF\x02\x01\x01\x00", &["byte 4", "0x02"]);
    refused("g.el", b"\xff\xfe1\x002\x00", &["byte 0", "0xff"]);
    refused("g.mtx", [0x80; 5000], &["byte 0", "0x80"]);
    refused("g.gr", [b"a 1 2 3\n".to_vec(), vec![1; 3 << 20]].concat(), &["byte 8", "0x01"]);
    refused("g.el", vec![b'7'; 3 << 20], &["line 1", "longer than 1048576 bytes"]);
}

#[test]
fn fields() {
    refused("g.csv", "\"1\",\"2\"\n", &["line 1", "not a vertex id"]);
    refused("g.el", "1 2\n3\n", &["line 2", "only 1 field", "`source target`"]);
    refused("g.el", "1 2 3 4\n", &["line 1", "4 fields", "remove"]);
    refused("g.el", "1 2\n1 2 # why\n", &["line 2", "4 fields"]);
    refused("g.csv", "1,,2\n", &["line 1", "empty"]);
    refused("g.csv", "a,b\nc,d\n1,2\n", &["line 2", "`c` is not a vertex id"]);
    refused("g.csv", "1,2\nsource,target\n", &["line 2", "`source` is not a vertex id"]);
    refused("g.el", "a 1 2 3\n", &["line 1", "`a` is not a vertex id", "the format gr"]);
}

#[test]
fn ids() {
    refused("g.el", "1 -2\n", &["line 1", "-2 is negative", "from 0"]);
    refused(
        "g.el",
        "1 2\n123456789012345678901234567890 2\n",
        &["line 2", "too large", "18446744073709551615"],
    );
    refused("g.el", "1.5 2\n", &["line 1", "`1.5` is not a vertex id"]);
}

#[test]
fn weights() {
    refused("g.el", "1 2 1e999\n", &["line 1", "1e999 is too large", "64-bit float"]);
    refused("g.el", "1 2 3\n1 2 NaN\n", &["line 2", "NaN"]);
    refused(
        "g.wel",
        "1 2 0.5\n2 7 9007199254740993\n",
        &["all weights exactly", "edge 2 -> 7 (number 1, counted from 0)", "nearest 64-bit floats"],
    );
    refused("g.wel", "1 2 -1\n2 7 18446744073709551615\n", &["edge 2 -> 7 (number 1, counted from 0)"]);
    let columns = "source,target,a,b\n1,2,1,0.5\n1,3,1,9007199254740993\n";
    refused("g.csv", columns, &["the column b", "edge 1 -> 3 (number 1, counted from 0)"]);
    refused("g.el", "1 2 heavy\n", &["line 1", "`heavy` is not a weight"]);
    refused("g.el", "1 2 3\n1 2\n", &["line 2", "no weight", "all edges a weight or none"]);
    refused("g.el", "1 2\n1 2 3\n", &["line 2", "a weight, but", "all edges a weight or none"]);
}

#[test]
fn matrix_market() {
    let banner = "%%MatrixMarket matrix coordinate";
    refused("g.mtx", "2 1\n1113 1\n", &["line 1", "%%MatrixMarket", "`2 1`", "the format el"]);
    refused("g.mtx", format!("{banner} complex general\n"), &["line 1", "`complex`", "`real`"]);
    refused("g.mtx", format!("{banner} real hermitian\n"), &["line 1", "`hermitian`", "`symmetric`"]);
    for values in ["pattern", "unsigned-integer"] {
        let text = format!("{banner} {values} skew-symmetric\n");
        refused("g.mtx", text, &["line 1", "`skew-symmetric`", "can be negated"]);
    }
    let skew = format!("{banner} real skew-symmetric\n3 3 2\n");
    refused("g.mtx", format!("{skew}2 1 5\n% zero\n2 2 0\n"), &["line 5", "(2, 2)", "zeros there"]);
    refused("g.mtx", format!("{skew}2 1 5\n1 2 -5\n"), &["line 4", "(1, 2)", "write (2, 1)"]);
    let unsigned = format!("{banner} unsigned-integer general\n2 2 1\n1 2 3.5\n");
    refused("g.mtx", unsigned, &["line 3", "3.5 is not an integer", "says `unsigned-integer`"]);
    refused("g.mtx", format!("{skew}2 1 5\n"), &["line 2 declares 2 edges", "holds 1"]);
    let unsigned = format!("{banner} unsigned-integer general\n3 3 1\n");
    refused("g.mtx", format!("{unsigned}1 2 -3\n"), &["line 3", "-3 is negative", "`integer`"]);
    refused("g.mtx", format!("{unsigned}1 2 0.5\n"), &["line 3", "0.5", "`real`"]);
    refused("g.mtx", "%%MatrixMarket matrix array real general\n", &["line 1", "`array`", "`coordinate`"]);
    refused("g.mtx", banner, &["line 1", "(nothing)", "`pattern`"]);
    refused("g.mtx", format!("{banner} real general\n% end\n"), &["line 2", "size line"]);
    refused("g.mtx", format!("{banner} real general\n2 3 1\n1 1 1\n"), &["line 2", "2 rows and 3 columns"]);
    refused("g.mtx", format!("{banner} real general\n3 3\n"), &["line 2", "only 2 fields"]);
    refused("g.mtx", format!("{banner} real general\n3 3 -1\n"), &["line 2", "`-1` is not a count"]);
    refused(
        "g.mtx",
        format!("{banner} real general\n3 3 2\n1 1 1\n"),
        &["line 2 declares 2 edges", "holds 1"],
    );
    refused("g.mtx", format!("{banner} real general\n3 3 1\n1 1\n"), &["line 3", "`row column value`"]);
    refused("g.mtx", format!("{banner} pattern general\n3 3 1\n1 1 5\n"), &["line 3", "3 fields", "pattern"]);
    refused("g.mtx", format!("{banner} pattern general\n3 3 1\n1 4\n"), &["line 3", "id 4", "1 to 3"]);
    refused("g.mtx", format!("{banner} integer general\n3 3 1\n1 1 1.5\n"), &["line 3", "1.5", "`real`"]);
    refused(
        "g.mtx",
        format!("{banner} pattern general\n4294967296 4294967296 0\n"),
        &["line 2", "4294967295"],
    );
    let whole = format!("{banner} pattern general\n3 3 1\n1 2\n");
    refused("g.mtx", whole.repeat(2), &["line 4", "second Matrix Market header"]);
    refused("g.mtx", format!("{banner} pattern general\n").repeat(2), &["line 2", "second"]);
    let forced = LoadOptions::new().format(Format::EdgeList);
    let error = read(banner.as_bytes(), "g.mtx", &forced).unwrap_err().to_string();
    assert!(error.contains("the format mtx"), "{error}");
}

#[test]
fn gr() {
    refused("g.gr", "1 2\n", &["line 1", "`1`", "without a `p` line", "the format el"]);
    refused("g.gr", "p edge 3 1\ne 1 2\n", &["line 1", "`p edge`", "`p sp"]);
    refused("g.gr", "p\n", &["line 1", "`p sp"]);
    refused("g.gr", "p sp 3\n", &["line 1", "only 3 fields"]);
    refused("g.gr", "p sp x 3\n", &["line 1", "`x` is not a count"]);
    refused("g.gr", "p sp 2 1\np sp 2 1\n", &["line 2", "second"]);
    refused("g.gr", "a 1 2 3\np sp 2 1\n", &["line 2", "`p` line after edges"]);
    refused("g.gr", "p sp 2 1\na 0 1 5\n", &["line 2", "id 0", "1 to 2"]);
    refused("g.gr", "p sp 2 1\n1 2\n", &["line 2", "`1`", "after `p sp`"]);
    refused("g.gr", "p sp 2 1\na 1 2\n", &["line 2", "`a SOURCE TARGET WEIGHT`"]);
    refused("g.gr", "p sp 2 2\na 1 2 3\n", &["line 1 declares 2 edges", "holds 1"]);
    refused("g.gr", "p tw 2 1\na 1 2 3\n", &["line 2", "`a`", "after `p tw`"]);
    refused("g.gr", "p tw 2 1\n1 2 3\n", &["line 2", "3 fields"]);
    refused("g.gr", "p tw 2 1\n1 2\n1 2\n", &["line 1 declares 1 edge,", "holds 2"]);
}
