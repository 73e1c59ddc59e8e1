//! What groups of elements and scenarios of reuse are called.

/// `cell`, `pencil`, `plane`, `3-D`: a group of elements that so many loops sweep.
pub fn group_name(level: usize) -> String {
    match level {
        0 => "cell".into(),
        1 => "pencil".into(),
        2 => "plane".into(),
        _ => format!("{level}-D"),
    }
}

/// Within what elements are reused in a scenario: the index of [`NestTraffic::scenarios`](super::NestTraffic::scenarios).
pub fn scenario_name(index: usize) -> String {
    match index {
        0 => "none".into(),
        1 => "within pencils".into(),
        2 => "between pencils".into(),
        3 => "between planes".into(),
        _ => format!("between {} groups", group_name(index - 1)),
    }
}
