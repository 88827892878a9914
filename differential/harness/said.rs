// This file is appended to the modules of a batch, before `main.rs`. It compares the message of a panic with the
// message of a fault.

/// Returns `true` if a panic's message corresponds to a fault's message. A panic also prints the values involved, and
/// rustc reformats long assertions.
pub(crate) fn is_said(panic: &str, fault: &str) -> bool {
    if fault.starts_with("assertion failed: ") {
        return dense(panic) == dense(fault);
    }
    // Older versions of the standard library panic with this message if `clamp` is called on integers with `min > max`.
    if fault == "min > max" && panic == "assertion failed: min <= max" {
        return true;
    }
    let Some(values) = panic.strip_prefix(fault) else { return false };
    if fault.starts_with("index out of bounds: ") {
        let index = values.strip_prefix(" but the index is ");
        return index.is_some_and(|index| index.parse::<u64>().is_ok());
    }
    if fault.starts_with("assertion `left ") {
        return values.starts_with("\n  left: ") && values.contains("\n right: ");
    }
    if fault.starts_with("min > max") {
        return values.starts_with(". min = ") && values.contains(", max = ");
    }
    values.is_empty()
}

/// Returns the text without the characters that rustc's formatting may change: white space, and commas after match arms
/// that are blocks and after the last arm.
fn dense(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.replace("},", "}").replace(",}", "}")
}
