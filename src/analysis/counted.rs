//! Structures of counts, of which formats and sums need all fields by position or name.

/// A structure whose fields are all of one type: with `NAMES`, `values` and `from_values` in the order of its fields.
macro_rules! counted {
    (
        $(#[$about:meta])*
        pub struct $name:ident: [$ty:ty; $count:literal] {
            $($(#[$of_field:meta])* pub $field:ident,)*
        }
    ) => {
        $(#[$about])*
        pub struct $name {
            $($(#[$of_field])* pub $field: $ty,)*
        }

        impl $name {
            /// Names of the fields, in the order of `values`.
            pub const NAMES: [&'static str; $count] = [$(stringify!($field),)*];

            pub fn values(self) -> [$ty; $count] {
                [$(self.$field,)*]
            }

            pub fn from_values(values: [$ty; $count]) -> $name {
                let [$($field,)*] = values;
                $name { $($field,)* }
            }
        }
    };
}

pub(crate) use counted;
