//! Which storage is meant by a variable of a procedure?
//!
//! One integer may have a name in every procedure: as a variable of a module, a member of a COMMON block, a
//! global of C, a component of a structure type. All of these are one [`PlaceId`]. The rest belongs to one
//! procedure alone.
//!
//! ```text
//! n of one procedure          Own(procedure, variable)
//! nx of module grid           Shared(Home::Declaration), whoever uses it
//! domain%nx                   Shared(Home::Component): of the type, whichever structure it is in
//! dims(2)                     Element(place of dims, [2]): elements with literal subscripts
//! size(a, 1)                  Extent(a, 0), where no declaration says it
//! ```
//!
//! A component belongs to its type: two structures of one type are not told apart, which is what sizes of a
//! program with one grid need. Of real variables only scalars are followed.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::calls::{ProcedureId, Procedures};
use crate::expr::spreadsheet::legal_name;
use crate::inputs::Bounds;
use crate::intrinsics::{Intrinsics, Meaning};
use crate::ir::{Extent, Function, Home, Role, Type, UnaryOp, Value, VarId, Variable};

/// Index of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceId(pub u32);

impl PlaceId {
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// What distinguishes places.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// A variable of one procedure alone.
    Own(ProcedureId, VarId),
    Shared(Home),
    /// An element with these subscripts of an array.
    Element(PlaceId, Box<[i64]>),
    /// How many elements an array has along one of its dimensions, which no declaration says.
    Extent(Box<Key>, u32),
    /// How many images run, and which one this is, in a main program without others.
    Image(Meaning),
    /// What a function returns that has no variable for it.
    Returned(ProcedureId),
    /// A named constant that a setting of this number names.
    Constant(usize),
}

/// A place and where it is.
#[derive(Clone, Debug)]
pub struct Place {
    pub name: String,
    /// What it is called where it is known what holds it: of a component, that alone.
    pub own_name: String,
    /// The procedure, module, block or type that it belongs to.
    pub scope: String,
    pub file: std::sync::Arc<str>,
    pub line: u32,
    /// Whether one procedure has it for itself.
    pub is_own: bool,
    /// Whether it is declared in a procedure, not in a module, a type or a file.
    pub is_local: bool,
    /// Whether it is what is read for a variable that statements change behind that.
    pub is_as_read: bool,
    /// Whether it is zero before the program runs, as its definition gives it no value (C).
    pub begins_with_zero: bool,
    /// Whether it is a named constant that a setting names.
    pub is_constant: bool,
    /// Whether it holds a real number.
    pub is_real: bool,
    /// Of a whole number of few bytes, the type.
    pub narrow: Option<Type>,
    /// Whether that is one of four bytes.
    pub is_single: bool,
    /// Whether it holds true or false.
    pub is_logical: bool,
    /// Whether it is declared with dimensions.
    pub is_array: bool,
    /// Whether it is the length of a dimension.
    pub is_extent: bool,
    /// The type of the structures that it is a component of.
    pub structure: Option<std::sync::Arc<str>>,
    /// Whether more than one structure of that type has it, as far as variables name them.
    pub has_several: bool,
    /// Of an array, the bounds of its dimensions as far as they are numbers.
    pub bounds: Box<[Bounds]>,
    /// Elements of it that have places of their own.
    pub elements: Vec<PlaceId>,
    /// The array that it is an element of.
    pub array: Option<PlaceId>,
    /// Subscripts of the element.
    pub subscripts: Box<[i64]>,
}

impl Place {
    /// Whether its type has a number.
    pub fn holds(&self, number: f64) -> bool {
        let left = |ty: &Type| ty.wrapped(number as i64).map(|left| left as f64);
        self.narrow
            .as_ref()
            .is_none_or(|ty| left(ty) == Some(number))
    }

    /// Of a whole number for which a procedure has no variable.
    fn without_variable(function: &Function, name: String, is_own: bool) -> Place {
        Place {
            name: name.clone(),
            own_name: name,
            scope: String::new(),
            file: function.place.file.clone(),
            line: function.place.line,
            is_own,
            is_local: is_own,
            is_as_read: false,
            begins_with_zero: false,
            is_constant: false,
            is_real: false,
            narrow: None,
            is_single: false,
            is_logical: false,
            is_array: false,
            is_extent: false,
            structure: None,
            has_several: false,
            bounds: Box::default(),
            elements: Vec::new(),
            array: None,
            subscripts: Box::default(),
        }
    }
}

