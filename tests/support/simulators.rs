//! Traces as gem5 and Whisper print them, from a trace as QEMU's execlog does: what the reader of those formats is given.
//!
//! Operands are taken from the machine word here, and not by what reads them; numbers that no dependence depends on are
//! printed as 4.

use std::fmt::Write;

/// One line of execlog.
struct Executed<'l> {
    hart: u64,
    pc: u64,
    word: u32,
    addresses: Vec<&'l str>,
}

fn executed(text: &str) -> impl Iterator<Item = Executed<'_>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let (front, rest) = line.split_once(", \"").expect("quotes");
        let (_, accesses) = rest.rsplit_once('"').expect("quotes");
        let mut fields = front.split(", ");
        let mut number = || {
            let field = fields.next().expect("a field");
            match field.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).expect("a number"),
                None => field.parse().expect("a number"),
            }
        };
        let (hart, pc, word) = (number(), number(), number() as u32);
        let fields = accesses.split(", ");
        let mut addresses: Vec<&str> = fields.filter(|field| field.starts_with("0x")).collect();
        // The load and the store of an atomic operation.
        addresses.dedup();
        Executed {
            hart,
            pc,
            word,
            addresses,
        }
    })
}

const INTEGER: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];
const FLOAT: [&str; 32] = [
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2",
    "fa3", "fa4", "fa5", "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9",
    "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
];

fn mnemonic(word: u32) -> &'static str {
    let is_short = word & 3 != 3;
    let own = loopsheet_trace::isa::encodings()
        .filter(|(_, mask, bits)| (bits & 3 != 3) == is_short && word & mask == *bits)
        .max_by_key(|(_, mask, _)| mask.count_ones());
    own.unwrap_or_else(|| panic!("{word:#x}")).0
}

/// As gem5 spells the instruction.
fn spelling(word: u32) -> String {
    let name = mnemonic(word);
    let operands = match word & 3 {
        3 => operands(name, word),
        _ => short_operands(name, word),
    };
    match name {
        "c.nop" => "c_addi zero, 0".into(),
        "zext.h" => format!("packw {operands}, zero"),
        _ if word & 0x7f == 0x2f => {
            let order = match word >> 25 & 3 {
                0 => "",
                1 => "_rl",
                2 => "_aq",
                _ => "_aqrl",
            };
            format!("{}{order} {operands}", name.replace('.', "_"))
        }
        _ => format!("{} {operands}", name.replace('.', "_"))
            .trim_end()
            .into(),
    }
}

fn operands(name: &str, word: u32) -> String {
    let field = |from: u32| (word >> from & 31) as usize;
    let [rd, rs1, rs2] = [7, 15, 20].map(|from| INTEGER[field(from)]);
    let [fd, fs1, fs2, fs3] = [7, 15, 20, 27].map(|from| FLOAT[field(from)]);
    match word & 0x7f {
        0x03 => format!("{rd}, 4({rs1})"),
        0x07 => format!("{fd}, 4({rs1})"),
        0x23 => format!("{rs2}, 4({rs1})"),
        0x27 => format!("{fs2}, 4({rs1})"),
        0x13 | 0x1b
            if ["clz", "ctz", "cpop", "sext", "rev8", "orc"]
                .iter()
                .any(|own| name.starts_with(own)) =>
        {
            format!("{rd}, {rs1}")
        }
        0x13 | 0x1b => format!("{rd}, {rs1}, 4"),
        0x33 | 0x3b if name == "zext.h" => format!("{rd}, {rs1}"),
        0x33 | 0x3b => format!("{rd}, {rs1}, {rs2}"),
        0x63 => format!("{rs1}, {rs2}, -4"),
        0x6f | 0x37 | 0x17 => format!("{rd}, 4"),
        0x67 => format!("{rd}, {}({rs1})", word as i32 >> 20),
        0x43 | 0x47 | 0x4b | 0x4f => format!("{fd}, {fs1}, {fs2}, {fs3}"),
        0x53 => match name.split('.').collect::<Vec<_>>()[..] {
            ["fcvt", "s" | "d", "s" | "d"] | ["fsqrt", _] => format!("{fd}, {fs1}"),
            ["fcvt" | "fmv", "s" | "d" | "w", _] if name != "fcvt.w.s" && name != "fcvt.w.d" => {
                format!("{fd}, {rs1}")
            }
            ["fcvt" | "fmv", ..] | ["fclass", _] => format!("{rd}, {fs1}"),
            ["feq" | "flt" | "fle", _] => format!("{rd}, {fs1}, {fs2}"),
            _ => format!("{fd}, {fs1}, {fs2}"),
        },
        0x2f if name.starts_with("lr") => format!("{rd}, ({rs1})"),
        0x2f => format!("{rd}, {rs2}, ({rs1})"),
        0x0f if name == "fence" => "rw, rw".into(),
        0x73 if name.starts_with("csr") => {
            let register = match word >> 20 {
                1 => "fflags".to_string(),
                2 => "frm".to_string(),
                3 => "fcsr".to_string(),
                other => format!("?? ({other:#x})"),
            };
            match name.ends_with('i') {
                true => format!("{rd}, {register}{}", field(15)),
                false => format!("{rd}, {register}, {rs1}"),
            }
        }
        _ => String::new(),
    }
}

