//! Names of instruction classes, as mixes, cost tables and reports write them.

use super::Class;

impl Class {
    /// Every class once, in the order of declaration.
    pub const ALL: [Class; 27] = [
        Class::Integer,
        Class::Multiply,
        Class::Divide,
        Class::FpAdd,
        Class::FpMultiply,
        Class::FpFma,
        Class::FpDivide,
        Class::FpSqrt,
        Class::FpOther,
        Class::Load,
        Class::FpLoad,
        Class::Store,
        Class::FpStore,
        Class::Atomic,
        Class::Branch,
        Class::Jump,
        Class::Csr,
        Class::Fence,
        Class::System,
        Class::Nop,
        Class::VectorConfig,
        Class::VectorInteger,
        Class::VectorFp,
        Class::VectorLoad,
        Class::VectorStore,
        Class::Unclassified,
        Class::Unknown,
    ];

    /// The name in snake case.
    pub fn name(self) -> &'static str {
        match self {
            Class::Integer => "integer",
            Class::Multiply => "multiply",
            Class::Divide => "divide",
            Class::FpAdd => "fp_add",
            Class::FpMultiply => "fp_multiply",
            Class::FpFma => "fp_fma",
            Class::FpDivide => "fp_divide",
            Class::FpSqrt => "fp_sqrt",
            Class::FpOther => "fp_other",
            Class::Load => "load",
            Class::FpLoad => "fp_load",
            Class::Store => "store",
            Class::FpStore => "fp_store",
            Class::Atomic => "atomic",
            Class::Branch => "branch",
            Class::Jump => "jump",
            Class::Csr => "csr",
            Class::Fence => "fence",
            Class::System => "system",
            Class::Nop => "nop",
            Class::VectorConfig => "vector_config",
            Class::VectorInteger => "vector_integer",
            Class::VectorFp => "vector_fp",
            Class::VectorLoad => "vector_load",
            Class::VectorStore => "vector_store",
            Class::Unclassified => "unclassified",
            Class::Unknown => "unknown",
        }
    }

    /// The class of that name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|class| class.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_snake_case_unique_and_read_back() {
        for (position, class) in Class::ALL.into_iter().enumerate() {
            assert_eq!(
                class as usize, position,
                "ALL is in the order of declaration and leaves none out"
            );
            assert_eq!(Class::from_name(class.name()), Some(class));
            // The Rust name in snake case is the name.
            let snake = format!("{class:?}")
                .chars()
                .fold(String::new(), |mut name, c| {
                    if c.is_uppercase() && !name.is_empty() {
                        name.push('_');
                    }
                    name.push(c.to_ascii_lowercase());
                    name
                });
            assert_eq!(class.name(), snake);
        }
        assert_eq!(Class::Unknown as usize, Class::ALL.len() - 1);
        assert_eq!(Class::from_name("Integer"), None);
    }
}
