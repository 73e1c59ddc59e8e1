//! Procedures that move data between processes: MPI, and libraries that exchange ghost cells.
//!
//! The facts are in `templates/communication.toml`, one row a procedure, and the bytes of MPI's own
//! types. A procedure of the program with one of these names is known by its own body.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// What a call does.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Deserialize,
    Serialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum InterfaceKind {
    Send,
    Receive,
    /// Sends and receives at once.
    Exchange,
    Broadcast,
    Reduce,
    Allreduce,
    ReduceScatter,
    Scan,
    Gather,
    Allgather,
    Scatter,
    Alltoall,
    /// One message to every neighbour of a process topology.
    Neighbours,
    Barrier,
    /// Completes what another call has begun.
    Wait,
    Put,
    Get,
    /// Fills ghost cells from the neighbours.
    Halo,
    /// Communicators, types, requests: moves nothing.
    Setup,
}

impl InterfaceKind {
    pub const ALL: &[InterfaceKind] = InterfaceKind::VARIANTS;

    /// As the table, JSON and XML name it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    pub fn parse(text: &str) -> Option<InterfaceKind> {
        text.parse().ok()
    }

    /// Whether a call moves elements; a barrier only sends messages.
    pub fn moves_data(self) -> bool {
        !matches!(
            self,
            InterfaceKind::Barrier | InterfaceKind::Wait | InterfaceKind::Setup
        )
    }
}

/// One procedure; positions of arguments are counted from one. See the head of the table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interface {
    pub library: String,
    pub kind: InterfaceKind,
    /// The call returns before the data may be used.
    #[serde(default)]
    pub begin: bool,
    /// The program ends there.
    #[serde(default)]
    pub ends_program: bool,
    pub buffer: Option<usize>,
    pub count: Option<usize>,
    #[serde(rename = "type")]
    pub datatype: Option<usize>,
    pub to_buffer: Option<usize>,
    pub to_count: Option<usize>,
    pub to_type: Option<usize>,
    /// The count is an array with one entry per process.
    #[serde(default)]
    pub counts: bool,
    /// Rank of the other process, or of the root.
    pub peer: Option<usize>,
    /// The distributed array of a halo exchange; 0 is the object of a type-bound call.
    pub array: Option<usize>,
    pub first: Option<usize>,
    pub components: Option<usize>,
    pub ghost: Option<usize>,
    /// Bytes of an element where no argument says.
    pub word: Option<u32>,
    /// Of a new type: the numbers whose product is the elements of the type that it consists of.
    pub elements: Option<Vec<usize>>,
    pub of: Option<usize>,
    pub makes: Option<usize>,
    /// Positions of whole numbers that the call gives, with their values where one process runs alone.
    #[serde(default)]
    pub alone: Vec<(usize, i64)>,
}

impl Interface {
    /// Whether an argument is a number that is passed to the call: how many elements, to whom.
    pub fn only_reads(&self, position: usize) -> bool {
        let Interface {
            count,
            to_count,
            peer,
            components,
            ghost,
            ..
        } = self;
        [count, to_count, peer, components, ghost].contains(&&Some(position))
    }

    /// Arguments that a call must have to say what it moves.
    pub fn needs(&self) -> usize {
        let Interface {
            buffer,
            count,
            datatype,
            to_buffer,
            to_count,
            to_type,
            array,
            ..
        } = self;
        let positions = [buffer, count, datatype, to_buffer, to_count, to_type, array];
        positions.into_iter().flatten().copied().max().unwrap_or(0)
    }

    /// Whether it is called by way of the distributed array.
    fn is_of_object(&self) -> bool {
        self.array == Some(0)
    }
}

/// The procedures and types by name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interfaces {
    calls: BTreeMap<String, Interface>,
    datatypes: BTreeMap<String, u32>,
}