/// All places.
#[derive(Default)]
pub struct Places {
    numbers: FxHashMap<Key, PlaceId>,
    all: Vec<Place>,
    homes: FxHashMap<PlaceId, Home>,
    /// Of components, the first variable that is such a structure: of a procedure, or of all.
    owners: FxHashMap<PlaceId, (Option<ProcedureId>, String)>,
    /// Names of settings, which named constants may have.
    set: Vec<String>,
}

impl Places {
    /// Where named constants have places that these settings name.
    pub fn with_set(set: impl Iterator<Item = String>) -> Places {
        Places {
            set: set.collect(),
            ..Places::default()
        }
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn get(&self, id: PlaceId) -> &Place {
        &self.all[id.at()]
    }

    /// The place of a variable, or of the array that it is, made if it has none.
    pub fn variable(
        &mut self,
        known: &Procedures,
        procedure: ProcedureId,
        id: VarId,
    ) -> Option<PlaceId> {
        let function = known.get(procedure).function;
        let key = self.key(function, procedure, id)?;
        if let Some(number) = self.numbers.get(&key) {
            // Others may only declare what one file defines.
            self.all[number.at()].begins_with_zero |= function.zero.contains(&id);
            let number = *number;
            self.note_owner(number, function, (procedure, id));
            return Some(number);
        }
        let place = match function.in_source(id) {
            own if own == id => declared(function, id, &key),
            // What is read has the name of what it is read for.
            named => Place {
                is_own: true,
                is_local: true,
                is_as_read: true,
                structure: None,
                begins_with_zero: false,
                ..declared(function, named, &storage(function, procedure, named))
            },
        };
        let number = self.add(key, place);
        self.note_owner(number, function, (procedure, id));
        Some(number)
    }

    /// Notes the variable that a component is in, unless that may stand for another.
    fn note_owner(
        &mut self,
        place: PlaceId,
        function: &Function,
        (procedure, id): (ProcedureId, VarId),
    ) {
        let Variable { name, role, .. } = function.variable(id);
        let is_itself = *role != Role::Argument && !name.is_behind_pointer();
        if self.get(place).structure.is_none() || !name.is_member() || !is_itself {
            return;
        }
        let of = (*role == Role::Local).then_some(procedure);
        let owner = (of, name.variable().to_string());
        let first = self.owners.entry(place).or_insert_with(|| owner.clone());
        self.all[place.at()].has_several |= *first != owner;
    }

    /// The storage of the program that a place is, or is an element of.
    pub fn home(&self, id: PlaceId) -> Option<&Home> {
        let id = self.get(id).array.unwrap_or(id);
        self.homes.get(&id)
    }

    /// The place that holds how many elements an array of a procedure has along a dimension, made if there is none.
    pub fn extent(
        &mut self,
        known: &Procedures,
        procedure: ProcedureId,
        id: VarId,
        dimension: u32,
    ) -> PlaceId {
        let function = known.get(procedure).function;
        let (id, dimension) = holder(function, id, dimension);
        let array = storage(function, procedure, id);
        let key = Key::Extent(Box::new(array.clone()), dimension);
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let array = declared(function, id, &array);
        let size_of = |name: &str| format!("size({name},{})", dimension + 1);
        let place = Place {
            name: size_of(&array.name),
            own_name: size_of(&array.own_name),
            is_real: false,
            narrow: None,
            is_single: false,
            is_logical: false,
            is_array: false,
            is_extent: true,
            ..array
        };
        self.add(key, place)
    }

    /// Gives what is made of what a variable is read as another name than that.
    pub fn tell_apart(&mut self) {
        let name_of = |place: &Place| (place.scope.clone(), place.name.clone());
        let read: FxHashSet<(String, String)> = self
            .all
            .iter()
            .filter(|place| place.is_as_read)
            .map(name_of)
            .collect();
        if read.is_empty() {
            return;
        }
        let taken: FxHashSet<(String, String)> = self.all.iter().map(name_of).collect();
        for place in self.all.iter_mut().filter(|place| !place.is_as_read) {
            if read.contains(&name_of(place)) {
                let names = (2..).map(|number| format!("{}_{number}", place.name));
                let mut free =
                    { names }.filter(|name| !taken.contains(&(place.scope.clone(), name.clone())));
                place.name = free.next().unwrap_or_default();
            }
        }
    }

    /// The place that holds what a procedure asks of images, made if there is none.
    pub fn image(&mut self, function: &Function, meaning: Meaning, text: String) -> PlaceId {
        let key = Key::Image(meaning);
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        self.add(key, Place::without_variable(function, text, false))
    }

    /// The place that holds what a function returns that has no variable for it, made if there is none.
    pub fn returned(&mut self, function: &Function, procedure: ProcedureId) -> PlaceId {
        let key = Key::Returned(procedure);
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let name = format!("{}()", function.name);
        self.add(key, Place::without_variable(function, name, true))
    }

    /// The place that holds what a function returns.
    pub fn find_result(&self, function: &Function, procedure: ProcedureId) -> Option<PlaceId> {
        match function.result {
            Some(result) => self.find(function, procedure, &Value::Variable(result)),
            None => self.numbers.get(&Key::Returned(procedure)).copied(),
        }
    }

    /// The same if it is known already.
    pub fn find_extent(
        &self,
        function: &Function,
        procedure: ProcedureId,
        id: VarId,
        dimension: u32,
    ) -> Option<PlaceId> {
        let (id, dimension) = holder(function, id, dimension);
        let array = Box::new(storage(function, procedure, id));
        self.numbers.get(&Key::Extent(array, dimension)).copied()
    }

    /// The place of an element of an array, if its subscripts are numbers; that of the whole array else.
    pub fn element(&mut self, array: PlaceId, subscripts: &[Value]) -> PlaceId {
        let Some(numbers) = literals(subscripts) else {
            return array;
        };
        self.numbered(array, numbers)
    }

    /// The place of the element with these subscripts.
    pub fn numbered(&mut self, array: PlaceId, numbers: Box<[i64]>) -> PlaceId {
        let key = Key::Element(array, numbers.clone());
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let whole = self.get(array).clone();
        let subscripts: Vec<String> = numbers.iter().map(i64::to_string).collect();
        let element_of = |name: &str| format!("{name}({})", subscripts.join(","));
        let place = Place {
            name: element_of(&whole.name),
            own_name: element_of(&whole.own_name),
            is_array: false,
            elements: Vec::new(),
            array: Some(array),
            subscripts: numbers,
            ..whole
        };
        let id = self.add(key, place);
        self.all[array.at()].elements.push(id);
        id
    }

    /// The place of the whole array that a value is an element of.
    pub fn find_array(
        &self,
        function: &Function,
        procedure: ProcedureId,
        value: &Value,
    ) -> Option<PlaceId> {
        let Value::Element { array, .. } = value else {
            return None;
        };
        let key = key(function, procedure, *array)?;
        self.numbers.get(&key).copied()
    }

    /// The place of a variable or element that is known already.
    pub fn find(
        &self,
        function: &Function,
        procedure: ProcedureId,
        value: &Value,
    ) -> Option<PlaceId> {
        match value {
            Value::Variable(id) => {
                let key = self.key(function, procedure, *id)?;
                self.numbers.get(&key).copied()
            }
            Value::Element {
                array, subscripts, ..
            } => {
                let whole = self.numbers.get(&key(function, procedure, *array)?)?;
                let element = literals(subscripts).map(|numbers| Key::Element(*whole, numbers));
                let own = element.and_then(|key| self.numbers.get(&key));
                Some(*own.unwrap_or(whole))
            }
            Value::Call { .. } => match asked_of_images(function, value) {
                Some(meaning) => self.numbers.get(&Key::Image(meaning)).copied(),
                None => {
                    let (array, dimension) = inquired(function, value)?;
                    self.find_extent(function, procedure, array, dimension)
                }
            },
            _ => None,
        }
    }

    /// Whether several procedures may know a place, each by a name of its own.
    pub fn is_shared(&self, id: PlaceId) -> bool {
        !self.get(id).is_own
    }

    /// Whether a variable is a named constant that a setting names.
    pub fn is_set(&self, function: &Function, id: VarId) -> bool {
        self.constant(function, id).is_some()
    }

    /// What distinguishes the place of a variable, or of a named constant that a setting names.
    fn key(&self, function: &Function, procedure: ProcedureId, id: VarId) -> Option<Key> {
        match self.constant(function, id) {
            Some(number) => Some(Key::Constant(number)),
            None => key(function, procedure, id),
        }
    }

    /// The number of the setting that names a constant.
    fn constant(&self, function: &Function, id: VarId) -> Option<usize> {
        if self.set.is_empty() {
            return None;
        }
        let variable = function.variable(id);
        let is_number = matches!(variable.ty, Type::Integer(..) | Type::Real(_));
        let is_followed = is_number && variable.dimensions.is_empty();
        let is_constant = matches!(variable.role, Role::Constant(_)) && variable.constant.is_some();
        if !is_followed || !is_constant {
            return None;
        }
        let names = [
            variable.name.to_string(),
            format!("{}.{}", function.name, variable.name),
        ];
        let has_case = function.conventions.language.has_case();
        let is_it = |set: &String| names.iter().any(|name| is_called(name, set, has_case));
        self.set.iter().position(is_it)
    }

    fn add(&mut self, key: Key, place: Place) -> PlaceId {
        let id = PlaceId(self.all.len() as u32);
        self.all.push(place);
        if let Key::Shared(home) = &key {
            self.homes.insert(id, home.clone());
        }
        self.numbers.insert(key, id);
        id
    }
}

/// What distinguishes the place of an integer or logical variable from others; of an array, that of all its elements.
/// Of real variables only scalars are followed, from which whole numbers may be made.
fn key(function: &Function, procedure: ProcedureId, id: VarId) -> Option<Key> {
    let variable = function.variable(id);
    let is_followed = match variable.ty {
        Type::Integer(..) | Type::Logical(_) => true,
        Type::Real(_) => variable.dimensions.is_empty(),
        _ => false,
    };
    // The elements of a named constant are named by their numbers.
    let is_value = matches!(variable.role, Role::Constant(_)) && variable.dimensions.is_empty();
    if !is_followed || is_value {
        return None;
    }
    Some(storage(function, procedure, id))
}

/// What distinguishes the storage of a variable from others.
fn storage(function: &Function, procedure: ProcedureId, id: VarId) -> Key {
    match function.homes.get(&id) {
        Some(home) => Key::Shared(home.clone()),
        None => Key::Own(procedure, id),
    }
}

/// The array that has a dimension of a component: of `q(:)%n`, that is `q`. The component's own ones come first.
fn holder(function: &Function, id: VarId, dimension: u32) -> (VarId, u32) {
    let component = function.variable(id);
    if !component.name.is_member() || component.name.is_behind_pointer() {
        return (id, dimension);
    }
    let numbered = (0..).map(VarId).zip(&function.variables);
    let mut whole = numbered.filter(|(_, other)| other.name.as_str() == component.name.variable());
    let rank = |variable: &Variable| variable.dimensions.len() as u32;
    let found = whole.find_map(|(whole, variable)| {
        let own = rank(component).checked_sub(rank(variable))?;
        Some((whole, dimension.checked_sub(own)?))
    });
    found.unwrap_or((id, dimension))
}

/// The bounds of a dimension that are numbers. Where arrays of which only the rank is declared begin, another procedure may
/// say, but for dummy arguments.
fn bounds(function: &Function, role: Role, extent: &Extent) -> Bounds {
    let number = |bound: &Value| match bound {
        Value::Integer(n) => Some(*n),
        Value::Variable(id) => match function.variable(*id).constant {
            Some(Value::Integer(n)) => Some(n),
            _ => None,
        },
        _ => None,
    };
    let first = match &extent.lower {
        Some(lower) => number(lower),
        None if extent.upper.is_some() || role == Role::Argument => {
            Some(function.conventions.first_index)
        }
        None => None,
    };
    Bounds {
        first,
        last: extent.upper.as_ref().and_then(number),
    }
}

/// The place of a variable as its declaration has it.
fn declared(function: &Function, id: VarId, key: &Key) -> Place {
    let variable = function.variable(id);
    let (scope, name) = match key {
        Key::Shared(Home::Declaration { name, scope, .. }) => (scope.to_string(), name.to_string()),
        Key::Shared(Home::Common { block, name }) => (block.to_string(), name.to_string()),
        Key::Shared(Home::File { file, name }) => {
            let file = file.as_deref().unwrap_or_default();
            (file.to_string(), name.to_string())
        }
        Key::Shared(Home::Component { scope, of, name }) => {
            (scope.to_string(), format!("{of}%{name}"))
        }
        Key::Constant(_) => (String::new(), variable.name.to_string()),
        Key::Own(..) | Key::Element(..) | Key::Extent(..) | Key::Image(_) | Key::Returned(_) => {
            (function.name.clone(), variable.name.to_string())
        }
    };
    let own_name = match key {
        Key::Shared(Home::Component { name, .. }) => name.to_string(),
        Key::Shared(_) => name.clone(),
        _ => (variable.name.members().last()).map_or_else(|| name.clone(), str::to_string),
    };
    Place {
        name,
        own_name,
        scope,
        file: variable.place.file.clone(),
        line: variable.place.line,
        is_own: matches!(key, Key::Own(..)),
        is_local: variable.role == Role::Local,
        is_as_read: false,
        begins_with_zero: function.zero.contains(&id),
        is_constant: matches!(key, Key::Constant(_)),
        is_real: matches!(variable.ty, Type::Real(_)),
        narrow: Some(variable.ty.clone()).filter(|ty| matches!(ty, Type::Integer(..=4, _))),
        is_single: matches!(variable.ty, Type::Real(4)),
        is_logical: matches!(variable.ty, Type::Logical(_)),
        is_array: !variable.dimensions.is_empty(),
        is_extent: matches!(key, Key::Extent(..)),
        has_several: false,
        structure: match key {
            Key::Shared(Home::Component { of, .. }) => Some(of.clone()),
            _ => None,
        },
        bounds: (variable.dimensions.iter())
            .map(|extent| bounds(function, variable.role, extent))
            .collect(),
        elements: Vec::new(),
        array: None,
        subscripts: Box::default(),
    }
}

/// Whether the user means what the source calls so, as the source writes it or as a workbook does.
pub fn is_called(name: &str, set: &str, has_case: bool) -> bool {
    let is_same = |own: &str| match has_case {
        true => own == set,
        false => own.eq_ignore_ascii_case(set),
    };
    is_same(name) || is_same(&legal_name(name))
}

/// The array, and which of its dimensions, whose number of elements a value is: `size(a, 2)`, and `ubound(a, 2)` where
/// the dimension begins at one and its declaration does not say where it ends.
pub fn inquired(function: &Function, value: &Value) -> Option<(VarId, u32)> {
    let Value::Call {
        name, arguments, ..
    } = value
    else {
        return None;
    };
    let (array, at) = match arguments[..] {
        [Value::Variable(array), Value::Integer(dimension)] => {
            (array, usize::try_from(dimension).ok()?.checked_sub(1)?)
        }
        [Value::Variable(array)] if function.variable(array).dimensions.len() == 1 => (array, 0),
        _ => return None,
    };
    let extent = function.variable(array).dimensions.get(at)?;
    let begins_at_one = matches!(extent.lower, None | Some(Value::Integer(1)));
    let intrinsic = Intrinsics::builtin().lookup(function.conventions.language, name)?;
    let counts = match intrinsic.meaning? {
        Meaning::Extent => true,
        Meaning::UpperBound => begins_at_one,
        _ => false,
    };
    let is_open = extent.upper.is_none();
    (counts && is_open).then_some((array, at as u32))
}

/// What a value asks of the images of the program, or of its threads: `num_images()`, `omp_get_thread_num()`.
pub fn asked_of_images(function: &Function, value: &Value) -> Option<Meaning> {
    let Value::Call {
        name, arguments, ..
    } = value
    else {
        return None;
    };
    let language = function.conventions.language;
    let meaning = Intrinsics::builtin().lookup(language, name)?.meaning?;
    use Meaning::{Image, Images, Thread, Threads};
    let is_asked = matches!(meaning, Images | Image | Threads | Thread) && arguments.is_empty();
    is_asked.then_some(meaning)
}

/// Subscripts that are numbers, all of them; pointers' own `[0]` among them.
pub fn literals(subscripts: &[Value]) -> Option<Box<[i64]>> {
    subscripts
        .iter()
        .map(|subscript| match subscript {
            Value::Integer(n) => Some(*n),
            Value::Unary(UnaryOp::Negate, inner) => match **inner {
                Value::Integer(n) => n.checked_neg(),
                _ => None,
            },
            _ => None,
        })
        .collect()
}
