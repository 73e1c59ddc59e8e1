use super::*;

/// Bits in which two encodings differ for certain.
fn differ(one: Encoding, other: Encoding) -> bool {
    one.mask & other.mask & (one.bits ^ other.bits) != 0
}

#[test]
fn masks_cover_what_they_match() {
    for row in rows() {
        let Encoding { mask, bits } = row.encoding;
        assert_eq!(bits & !mask, 0, "{}", row.mnemonic);
        assert_eq!(
            (mask & 0x7f, bits & 3),
            (0x7f, 3),
            "{}: 32 bits with a fixed opcode",
            row.mnemonic
        );
    }
    for short in compressed() {
        let Encoding { mask, bits } = short.encoding;
        assert_eq!(
            (bits & !mask, mask >> 16),
            (0, 0),
            "{}",
            short.spelling.mnemonic
        );
        assert_ne!(bits & 3, 3, "{}", short.spelling.mnemonic);
    }
}

#[test]
fn no_two_rows_match_the_same_word() {
    let all: Vec<&Row> = rows().collect();
    for (index, one) in all.iter().enumerate() {
        for other in &all[index + 1..] {
            assert!(
                differ(one.encoding, other.encoding),
                "{} and {}",
                one.mnemonic,
                other.mnemonic
            );
        }
    }
    for word in 0..=0xffff {
        let matching: Vec<&str> = compressed()
            .iter()
            .filter(|short| short.matches(word))
            .map(|short| short.spelling.mnemonic)
            .collect();
        assert!(matching.len() <= 1, "{word:04x}: {matching:?}");
    }
}

#[test]
fn mnemonics_are_unique_and_spellings_name_rows() {
    let mut seen = rustc_hash::FxHashSet::default();
    for mnemonic in rows()
        .map(|row| row.mnemonic)
        .chain(compressed().iter().map(|short| short.spelling.mnemonic))
    {
        assert!(seen.insert(mnemonic), "{mnemonic} is there twice");
    }
    let mut operands = rustc_hash::FxHashSet::default();
    for spelling in compressed()
        .iter()
        .map(|short| &short.spelling)
        .chain(pseudo())
    {
        assert!(
            operands.insert(format!("{} {:?}", spelling.mnemonic, spelling.operands)),
            "{}",
            spelling.mnemonic
        );
        assert_eq!(row(spelling.of).mnemonic, spelling.of);
    }
}

#[test]
fn spellings_fill_no_place_that_the_row_has_not() {
    for spelling in compressed()
        .iter()
        .map(|short| &short.spelling)
        .chain(pseudo())
    {
        let of_row: Vec<Slot> = row(spelling.of)
            .operands
            .iter()
            .flat_map(|field| field.slots())
            .copied()
            .collect();
        for slot in spelling.operands.iter().flat_map(|field| field.slots()) {
            assert!(
                of_row.contains(slot),
                "{} has {slot:?}, {} has not",
                spelling.mnemonic,
                spelling.of
            );
        }
    }
}

#[test]
fn accesses_and_classes_agree() {
    for row in rows() {
        let accesses = matches!(
            row.class,
            Class::Load
                | Class::FpLoad
                | Class::Store
                | Class::FpStore
                | Class::Atomic
                | Class::VectorLoad
                | Class::VectorStore
        );
        assert_eq!(row.access.is_some(), accesses, "{}", row.mnemonic);
        let addresses =
            row.operands.contains(&Field::Offset) || row.operands.contains(&Field::Base);
        assert_eq!(addresses, accesses, "{}", row.mnemonic);
    }
}
