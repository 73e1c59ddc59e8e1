//! `#pragma pack`: the largest alignment that members of structures may have, from place to place.

/// Where the largest alignment changes: bytes of the source, and the alignment from there on; 0 is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packing {
    changes: Vec<(usize, u32)>,
    /// Values that `push` has kept, with their names.
    kept: Vec<(String, u32)>,
}

impl Packing {
    /// The largest alignment in force at a byte of the source; 0 is none.
    pub fn at(&self, byte: usize) -> u32 {
        let behind = self.changes.partition_point(|(at, _)| *at <= byte);
        self.changes[..behind].last().map_or(0, |(_, most)| *most)
    }

    /// Reads what follows `#pragma`, if it is about packing: `pack(1)`, `pack(push, 1)`, `pack(pop)`, `pack()`.
    pub fn pragma(&mut self, text: &str, end: usize) {
        let list = text
            .trim_start()
            .strip_prefix("pack")
            .map(str::trim_start)
            .and_then(|rest| rest.strip_prefix('('));
        let Some((list, _)) = list.and_then(|list| list.split_once(')')) else {
            return;
        };
        let now = self.at(end);
        let (mut most, mut name, mut verb) = (None, "", "");
        for word in list.split(',').map(str::trim) {
            match word.parse::<u32>() {
                Ok(n) if n <= 16 && (n == 0 || n.is_power_of_two()) => most = Some(n),
                // The compiler ignores the whole pragma.
                Ok(_) => return,
                Err(_) if matches!(word, "push" | "pop") => verb = word,
                Err(_) => name = word,
            }
        }
        match verb {
            "push" => self.kept.push((name.to_string(), now)),
            "pop" => {
                let at = match name {
                    "" => self.kept.len().checked_sub(1),
                    name => self.kept.iter().rposition(|(kept, _)| kept == name),
                };
                let Some(at) = at else { return };
                most = most.or(Some(self.kept[at].1));
                self.kept.truncate(at);
            }
            _ if list.trim().is_empty() => most = Some(0),
            _ => {}
        }
        if let Some(most) = most {
            self.changes.push((end, most));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pushed_values_come_back() {
        let mut packing = Packing::default();
        let pragmas = [
            "pack(4)",
            "pack(push, 1)",
            "pack(push, name, 2)",
            "pack(3)",
            "omp simd",
            "pack(pop)",
            "pack()",
        ];
        for (at, text) in (1..).zip(pragmas) {
            packing.pragma(text, 10 * at);
        }
        let in_force: Vec<u32> = (0..8).map(|at| packing.at(10 * at + 5)).collect();
        assert_eq!(in_force, [0, 4, 1, 2, 2, 2, 1, 0]);
        packing.pragma("pack(pop, nobody)", 90);
        assert_eq!(packing.at(99), 0);
    }
}
