// Stands behind the modules of a batch, before `main.rs`: what a panic says, compared with the words of a fault.

/// Whether a panic says what a fault says. A panic adds the values that it met; rustc lays long assertions out anew.
pub(crate) fn is_said(panic: &str, fault: &str) -> bool {
    if fault.starts_with("assertion failed: ") {
        return dense(panic) == dense(fault);
    }
    // Older versions of the standard library said so of integers that `clamp` refused.
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

/// A text without what rustc lays out anew: white space, and the commas of arms that are blocks and of the last arm.
fn dense(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.replace("},", "}").replace(",}", "}")
}
