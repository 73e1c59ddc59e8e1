//! Where the components of derived types lie: natural alignment, and descriptors as gfortran (from version 8 on) has
//! them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::layout::{Arrangement, Layout, Room};
use super::kinds::DEPTH_LIMIT;
use super::modules::World;
use super::scope::{Base, Bounds, Component, DerivedType, Scope, TypeId, TypeSpec};

/// Bytes of a pointer, also of a procedure pointer.
const POINTER: u32 = 8;
/// Bytes of an array descriptor before its dimensions, and of each dimension.
const DESCRIPTOR: (u32, u32) = (40, 24);

/// An object in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    room: Room,
    /// Some data lies elsewhere, behind a pointer or an allocatable component.
    has_descriptors: bool,
}

/// A derived type in memory.
#[derive(Clone, Debug, Default)]
pub struct RecordLayout {
    /// `None` if a component is of unknown size.
    pub bytes: Option<u32>,
    /// Bytes from the beginning of an object to each component that has a place, those of the parents too.
    pub offsets: FxHashMap<Arc<str>, u32>,
}

/// Layouts of the types met on the way; `None` for one that is not known, or not yet.
type Known = FxHashMap<TypeId, Option<Object>>;

/// The layouts of the derived types met so far.
#[derive(Debug, Default)]
pub struct Layouts {
    known: FxHashMap<TypeId, RecordLayout>,
}

impl Layouts {
    /// How a type lies in memory.
    pub fn record<'a>(
        &mut self,
        world: World<'a>,
        ty: &str,
        home: &'a Scope,
    ) -> Option<&RecordLayout> {
        let (ty, home) = world.derived_type(home, ty)?;
        let new = || world.record_layout(ty, home);
        Some(self.known.entry(ty.id).or_insert_with(new))
    }

    /// Bytes of the structures of a type, without what lies behind pointers.
    pub fn bytes<'a>(&mut self, world: World<'a>, spec: &TypeSpec, home: &'a Scope) -> Option<u32> {
        let TypeSpec::Derived(name) = spec else {
            return None;
        };
        self.record(world, name, home)?.bytes
    }
}

impl<'a> World<'a> {
    /// Bytes of an object of a derived type, if all of it is inside the object and of constant size.
    pub fn size(&self, ty: &'a DerivedType, scope: &'a Scope) -> Option<u32> {
        self.layout(ty, scope)
            .filter(|object| !object.has_descriptors)
            .map(|object| object.room.bytes)
    }

    /// The layout of a derived type, if every component is of constant size.
    fn layout(&self, ty: &'a DerivedType, scope: &'a Scope) -> Option<Object> {
        self.lay_out(ty, scope, &mut Known::default(), &mut |_, _| {})
    }

    /// The size of a derived type, and where its components lie.
    pub fn record_layout(&self, ty: &'a DerivedType, scope: &'a Scope) -> RecordLayout {
        let mut offsets = FxHashMap::default();
        let mut visit = |component: &Component, offset| {
            offsets.insert(component.name.clone(), offset);
        };
        let whole = self.lay_out(ty, scope, &mut Known::default(), &mut visit);
        RecordLayout {
            bytes: whole.map(|object| object.room.bytes),
            offsets,
        }
    }

    /// Places one component after the other, those of the parent first.
    fn lay_out(
        &self,
        ty: &'a DerivedType,
        scope: &'a Scope,
        known: &mut Known,
        visit: &mut dyn FnMut(&Component, u32),
    ) -> Option<Object> {
        // A type inside itself has no size.
        known.insert(ty.id, None);
        let mut layout = Layout::new(Arrangement::Structure, 1);
        let mut has_descriptors = false;
        if let Some(parent) = &ty.parent {
            let (parent, scope) = self.derived_type(scope, parent)?;
            if known.contains_key(&parent.id) || known.len() > DEPTH_LIMIT {
                return None;
            }
            let parent = self.lay_out(parent, scope, known, visit)?;
            layout = Layout::after(parent.room);
            has_descriptors = parent.has_descriptors;
        } else if ty.components.is_empty() {
            return None;
        }
        for component in &ty.components {
            let own = self.component_layout(component, scope, known)?;
            visit(component, layout.place(own.room)?);
            has_descriptors |= own.has_descriptors;
        }
        let whole = Object {
            room: layout.room()?,
            has_descriptors,
        };
        known.insert(ty.id, Some(whole));
        Some(whole)
    }

    fn component_layout(
        &self,
        component: &Component,
        scope: &'a Scope,
        known: &mut Known,
    ) -> Option<Object> {
        if component.indirect {
            return descriptor(component);
        }
        let element = match &component.ty {
            TypeSpec::Derived(name) => {
                let (ty, scope) = self.derived_type(scope, name)?;
                match known.get(&ty.id) {
                    Some(object) => (*object)?,
                    None if known.len() < DEPTH_LIMIT => {
                        self.lay_out(ty, scope, known, &mut |_, _| {})?
                    }
                    None => return None,
                }
            }
            TypeSpec::Intrinsic(Base::Character, length) => Object {
                room: Room {
                    bytes: self.length(length.as_ref(), scope, 0)?,
                    alignment: 1,
                },
                has_descriptors: false,
            },
            spec => {
                let resolved = self.resolve(spec, scope);
                let is_known = resolved.unknown_kind.is_none();
                Object {
                    room: Room::of(&resolved.ty).filter(|_| is_known)?,
                    has_descriptors: false,
                }
            }
        };
        let extents = component
            .dimensions
            .iter()
            .map(|bounds| u32::try_from(self.extent(bounds, scope)?).ok());
        let count = extents
            .into_iter()
            .try_fold(1u32, |count, extent| count.checked_mul(extent?))?;
        Some(Object {
            room: element.room.times(count)?,
            ..element
        })
    }

    /// How many elements a dimension has, if that is constant.
    pub fn extent(&self, bounds: &Bounds, scope: &'a Scope) -> Option<i64> {
        let lower = self.lower(bounds, scope)?;
        self.integer(bounds.upper.as_ref()?, scope, 0)?
            .checked_sub(lower)?
            .checked_add(1)
    }

    /// The lower bound of a dimension, if it is constant.
    pub fn lower(&self, bounds: &Bounds, scope: &'a Scope) -> Option<i64> {
        bounds
            .lower
            .as_ref()
            .map_or(Some(1), |lower| self.integer(lower, scope, 0))
    }
}

/// What a pointer or an allocatable component takes in its object. A string of deferred length has its length
/// somewhere in the object too.
fn descriptor(component: &Component) -> Option<Object> {
    if matches!(component.ty, TypeSpec::Intrinsic(Base::Character, Some(_))) {
        return None;
    }
    let rank = u32::try_from(component.dimensions.len()).ok()?;
    let data = if rank == 0 {
        POINTER
    } else {
        DESCRIPTOR.0 + DESCRIPTOR.1.checked_mul(rank)?
    };
    let class = match (component.polymorphic, &component.ty) {
        (false, _) => 0,
        // The length of a string that it may hold.
        (true, TypeSpec::Anything) => 2 * POINTER,
        (true, _) => POINTER,
    };
    Some(Object {
        room: Room {
            bytes: data.checked_add(class)?,
            alignment: POINTER,
        },
        has_descriptors: true,
    })
}
