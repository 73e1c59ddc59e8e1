//! Where do the whole numbers of a program come from? Every integer is followed through assignments, calls,
//! modules, common blocks and components of structures, to what the program is given.
//!
//! The answer to "what is `x_max` of this kernel?" is an expression over *places*: storage of the program that
//! something outside gives a value, or nothing at all (the roots), or that is computed from other places.
//!
//! ```text
//! void solve(int k, double *x) { for (int i = 0; i < k; i++) … }
//! void run(int m, double *x)   { solve(m - 1, x); }
//! int main(int argc, char **argv) {
//!   int n = 64;
//!   if (argc > 1) n = atoi(argv[1]);
//!   run(n, x);
//!
//! place      definitions                        value     origin
//! main.n     64, and read from outside          64        given: its own default
//! run.m      passed: n                          main.n    just another name
//! solve.k    passed: m − 1                      n − 1     from the caller
//! ```
//!
//! `loopsheet parameters` then lists `n`, read by the program, with its own default of 64, and `k` as `n - 1`
//! (guide: sizes, "What the figures depend on").
//!
//! ```text
//! places        the storage: one number for each place, however many procedures see it
//! definitions   collects over all statements what gives each place a value
//!                 guarded, asked   under which conditions    keys   by which word of the input
//!                 alive            what constants keep from running
//!                 taken_back       for a while only
//!                 aliases          other names of storage    order   what a run does first
//!                 inputs           what comes from outside, and `by_input` what a file gives it
//!                 own_readers  by functions of the program that give back what they read, or an argument
//! values        resolves: an expression over places for each, with its origin      reals   made from real numbers
//! circles       made from themselves
//! amended       changed after they have been read (`if (n > most) n = most`)
//! counters      counted up in loops, from a number
//! counted_arguments  variables of loops that calls in them pass, and other loops count by, too
//! starts        where counters of the program stand when the loop begins that counts them
//! structures    given values as a whole
//! dead          leaves out what no run gets to that is given the same, and resolves again
//! once          branches that a run takes once, as they throw a switch (`if (first) { …; first = 0; }`)
//! set           what the user sets, in place of what the program gives the variables that the name means (`meant`)
//! levels        tables of sizes that fall by a factor from entry to entry
//! periodic      how often `mod(step, every) == 0` holds
//! options       the value that a flag has unless the input says otherwise, which decides branches
//! words         how many words the command line has
//! pointing      pointers and texts that are empty unless the input says otherwise
//! presence      which optional arguments calls pass
//! few           the few numbers that a place may have, by which branches are guessed, and `often` how often each
//! ```
//!
//! Statements are not taken in the order in which they run: where several give a place different values, the
//! largest counts and the origin says that they differ. So a size may be too large, and is then marked; it
//! depends on no path.

mod aliases;
mod alive;
mod amended;
mod amends;
mod asked;
mod at_once;
mod by_input;
mod candidates;
mod circles;
mod collector;
mod command_line;
mod copied;
mod counted_arguments;
mod counters;
mod dead;
mod decisive;
mod definition;
mod few;
mod first;
mod found;
mod guarded;
mod inputs;
mod keys;
mod levels;
mod meant;
mod often;
mod once;
mod options;
mod order;
mod own_readers;
mod passed;
mod periodic;
mod places;
mod pointing;
mod presence;
mod program;
mod reals;
mod resolver;
mod set;
mod stand_ins;
mod starts;
mod structures;
mod taken_back;
mod touches;
mod truth;
mod values;
mod words;

pub use once::Turn;
pub use program::Sizes;
