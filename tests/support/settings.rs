//! Settings of analyses of traces.

use loopsheet_dataflow::Rules;
use loopsheet_metrics::costs::Costs;
use loopsheet_metrics::settings::Settings;

/// The eDAG by these rules, and nothing else.
pub fn edag_only(rules: Rules) -> Settings {
    Settings {
        rules,
        caches: Vec::new(),
        other_caches: Vec::new(),
        costs: Costs::default(),
        like_edan: false,
        reuse_line: None,
        remote: None,
        epochs: None,
        memory_chain: false,
        core: None,
        keep: 0,
    }
}