impl Interfaces {
    /// The table that is part of the program.
    pub fn builtin() -> &'static Interfaces {
        static TABLE: OnceLock<Interfaces> = OnceLock::new();
        TABLE.get_or_init(|| {
            let text = include_str!("communication.toml");
            toml::from_str(text).expect("templates/communication.toml is sound")
        })
    }

    /// The procedure that a call means, in any case of letters: `MPI_Send`.
    pub fn lookup(&self, name: &str) -> Option<&Interface> {
        let found = self.calls.get(&name.to_ascii_lowercase());
        found.filter(|interface| !interface.is_of_object())
    }

    /// The procedure that a call by way of an object means: `fill_boundary` of `mf%fill_boundary`.
    pub fn of_object(&self, procedure: &str) -> Option<&Interface> {
        let found = self.calls.get(&procedure.to_ascii_lowercase());
        found.filter(|interface| interface.is_of_object())
    }

    /// Bytes of an element of one of MPI's own types, by its name or by what the headers of an
    /// implementation make of it: `ompi_mpi_double`, the handle `0x4c00080b`.
    pub fn datatype_bytes(&self, name: &str) -> Option<u32> {
        let lower = name.to_ascii_lowercase();
        self.datatypes
            .get(lower.strip_prefix("ompi_").unwrap_or(&lower))
            .copied()
    }
}

/// Bytes of a basic type from its handle in MPICH, which holds them in its second byte.
pub fn mpich_datatype_bytes(handle: i64) -> Option<u32> {
    const BASIC: i64 = 0x4c00;
    let bytes = (handle >> 8) & 0xff;
    (handle >> 16 == BASIC && bytes > 0).then_some(bytes as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(name: &str) -> Option<InterfaceKind> {
        Interfaces::builtin()
            .lookup(name)
            .map(|interface| interface.kind)
    }

    fn kind_of_object(name: &str) -> Option<InterfaceKind> {
        Interfaces::builtin()
            .of_object(name)
            .map(|interface| interface.kind)
    }

    #[test]
    fn names_are_found_in_any_case_and_bound_ones_with_their_object_only() {
        for name in ["MPI_Allreduce", "mpi_allreduce", "MPI_ALLREDUCE"] {
            assert_eq!(kind(name), Some(InterfaceKind::Allreduce), "{name}");
        }
        assert_eq!(kind_of_object("fill_boundary"), Some(InterfaceKind::Halo));
        assert_eq!(kind("fill_boundary"), None);
        assert_eq!(kind_of_object("mpi_send"), None);
        assert_eq!(kind("multifab_fill_boundary_c"), Some(InterfaceKind::Halo));
        assert_eq!(kind("mpi_no_such_thing"), None);
    }

    #[test]
    fn the_table_is_sound() {
        let table = Interfaces::builtin();
        for (name, interface) in &table.calls {
            assert_eq!(*name, name.to_lowercase());
            let Interface {
                buffer,
                to_buffer,
                array,
                kind,
                of,
                makes,
                elements,
                ..
            } = interface;
            let says_what = buffer.is_some()
                || to_buffer.is_some()
                || array.is_some()
                || interface.word.is_some();
            let starts = name.starts_with("mpi_start");
            assert!(
                says_what || starts || !kind.moves_data(),
                "{name} says nothing of what it moves"
            );
            assert!(
                makes.is_none() || (of.is_some() && elements.is_some()),
                "{name}"
            );
            let counts = interface.count.is_some() == interface.datatype.is_some();
            assert!(
                counts || interface.library != "mpi" || interface.count.is_none(),
                "{name}"
            );
        }
        for &kind in InterfaceKind::ALL {
            assert_eq!(InterfaceKind::parse(kind.as_str()), Some(kind));
            assert!(
                table.calls.values().any(|interface| interface.kind == kind),
                "{kind:?}"
            );
        }
    }

    /// MPI 4.0, sections 3.2.2, and the sizes that C and Fortran give the types on 64-bit systems.
    #[test]
    fn types_have_their_bytes() {
        let bytes = |name| Interfaces::builtin().datatype_bytes(name);
        assert_eq!(bytes("MPI_DOUBLE"), Some(8));
        assert_eq!(bytes("mpi_double_precision"), Some(8));
        assert_eq!(bytes("MPI_REAL"), Some(4));
        assert_eq!(bytes("MPI_DOUBLE_INT"), Some(12));
        assert_eq!(bytes("ompi_mpi_double"), Some(8));
        assert_eq!(bytes("xtype"), None);
        assert_eq!(mpich_datatype_bytes(0x4c00080b), Some(8));
        assert_eq!(mpich_datatype_bytes(17), None);
    }
}
