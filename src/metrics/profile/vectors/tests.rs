//! Lengths of instructions that are executed one after the other, words as the GNU assembler writes them.

use super::*;
use crate::trace::isa::decode_word;

const VSETVLI_M4: u32 = 0x0da6_7757; // vsetvli a4,a2,e64,m4,ta,ma
const VSETVLI_MOST: u32 = 0x0d80_7757; // vsetvli a4,zero,e64,m1,ta,ma
const VSETVLI_E32: u32 = 0x0d00_7057; // vsetvli zero,zero,e32,m1,ta,ma
const VSETIVLI_2: u32 = 0xcd81_7057; // vsetivli zero,2,e64,m1,ta,ma
const VSETIVLI_4: u32 = 0xcd82_7057; // vsetivli zero,4,e64,m1,ta,ma
const VLE64: u32 = 0x0205_7407; // vle64.v v8,(a0)
const VSE64_MASKED: u32 = 0x0005_7427; // vse64.v v8,(a0),v0.t
const VS2R: u32 = 0x2285_0427; // vs2r.v v8,(a0)
const VFADD: u32 = 0x0286_1457; // vfadd.vv v8,v8,v12
const VFADD_MASKED: u32 = 0x0086_1457; // vfadd.vv v8,v8,v12,v0.t
const VMFGT: u32 = 0x7685_5057; // vmfgt.vf v0,v8,fa0

/// Executes words one after the other, each with so many addresses; what the last of them worked on.
fn last(executed: &[(u32, u64)]) -> Elements {
    let mut meter = VectorMeter::default();
    let mut known: Vec<u32> = Vec::new();
    for (word, count) in executed {
        let index = known.iter().position(|one| one == word).unwrap_or_else(|| {
            known.push(*word);
            meter.add_instruction(&Instruction {
                hart: 0,
                pc: None,
                word: Some(*word),
                text: "".into(),
                decoded: decode_word(*word).expect("an instruction"),
            });
            known.len() - 1
        });
        let access = decode_word(*word).and_then(|decoded| decoded.facts.access);
        let bytes = access.map_or(0, |access| access.bytes);
        let addresses: Vec<u64> = (0..*count)
            .map(|number| number * u64::from(bytes))
            .collect();
        meter.step(index, 0, bytes, &addresses);
    }
    let word = executed.last().expect("an instruction").0;
    let index = known.iter().position(|one| *one == word).expect("it");
    meter.finish()[index].expect("an instruction of vectors")
}

fn elements(found: Elements) -> (u64, u64, u64, u64) {
    let Elements {
        executions,
        elements,
        at_most,
        unknown,
        ..
    } = found;
    (executions, elements, at_most, unknown)
}

#[test]
fn an_access_shows_the_length_of_what_is_computed_before_and_after_it() {
    // A strip of 8 and one of 3.
    let strips = [
        (VSETVLI_M4, 0),
        (VFADD, 0),
        (VLE64, 8),
        (VFADD, 0),
        (VSETVLI_M4, 0),
        (VLE64, 3),
        (VFADD, 0),
    ];
    assert_eq!(elements(last(&strips)), (3, 8 + 8 + 3, 0, 0));
    // Without an access the length stays open, and a keeping configuration does not end it.
    let open = [(VSETVLI_M4, 0), (VLE64, 8), (VSETVLI_M4, 0), (VFADD, 0)];
    assert_eq!(elements(last(&open)), (0, 0, 0, 1));
    let kept = [(VSETVLI_M4, 0), (VLE64, 8), (VSETVLI_E32, 0), (VFADD, 0)];
    assert_eq!(elements(last(&kept)), (1, 8, 0, 0));
}

#[test]
fn configurations_show_small_numbers_and_whole_registers() {
    // Two elements of 64 bits are in the shortest register; four are not, in some.
    let of = |configuration| last(&[(VLE64, 2), (configuration, 0), (VFADD, 0)]);
    assert_eq!(elements(of(VSETIVLI_2)), (1, 2, 0, 0));
    assert_eq!(elements(of(VSETIVLI_4)), (0, 0, 0, 1));
    // Registers of 256 bits, as an access to two of them shows later: 4 elements of 64.
    let most = [(VSETVLI_MOST, 0), (VFADD, 0), (VS2R, 64), (VFADD, 0)];
    assert_eq!(elements(last(&most)), (2, 8, 0, 0));
    assert_eq!(
        elements(last(&[(VSETVLI_MOST, 0), (VFADD, 0)])),
        (0, 0, 0, 1)
    );
}

#[test]
fn a_mask_is_exact_with_an_access_under_it_and_a_bound_without() {
    let begin = [(VSETVLI_M4, 0), (VLE64, 8), (VMFGT, 0), (VFADD_MASKED, 0)];
    assert_eq!(elements(last(&begin)), (1, 8, 8, 0));
    let shown = [&begin[..], &[(VSE64_MASKED, 3), (VFADD_MASKED, 0)]].concat();
    assert_eq!(elements(last(&shown)), (2, 6, 0, 0));
    // Another mask in between.
    let changed = [&shown[..], &[(VMFGT, 0), (VFADD_MASKED, 0)]].concat();
    assert_eq!(elements(last(&changed)), (3, 6 + 8, 8, 0));
}

#[test]
fn traces_with_one_address_an_access_show_no_lengths() {
    let one = [(VSETVLI_M4, 0), (VLE64, 1), (VFADD, 0)];
    assert_eq!(elements(last(&one)), (0, 0, 0, 1));
}

#[test]
fn whole_registers_count_in_elements_of_the_configuration() {
    // 32 addresses of bytes, 4 elements of 64 bits.
    let store = last(&[(VSETVLI_MOST, 0), (VS2R, 32)]);
    assert_eq!((store.elements, store.bytes), (4, 32));
}
