//! Settings of analyses of traces.

use loopsheet_dataflow::Rules;
use loopsheet_metrics::settings::Settings;

/// The eDAG by these rules, and nothing else.
pub fn edag_only(rules: Rules) -> Settings {
    Settings {
        rules,
        ..Settings::default()
    }
}
