//! What a core has of the levels of a machine, some of which it may lack (guide: static-model, "Serial code").

use super::bandwidth;
use super::figures::Detail;
use super::runs_on::RunsOn;
use crate::expr::Expr;
use crate::machine::Level;

impl RunsOn {
    /// The same; that of the one `before` it where a machine may lack it.
    pub(super) fn capacity(self, cache: &Level, before: Option<Expr>, detail: Detail) -> Expr {
        match before.filter(|_| detail == Detail::AnyMachine) {
            Some(before) => bandwidth::where_present(cache, self.share(cache), before),
            None => self.share(cache),
        }
    }

    /// What a core has of the last level that the machine has.
    pub(super) fn last_share(self, caches: &[Level], detail: Detail) -> Option<Expr> {
        let next = |before, cache| Some(self.capacity(cache, before, detail));
        caches.iter().fold(None, next)
    }

    /// What a share of the last level among all cores is to be multiplied by.
    pub(super) fn of_last_share(self, caches: &[Level], detail: Detail) -> Expr {
        let own = self.last_share(caches, detail);
        let all = RunsOn::AllCores.last_share(caches, detail);
        match (self, own.zip(all)) {
            (RunsOn::OneCore, Some((own, all))) => own.quotient(all),
            _ => Expr::from(1.0),
        }
    }
}
