//! Finds a smaller program that fails in the same way as a given program. A program is generated from a list of
//! choices. Each round compiles the programs of many shorter lists together, and continues with the smallest program
//! that still fails in the same way.

use std::path::Path;

use crate::{Batch, Choices, Error, Failure, Toolchain, program};

/// Approximate maximum number of candidates that are compiled together.
const TOGETHER: usize = 48;
/// Maximum number of rounds.
const ROUNDS: usize = 14;

impl Failure {
    /// Returns the smallest failure of the same kind that is found among shorter lists of choices.
    ///
    /// # Errors
    ///
    /// Never returns an error: if a batch of candidates cannot be compiled, the smallest failure so far is returned.
    pub fn shrunk(
        &self,
        inputs: &[[u64; 3]],
        folder: &Path,
        toolchain: &Toolchain,
    ) -> Result<Failure, Error> {
        let mut smallest = self.clone();
        for _ in 0..ROUNDS {
            let programs = candidates(&smallest.choices);
            if programs.is_empty() {
                break;
            }
            let folder = folder.join("shrink");
            let batch = Batch { programs: &programs, checked: self.checked, inputs, folder };
            let Ok(outcome) = batch.run(toolchain) else { break };
            let same = outcome.disagreements.into_iter().filter(|found| found.kind == self.disagreement.kind);
            let length = |index: usize| program(&programs[index], "p").len();
            let Some(found) = same.min_by_key(|found| length(found.program)) else { break };
            if length(found.program) >= program(&smallest.choices, "p").len() {
                break;
            }
            smallest.choices = programs[found.program].clone();
            smallest.disagreement = found;
        }
        Ok(smallest)
    }
}

/// Returns lists of choices whose programs have shorter texts. Each list differs from `choices` in one range: it either
/// omits these choices, or sets them to 0, the simplest choice.
fn candidates(choices: &[u32]) -> Vec<Choices> {
    let text = program(choices, "p");
    let mut found: Vec<(usize, Choices)> = Vec::new();
    let mut size = choices.len();
    while size > 0 {
        for start in (0..choices.len()).step_by(size) {
            let end = (start + size).min(choices.len());
            let without = [&choices[..start], &choices[end..]].concat();
            let mut zeroed = choices.to_vec();
            zeroed[start..end].fill(0);
            for candidate in [without, zeroed] {
                let shorter = program(&candidate, "p");
                if shorter.len() < text.len() && found.iter().all(|(_, known)| program(known, "p") != shorter)
                {
                    found.push((shorter.len(), candidate));
                }
            }
        }
        size /= 2;
    }
    found.sort();
    // Small candidates often do not fail, and large candidates save little. So candidates of all sizes are tried.
    let step = found.len().div_ceil(TOGETHER).max(1);
    found.into_iter().step_by(step).map(|(_, candidate)| candidate).collect()
}
