//! Expectations written by hand from the specification; the words come from the GNU assembler.

use proptest::prelude::*;

use super::*;

/// `reads -> writes`, then the access and what else there is: `x11 x12 -> x10`. The extent of a vector operand
/// follows its name: `v8*2/1` a group, `v8:32` elements of 32 bits, `v8:32x3` in three fields, `v8=4` four
/// registers.
fn describe(facts: &Facts) -> String {
    let mut text = format!(
        "{:?}: {} -> {}",
        facts.class,
        operands(&facts.reads),
        operands(&facts.writes)
    );
    if let Some(Access { kind, bytes, count }) = facts.access {
        text += &format!(", {kind:?} {bytes} {count:?}");
    }
    if let Some(VectorType { sew, lmul_eighths }) = facts.sets_vector_type {
        text += &format!(", e{sew} {lmul_eighths}/8");
    }
    if facts.edan_omits {
        text += ", not in EDAN";
    }
    text
}

fn operands(operands: &Operands) -> String {
    let texts: Vec<String> = operands.iter().map(operand_text).collect();
    if texts.is_empty() {
        "-".to_owned()
    } else {
        texts.join(" ")
    }
}

fn operand_text(operand: Operand) -> String {
    let register = match operand.register {
        Register::FLOAT_STATUS => "fcsr".to_owned(),
        Register::VECTOR_CONFIG => "vtype".to_owned(),
        register => format!(
            "{}{}",
            ["x", "f", "v"][register.index() / 32],
            register.index() % 32
        ),
    };
    match operand.extent {
        Extent::One => register,
        Extent::Fixed(registers) => format!("{register}={registers}"),
        Extent::Group {
            numerator,
            denominator,
        } => format!("{register}*{numerator}/{denominator}"),
        Extent::Elements { bits, fields: 1 } => format!("{register}:{bits}"),
        Extent::Elements { bits, fields } => format!("{register}:{bits}x{fields}"),
    }
}