fn short_operands(name: &str, word: u32) -> String {
    let field = |from: u32| (word >> from & 31) as usize;
    let few = |from: u32| 8 + (word >> from & 7) as usize;
    let (rd, rs2) = (INTEGER[field(7)], INTEGER[field(2)]);
    let (first, second) = (INTEGER[few(7)], INTEGER[few(2)]);
    match name {
        "c.lw" | "c.ld" | "c.sw" | "c.sd" => format!("{second}, 4({first})"),
        "c.fld" => format!("{}, 8({first})", FLOAT[few(2)]),
        // Sources of equal rank are in the order of gem5's description.
        "c.fsd" => format!("{first}, 8({})", FLOAT[few(2)]),
        "c.fsdsp" => format!("{}, 8(sp)", FLOAT[field(2)]),
        "c.lwsp" | "c.ldsp" => format!("{rd}, 4(sp)"),
        "c.fldsp" => format!("{}, 4(sp)", FLOAT[field(7)]),
        "c.swsp" | "c.sdsp" => format!("{rs2}, 4(sp)"),
        "c.addi" | "c.addiw" | "c.li" | "c.lui" | "c.slli" | "c.addi16sp" => format!("{rd}, 4"),
        "c.addi4spn" => format!("{second}, sp, 4"),
        "c.srli" | "c.srai" | "c.andi" => format!("{first}, 4"),
        "c.sub" | "c.xor" | "c.or" | "c.and" | "c.subw" | "c.addw" => format!("{first}, {second}"),
        "c.mv" | "c.add" => format!("{rd}, {rs2}"),
        "c.j" => "4".into(),
        "c.beqz" | "c.bnez" => format!("{first}, -4"),
        "c.jr" | "c.jalr" => rd.into(),
        _ => String::new(),
    }
}

/// Which parts of gem5's lines flags add.
#[derive(Clone, Copy)]
pub enum Flags {
    /// `Exec`.
    Exec,
    /// `ExecAll`.
    All,
    /// Without ticks, threads and symbols.
    Few,
}

/// A trace as gem5 prints it.
pub fn gem5(text: &str, flags: Flags) -> String {
    let mut out = String::new();
    for (number, own) in executed(text).enumerate() {
        let line = |out: &mut String, micro: &str, spelling: &str, effects: Option<&str>| {
            let (hart, pc) = (own.hart, own.pc);
            let symbol = match (flags, pc % 64) {
                (Flags::Few, _) => String::new(),
                (_, 0) => " @kernel.part.0".to_string(),
                (_, offset) => format!(" @kernel.part.0+{offset}"),
            };
            let start = match flags {
                Flags::Few => format!("system.cpu{hart}: "),
                Flags::Exec => format!("{:>7}: system.cpu{hart}: T0 : ", 500 * number),
                Flags::All => format!("{:>7}: system.cpu{hart}: A0 T0 : ", 500 * number),
            };
            let effects = effects.map_or_else(String::new, |effects| format!(" : {effects}"));
            writeln!(
                out,
                "{start}{pc:#x}{symbol}{micro} : {spelling:<26}{effects}"
            )
            .expect("memory");
        };
        let spelled = spelling(own.word);
        let mut effects = "IntAlu : ".to_string();
        let is_conditional = spelled.starts_with("sc_");
        match own.addresses.first() {
            Some(address) if is_conditional => write!(effects, " D={:#018x} A={address}", 0),
            Some(address) => write!(effects, " D={number:#018x} A={address}"),
            // One that failed.
            None if is_conditional => write!(effects, " D={:#018x} A=0x1000", 1),
            None => write!(effects, " D={number:#018x}"),
        }
        .expect("memory");
        if matches!(flags, Flags::All) {
            write!(
                effects,
                "  FetchSeq={number}  CPSeq={number}  flags=(IsInteger|IsLoad)"
            )
            .expect("memory");
        }
        if own.word & 0x7f != 0x2f {
            line(&mut out, "   ", &spelled, Some(&effects));
            continue;
        }
        line(&mut out, "   ", &spelled, None);
        line(
            &mut out,
            ". 0",
            &format!("{:#010x} fence", own.word),
            Some("No_OpClass : "),
        );
        let (name, operands) = spelled.split_once(' ').expect("operands");
        line(
            &mut out,
            ". 1",
            &format!("{name}[l] {operands}"),
            Some(&effects),
        );
    }
    out
}

/// A trace as Whisper prints it with `--csv`.
pub fn whisper(text: &str) -> String {
    let titles = "pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid";
    let mut out = format!("{titles}\n");
    for own in executed(text) {
        let name = mnemonic(own.word);
        let is_stored = matches!(own.word & 0x7f, 0x23 | 0x27)
            || name.starts_with("c.s")
            || name.starts_with("sc");
        let memory: Vec<String> = own
            .addresses
            .iter()
            .map(|address| {
                let digits = address.trim_start_matches("0x");
                match is_stored {
                    true => format!("{digits}=2a"),
                    false => digits.to_string(),
                }
            })
            .collect();
        let (pc, word, hart) = (own.pc, own.word, own.hart);
        writeln!(
            out,
            "{pc:x},{word:x},x0=0,x0;i0,{},,u,,{name:8}x0;x0,{hart:x}",
            memory.join(";")
        )
        .expect("memory");
    }
    out
}