/// A word and all texts mean the same.
#[track_caller]
fn check(word: u32, texts: &[&str], expected: &str) {
    let decoded = decode_word(word).unwrap_or_else(|| panic!("{word:#010x} is an instruction"));
    assert_eq!(describe(&decoded.facts), expected, "{word:#010x}");
    for text in texts {
        let from_text = decode_text(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(describe(&from_text.facts), expected, "{text}");
        assert_eq!(from_text.facts, decoded.facts, "{text}");
    }
}

#[test]
fn integer_arithmetic() {
    check(
        0x00c58533,
        &[
            "add a0,a1,a2",
            "add             a0,a1,a2",
            "add x10, x11, x12  ",
        ],
        "Integer: x11 x12 -> x10",
    );
    check(
        0xff010113,
        &["addi sp,sp,-16", "addi\tsp,sp,-16", "add sp,sp,-16"],
        "Integer: x2 -> x2",
    );
    check(
        0x00058513,
        &["mv a0,a1", "move a0,a1", "addi a0,a1,0"],
        "Integer: x11 -> x10",
    );
    check(
        0xfff00513,
        &["li a0,-1", "addi a0,zero,-1", "li a0,0xffffffffffffffff"],
        "Integer: - -> x10",
    );
    check(
        0x12345537,
        &["lui a0,0x12345", "lui a0,74565"],
        "Integer: - -> x10",
    );
    check(
        0x00001517,
        &["auipc a0,0x1", "auipc\ta0,0x1", "auipc a0,4096 # 0x11000"],
        "Integer: - -> x10",
    );
    check(
        0x00c5c033,
        &["xor zero,a1,a2", "xor x0,a1,a2"],
        "Integer: x11 x12 -> -",
    );
    check(
        0x00171713,
        &["slli a4,a4,0x1", "slli\ta4,a4,0x1", "sll a4,a4,1"],
        "Integer: x14 -> x14",
    );
    check(0x02c5a533, &["mulhsu a0,a1,a2"], "Multiply: x11 x12 -> x10");
    check(0x02c5d53b, &["divuw a0,a1,a2"], "Divide: x11 x12 -> x10");
    check(0x20c5c533, &["sh2add a0,a1,a2"], "Integer: x11 x12 -> x10");
    check(0x60059513, &["clz a0,a1"], "Integer: x11 -> x10");
    check(
        0x4855d513,
        &["bexti a0,a1,5", "bext a0,a1,0x5"],
        "Integer: x11 -> x10",
    );
}

#[test]
fn one_operand_pseudo_instructions() {
    let expected = "Integer: x11 -> x10";
    check(0xfff5c513, &["not a0,a1", "xori a0,a1,-1"], expected);
    check(0x40b00533, &["neg a0,a1", "sub a0,zero,a1"], expected);
    check(0x0005851b, &["sext.w a0,a1", "addiw a0,a1,0"], expected);
    check(0x00b03533, &["snez a0,a1", "sltu a0,zero,a1"], expected);
    check(0x00b02533, &["sgtz a0,a1", "slt a0,zero,a1"], expected);
    check(0x0805853b, &["zext.w a0,a1", "add.uw a0,a1,zero"], expected);
    check(0x0805c53b, &["zext.h a0,a1"], expected);
}

#[test]
fn compressed_forms() {
    check(
        0x1141,
        &["c.addi sp,-16", "addi sp,sp,-16"],
        "Integer: x2 -> x2",
    );
    check(
        0x7139,
        &["c.addi16sp sp,-64", "addi sp,sp,-64"],
        "Integer: x2 -> x2",
    );
    check(
        0x0808,
        &["c.addi4spn a0,sp,16", "addi a0,sp,16"],
        "Integer: x2 -> x10",
    );
    check(0x6785, &["c.lui a5,0x1", "lui a5,0x1"], "Integer: - -> x15");
    check(0x450d, &["c.li a0,3", "li a0,3"], "Integer: - -> x10");
    check(
        0x852e,
        &["c.mv a0,a1", "mv a0,a1", "add a0,zero,a1"],
        "Integer: x11 -> x10",
    );
    check(
        0x952e,
        &["c.add a0,a1", "add a0,a0,a1"],
        "Integer: x10 x11 -> x10",
    );
    check(
        0x891d,
        &["c.andi a0,7", "andi a0,a0,7"],
        "Integer: x10 -> x10",
    );
    check(
        0x4188,
        &["c.lw a0,0(a1)", "lw a0,0(a1)", "lw a0,(a1)"],
        "Load: x11 -> x10, Load 4 One",
    );
    check(
        0xa422,
        &["c.fsdsp fs0,8(sp)", "fsd fs0,8(sp)"],
        "FpStore: x2 f8 -> -, Store 8 One",
    );
    check(
        0xc901,
        &["c.beqz a0,1a6 <main+0x1a6>", "beqz a0,16"],
        "Branch: x10 -> -",
    );
    // The upper half of the word belongs to the next instruction.
    assert_eq!(decode_word(0xabcd_1141), decode_word(0x1141));
}

#[test]
fn memory() {
    check(
        0xff87a703,
        &["lw a4,-8(a5)", "lw x14, -8(x15)"],
        "Load: x15 -> x14, Load 4 One",
    );
    check(
        0x00004503,
        &["lbu a0,0(zero) # 0 <_start>"],
        "Load: - -> x10, Load 1 One",
    );
    check(
        0x00813423,
        &["sd s0,8(sp)", "sd fp,8(sp)"],
        "Store: x2 x8 -> -, Store 8 One",
    );
    check(
        0x00052223,
        &["sw zero,4(a0)"],
        "Store: x10 -> -, Store 4 One",
    );
    check(
        0x00452507,
        &["flw fa0,4(a0)", "flw f10,4(a0)"],
        "FpLoad: x10 -> f10, Load 4 One",
    );
    check(
        0xfe843c27,
        &["fsd fs0,-8(s0)", "fsd fs0,-8(fp)"],
        "FpStore: x8 f8 -> -, Store 8 One",
    );
    check(
        0x1005b52f,
        &["lr.d a0,(a1)", "lr.d a0,0(a1)"],
        "Atomic: x11 -> x10, Load 8 One",
    );
    check(
        0x18c5a52f,
        &["sc.w a0,a2,(a1)"],
        "Atomic: x11 x12 -> x10, Store 4 AtMostOne",
    );
    check(
        0x06c5a52f,
        &[
            "amoadd.w.aqrl a0,a2,(a1)",
            "amoadd.w.aq.rl a0,a2,(a1)",
            "amoadd.w a0,a2,(a1)",
        ],
        "Atomic: x11 x12 -> x10, Atomic 4 One",
    );
    check(
        0x08c5b02f,
        &["amoswap.d zero,a2,(a1)"],
        "Atomic: x11 x12 -> -, Atomic 8 One",
    );
}

#[test]
fn branches_and_jumps() {
    check(
        0x00b50463,
        &[
            "beq a0,a1,60 <.text+0x60>",
            "beq a0,a1,8",
            "beq a0, a1, pc + 8",
        ],
        "Branch: x10 x11 -> -",
    );
    check(
        0xfeb05de3,
        &["blez a1,-6 # 0x104be", "bge zero,a1,-6"],
        "Branch: x11 -> -",
    );
    check(
        0x00a5e063,
        &["bgtu a0,a1,60", "bltu a1,a0,60"],
        "Branch: x10 x11 -> -",
    );
    check(
        0x001000ef,
        &[
            "jal 864 <f>",
            "jal ra,864",
            "call f",
            "call 0x864 <f(int, char)>",
        ],
        "Jump: - -> x1",
    );
    check(
        0xffdff06f,
        &["j 64", "jal zero,-4", "tail f", "j       pc - 0x4"],
        "Jump: - -> -",
    );
    check(
        0x000780e7,
        &[
            "jalr a5",
            "jalr ra,a5,0",
            "jalr ra,0(a5)",
            "jalr 0(a5)",
            "jalr ra,a5",
        ],
        "Jump: x15 -> x1",
    );
    check(0x9782, &["c.jalr a5", "jalr a5"], "Jump: x15 -> x1");
    check(
        0x00030067,
        &["jr t1", "jalr zero,t1,0", "jr 0(t1)"],
        "Jump: x6 -> -",
    );
    check(0x8782, &["c.jr a5", "jr a5"], "Jump: x15 -> -");
    check(
        0x00830367,
        &["jalr t1,8(t1)", "jalr t1,t1,8"],
        "Jump: x6 -> x6",
    );
    let ret = "Jump: x1 -> -, not in EDAN";
    check(
        0x00008067,
        &[
            "ret",
            "jr ra",
            "jalr zero,0(ra)",
            "jalr zero,ra,0",
            "jalr x0,x1,0",
        ],
        ret,
    );
    check(0x8082, &["ret", "c.jr ra", "c.ret", "ret\t"], ret);
    check(0x00808067, &["jr 8(ra)", "jalr zero,ra,8"], "Jump: x1 -> -");
    assert_eq!(
        describe(&decode_text("la a0,table").unwrap().facts),
        "Integer: - -> x10"
    );
}

#[test]
fn system() {
    check(
        0x00000073,
        &["ecall", "scall"],
        "System: - -> -, not in EDAN",
    );
    check(0x00100073, &["ebreak"], "System: - -> -");
    check(0x9002, &["c.ebreak", "ebreak"], "System: - -> -");
    check(
        0xc0001073,
        &["unimp", "csrrw zero,cycle,zero", "csrw cycle,zero"],
        "System: - -> -",
    );
    check(0x0000, &["unimp", "c.unimp"], "System: - -> -");
    check(0x30200073, &["mret"], "System: - -> -");
    check(0x12b50073, &["sfence.vma a0,a1"], "System: x10 x11 -> -");
    check(
        0x0310000f,
        &[
            "fence rw,w",
            "fence   rw,w",
            "fence.tso",
            "fence",
            "fence w,unknown",
        ],
        "Fence: - -> -",
    );
    check(0x0000100f, &["fence.i"], "Fence: - -> -");
    check(0x0100000f, &["pause"], "Fence: - -> -");
}

#[test]
fn nops_and_hints() {
    check(
        0x00000013,
        &["nop", "addi zero,zero,0", "li zero,0"],
        "Nop: - -> -, not in EDAN",
    );
    check(0x0001, &["c.nop", "nop"], "Nop: - -> -, not in EDAN");
    // c.li x0, 1 is addi x0, x0, 1.
    check(
        0x4005,
        &["c.li zero,1", "li zero,1"],
        "Nop: - -> -, not in EDAN",
    );
    // c.mv x0, a1 is add x0, x0, a1.
    check(
        0x802e,
        &["c.mv zero,a1", "add zero,zero,a1"],
        "Integer: x11 -> -",
    );
}

#[test]
fn control_registers() {
    check(
        0x00359573,
        &["csrrw a0,fcsr,a1", "fscsr a0,a1", "csrrw a0,0x3,a1"],
        "Csr: x11 fcsr -> x10 fcsr",
    );
    check(
        0x00259073,
        &["fsrm a1", "csrw frm,a1", "csrrw zero,frm,a1"],
        "Csr: x11 -> fcsr",
    );
    check(
        0x00102573,
        &["frflags a0", "csrr a0,fflags", "csrrs a0,fflags,zero"],
        "Csr: fcsr -> x10",
    );
    check(
        0x00106573,
        &["csrrsi a0,fflags,0", "csrrs a0,fflags,0"],
        "Csr: fcsr -> x10",
    );
    check(
        0x0021e073,
        &["csrsi frm,3", "csrs frm,3", "csrrsi zero,frm,3"],
        "Csr: fcsr -> fcsr",
    );
    check(
        0xf1402573,
        &["csrr a0,mhartid", "csrrs a0,0xf14,zero"],
        "Csr: - -> x10",
    );
    check(
        0xc0002573,
        &["rdcycle a0", "csrr a0,cycle"],
        "Csr: - -> x10",
    );
    check(0xc2002573, &["csrr a0,vl"], "Csr: vtype -> x10");
}

#[test]
fn floating_point() {
    check(
        0x02c5f553,
        &["fadd.d fa0,fa1,fa2", "fadd.d dyn,fa0,fa1,fa2"],
        "FpAdd: f11 f12 -> f10",
    );
    check(
        0x09f09053,
        &["fsub.s ft0,ft1,ft11,rtz", "fsub.s rtz,ft0,ft1,ft11"],
        "FpAdd: f1 f31 -> f0",
    );
    check(
        0x12b5f553,
        &["fmul.d fa0,fa1,fa1"],
        "FpMultiply: f11 -> f10",
    );
    check(
        0x18c5f553,
        &["fdiv.s fa0,fa1,fa2"],
        "FpDivide: f11 f12 -> f10",
    );
    check(0x5a05f553, &["fsqrt.d fa0,fa1"], "FpSqrt: f11 -> f10");
    check(
        0x6ac5f54b,
        &["fnmsub.d fa0,fa1,fa2,fa3"],
        "FpFma: f11 f12 f13 -> f10",
    );
    check(0xa2c5a553, &["feq.d a0,fa1,fa2"], "FpOther: f11 f12 -> x10");
    check(
        0xd225f553,
        &["fcvt.d.l fa0,a1", "fcvt.d.l dyn,fa0,a1"],
        "FpOther: x11 -> f10",
    );
    check(
        0xc0059553,
        &["fcvt.w.s a0,fa1,rtz", "fcvt.w.s rtz,a0,fa1"],
        "FpOther: f11 -> x10",
    );
    check(0xe2058553, &["fmv.x.d a0,fa1"], "FpOther: f11 -> x10");
    // QEMU prints integer registers here.
    check(
        0x22b58553,
        &[
            "fmv.d fa0,fa1",
            "fsgnj.d fa0,fa1,fa1",
            "fmv.d           a0,a1",
        ],
        "FpOther: f11 -> f10",
    );
    check(
        0x22a51553,
        &["fneg.d fa0,fa0", "fneg.d a0,a0"],
        "FpOther: f10 -> f10",
    );
}

#[test]
fn vector_configuration() {
    let texts = [
        "vsetvli a0,a1,e32,m2,ta,ma",
        "vsetvli a0, a1, e32, m2, tu, mu",
    ];
    check(
        0x0d15f557,
        &texts,
        "VectorConfig: x11 -> x10 vtype, e32 16/8",
    );
    check(
        0x01f07057,
        &["vsetvli zero,zero,e64,mf2,tu,mu"],
        "VectorConfig: vtype -> vtype, e64 4/8",
    );
    check(
        0xcc027057,
        &["vsetivli zero,4,e8,m1,ta,ma"],
        "VectorConfig: - -> vtype, e8 8/8",
    );
    check(
        0x80c5f557,
        &["vsetvl a0,a1,a2"],
        "VectorConfig: x11 x12 -> x10 vtype",
    );
}

#[test]
fn vector_arithmetic() {
    check(
        0x030c0457,
        &["vadd.vv v8,v16,v24"],
        "VectorInteger: v16*1/1 v24*1/1 vtype -> v8*1/1",
    );
    check(
        0x010eb457,
        &["vadd.vi v8,v16,-3,v0.t"],
        "VectorInteger: v0 v8*1/1 v16*1/1 vtype -> v8*1/1",
    );
    check(
        0xd6856457,
        &["vwadd.wx v8,v8,a0"],
        "VectorInteger: x10 v8*2/1 vtype -> v8*2/1",
    );
    check(
        0xb2810257,
        &["vnsrl.wv v4,v8,v2"],
        "VectorInteger: v2*1/1 v8*2/1 vtype -> v4*1/1",
    );
    check(
        0xb3055457,
        &["vfmacc.vf v8,fa0,v16"],
        "VectorFp: f10 v8*1/1 v16*1/1 vtype -> v8*1/1",
    );
    check(
        0x608541d7,
        &["vmseq.vx v3,v8,a0,v0.t"],
        "VectorInteger: x10 v0 v3 v8*1/1 vtype -> v3",
    );
    check(
        0x410c0457,
        &["vadc.vvm v8,v16,v24,v0"],
        "VectorInteger: v0 v16*1/1 v24*1/1 vtype -> v8*1/1",
    );
    check(
        0x028120d7,
        &["vredsum.vs v1,v8,v2"],
        "VectorInteger: v2 v8*1/1 vtype -> v1",
    );
    check(
        0x42801557,
        &["vfmv.f.s fa0,v8"],
        "VectorFp: v8 vtype -> f10",
    );
    check(
        0x42802557,
        &["vmv.x.s a0,v8"],
        "VectorInteger: v8 vtype -> x10",
    );
    check(
        0x4a222457,
        &["vzext.vf4 v8,v2"],
        "VectorInteger: v2*1/4 vtype -> v8*1/1",
    );
    check(
        0x9f01b457,
        &["vmv4r.v v8,v16"],
        "VectorInteger: v16=4 -> v8=4",
    );
    check(
        0x40882557,
        &["vcpop.m a0,v8,v0.t", "vpopc.m a0,v8,v0.t"],
        "VectorInteger: v0 v8 vtype -> x10",
    );
    check(
        0x3b0c0457,
        &["vrgatherei16.vv v8,v16,v24"],
        "VectorInteger: v16*1/1 v24:16 vtype -> v8*1/1",
    );
}

#[test]
fn vector_memory() {
    check(
        0x02056407,
        &["vle32.v v8,(a0)"],
        "VectorLoad: x10 vtype -> v8:32, Load 4 Any",
    );
    check(
        0x00057427,
        &["vse64.v v8,(a0),v0.t"],
        "VectorStore: x10 v0 v8:64 vtype -> -, Store 8 Any",
    );
    check(
        0x0ab55407,
        &["vlse16.v v8,(a0),a1"],
        "VectorLoad: x10 x11 vtype -> v8:16, Load 2 Any",
    );
    check(
        0x07056407,
        &["vluxei32.v v8,(a0),v16"],
        "VectorLoad: x10 v16:32 vtype -> v8*1/1, Load 0 Any",
    );
    check(
        0x4ab55407,
        &["vlsseg3e16.v v8,(a0),a1"],
        "VectorLoad: x10 x11 vtype -> v8:16x3, Load 2 Any",
    );
    check(
        0x03050407,
        &["vle8ff.v v8,(a0)"],
        "VectorLoad: x10 vtype -> v8:8 vtype, Load 1 Any",
    );
    check(
        0x62856407,
        &["vl4re32.v v8,(a0)"],
        "VectorLoad: x10 -> v8=4, Load 4 Any",
    );
    check(
        0x22850427,
        &["vs2r.v v8,(a0)"],
        "VectorStore: x10 v8=2 -> -, Store 1 Any",
    );
    check(
        0x02b50007,
        &["vlm.v v0,(a0)", "vle1.v v0,(a0)"],
        "VectorLoad: x10 vtype -> v0, Load 1 Any",
    );
}

/// QEMU loses the last operand of three mnemonics, prints the shift of another as a register, and `illegal`
/// for what must not be executed.
#[test]
fn texts_of_qemu() {
    let listing = include_str!("../../../tests/fixtures/isa/qemu.txt");
    let mut refused = Vec::new();
    for line in listing.lines().skip(1) {
        let (word, text) = line.split_once('\t').expect("a word and a text");
        let from_word =
            decode_word(u32::from_str_radix(word, 16).expect("a word")).expect("an instruction");
        match decode_text(text) {
            Ok(from_text) => assert_eq!(from_text.facts, from_word.facts, "{line}"),
            Err(error) => refused.push(error.to_string()),
        }
    }
    refused.sort();
    let expected = [
        "`andn` takes 3 operands, not 2",
        "`orn` takes 3 operands, not 2",
        "`xnor` takes 3 operands, not 2",
        "operand 3 of `slli.uw`, `gp`, has no meaning there",
        "unknown mnemonic `illegal`",
    ];
    assert_eq!(refused, expected);
}

/// Offsets as they were given to the assembler, from `.+8` and the like.
#[test]
fn flow() {
    for (word, expected) in [
        (0x00c58533, Flow::Next),
        (0x00b50463, Flow::Branch(8)),
        (0xfeb05de3, Flow::Branch(-6)),
        (0x001000ef, Flow::Call(Some(2048))),
        (0xffdff06f, Flow::Jump(-4)),
        (0x000780e7, Flow::Call(None)),
        (0x00030067, Flow::Indirect),
        (0x00830367, Flow::Call(None)),
        (0x00008067, Flow::Indirect),
        (0x30200073, Flow::Indirect),
        (0xc901, Flow::Branch(16)),
        (0xbfed, Flow::Jump(-6)),
        (0x8082, Flow::Indirect),
        (0x8782, Flow::Indirect),
        (0x9782, Flow::Call(None)),
        (0x9002, Flow::Next),
        (0x952e, Flow::Next),
    ] {
        assert_eq!(control_flow(word), expected, "{word:#x}");
    }
    assert_eq!((length(0x8082), length(0x00008067)), (2, 4));
}

#[test]
fn what_is_not_an_instruction() {
    // All ones; c.addi4spn without a number; c.lwsp to x0; a vsetvl with reserved bits.
    for word in [0xffff_ffff, 0x0004, 0x4002, 0xa000_7057] {
        assert_eq!(decode_word(word), None, "{word:#x}");
    }
    let unknown = |mnemonic: &str| {
        Err(TextError::UnknownMnemonic {
            mnemonic: mnemonic.to_owned(),
        })
    };
    assert_eq!(decode_text("frobnicate a0,a1"), unknown("frobnicate"));
    assert_eq!(decode_text("add.aq a0,a1,a2"), unknown("add.aq"));
    assert_eq!(decode_text(".4byte 0x1234"), unknown(".4byte"));
    assert_eq!(decode_text("  # nothing"), Err(TextError::Empty));
    let message = |text: &str| decode_text(text).expect_err(text).to_string();
    assert_eq!(message("add a0,a1"), "`add` takes 3 operands, not 2");
    assert_eq!(message("add a0,a1,a2,a3"), "`add` takes 3 operands, not 4");
    assert_eq!(
        message("add a0,fa1,a2"),
        "operand 2 of `add`, `fa1`, has no meaning there"
    );
    assert_eq!(
        message("lw a0,4[a1]"),
        "operand 2 of `lw`, `4[a1]`, has no meaning there"
    );
    assert_eq!(
        message("amoadd.w.aq a0,a1,4(a2)"),
        "operand 3 of `amoadd.w`, `4(a2)`, has no meaning there"
    );
    assert_eq!(message("ret ra"), "`ret` takes 0 operands, not 1");
    assert_eq!(
        message("vadd.vv v1,v2,v3,v4"),
        "operand 4 of `vadd.vv`, `v4`, has no meaning there"
    );
}

proptest! {
    #[test]
    fn words_never_panic(word: u32) {
        for word in [word, word | 3] {
            let _ = control_flow(word);
            prop_assert_eq!(decode_word(word).is_none() && control_flow(word) != Flow::Next, false);
        }
    }

    #[test]
    fn texts_never_panic(text in ".*", operands in "[a-z0-9(),. -]{0,30}") {
        let _ = decode_text(&text);
        for (mnemonic, ..) in encodings().step_by(7) {
            let _ = decode_text(&format!("{mnemonic} {operands}"));
        }
    }
}

/// Words of the GNU assembler.
#[test]
fn moves_copy_a_register_and_do_nothing_else() {
    for (word, text) in [
        (0x852e, "c.mv a0,a1"),
        (0x0005_8513, "addi a0,a1,0"),
        (0x22b5_8553, "fmv.d fa0,fa1"),
        (0x20b5_8553, "fmv.s fa0,fa1"),
    ] {
        assert!(is_move(word), "{text}");
    }
    for (word, text) in [
        (0x8582, "c.jr a1"),
        (0x952e, "c.add a0,a1"),
        (0x0000_0013, "nop"),
        (0x0000_0513, "li a0,0"),
        (0x0015_8513, "addi a0,a1,1"),
        (0x22b5_9553, "fneg.d fa0,fa1"),
        (0x22c5_8553, "fsgnj.d fa0,fa1,fa2"),
    ] {
        assert!(!is_move(word), "{text}");
    }
}
