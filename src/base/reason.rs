//! The register of reasons: why something is not understood, is only estimated, or cannot be run.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumMessage, EnumString, IntoStaticStr, VariantArray};

/// Why something is not understood, is only estimated, or cannot be run. Reports print a reason as its code, the name
/// in snake case, and count them; each comment is the meaning that people are shown, each message what they can do.
#[derive(
    Clone,
    Copy,
    Debug,
    Display,
    EnumMessage,
    EnumString,
    Eq,
    Hash,
    IntoStaticStr,
    Ord,
    PartialEq,
    PartialOrd,
    Serialize,
    VariantArray,
    Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReasonCode {
    /// The address of something is used as a value where only elements can be followed.
    #[strum(
        message = "Subscript the array itself, or pass the array and not an address computed from it."
    )]
    AddressOf,
    /// A loop allocates or frees storage (`malloc`, `free`): each counts as `allocation_cycles` of the machine, a rough figure, as it depends on the allocator and on what is in use.
    #[strum(
        message = "Allocate before the loop, or set machine.allocation_cycles by what a run under `perf` shows."
    )]
    AllocationInLoop,
    /// It is not known which procedure a call means: it goes through a pointer or a dummy argument, or several procedures have the name. Each that it may mean counts as if all these calls were its own, and what they do to arrays of the caller is not known. What `qsort` and `bsearch` are given is called n·⌈log₂ n⌉ and ⌈log₂ n⌉ times, as merging and halving n elements compare at most.
    #[strum(
        message = "Call the procedure by its own name, and analyse only the files that are linked into one program."
    )]
    AmbiguousCall,
    /// The iterations of a loop are an upper bound, the middle of several values, or a parameter, because its bounds or an early exit do not give them exactly.
    #[strum(
        message = "Set the parameter of the trip count with --set, or take it from a run with --counts or --parameters-from-trace."
    )]
    ApproximateTripCount,
    /// An array is made of a list of values in the middle of an expression, and what it costs is not counted.
    #[strum(message = "Assign the list to a named array first, and use that.")]
    ArrayConstructor,
    /// An intrinsic procedure works on whole arrays inside, and what it does with their elements is not counted.
    #[strum(
        message = "Write the loop over the elements out, or add its work to the figures by hand."
    )]
    ArrayIntrinsic,
    /// A section of an array stands where only single elements can be followed.
    #[strum(
        message = "Write the loop over the section out, or pass the section to a procedure whose source is among the inputs."
    )]
    ArraySection,
    /// A statement on whole arrays could not be written as loops over their elements.
    #[strum(
        message = "Write the loops out, or declare the arrays so that their ranks and extents are known."
    )]
    ArraySyntax,
    /// A jump goes to a label that a variable holds, so that nothing here shows where it leads.
    #[strum(message = "Replace the assigned `go to` by a computed one or by `select case`.")]
    AssignedGoto,
    /// The target of an assignment is neither a variable nor an element of an array.
    #[strum(
        message = "Assign to a named variable or element; a target that a function returns cannot be followed."
    )]
    AssignmentTarget,
    /// A subscript is `*`, which says nothing about the element that is meant.
    #[strum(message = "Give the subscript or the section with its bounds.")]
    AssumedSize,
    /// The nest cannot be run in blocks: a loop that is blocked has no known bounds, or a whole function is run.
    #[strum(message = "Remove the block sizes to run it, or give the loop bounds.")]
    Blocked,
    /// The bounds or the step of a loop depend on its own variable.
    #[strum(
        message = "Keep the bound in a variable that the loop does not use, or set the trip count with --set."
    )]
    BoundDependsOnVariable,
    /// The body of the loop changes what its end depends on.
    #[strum(message = "Set the trip count with --set, or take it from a run.")]
    BoundModified,
    /// A procedure is called whose source is not among the inputs, so what it does is not counted.
    #[strum(message = "Add the file that defines it to the inputs.")]
    Call,
    /// A procedure is called whose own body is not understood completely.
    #[strum(message = "See what is missing in the procedure itself: the detail names it.")]
    Callee,
    /// The nest was run with small sizes and moved a different number of bytes than the model predicts, by the ratio given in reports.
    #[strum(
        message = "Take the bytes from `loopsheet validate`, which runs the nest literally with the real sizes."
    )]
    CheckFailed,
    /// An element of another image is used, which is a transfer, not an access to memory.
    #[strum(
        message = "Count the transfer by hand; copy remote data to a local array before the loop."
    )]
    Coarray,
    /// The loop goes on while a condition of several parts holds, so that its bounds do not give its iterations.
    #[strum(
        message = "Set the trip count with --set, or leave the loop by a test inside its body."
    )]
    CompoundCondition,
    /// A structure or an array is made in the middle of an expression.
    #[strum(message = "Assign it to a named variable first.")]
    CompoundLiteral,
    /// An element or member is taken of what an expression computes, so that it has no array.
    #[strum(message = "Assign the pointer to a named variable before it is subscripted.")]
    ComputedBase,
    /// A branch depends on variables of the loops around in a way that has no closed form: its probability is a guess, and bytes are those of all iterations. Or other loops move the ends of what a condition leaves of a loop for a part of the nest, or it leaves two pieces of one: operations are exact, bytes those of mean iterations.
    #[strum(
        message = "Set the probability of the branch with --set, or split the loop where the condition changes."
    )]
    ConditionOnLoops,
    /// A variable moves through an array in some iterations only, as conditions say: bytes are those of moving in every one.
    #[strum(
        message = "Check the bytes with `loopsheet validate`, which moves it as often as the probability of the branch says."
    )]
    ConditionalStep,
    /// A conditional without a middle operand, `a ?: b`, has a condition that may not be evaluated twice.
    #[strum(message = "Assign the condition to a variable first.")]
    ConditionalWithoutMiddle,
    /// Lines that the nest reuses are a multiple of a large power of two apart and map to few sets of a cache: with its real associativity it moves more bytes than the figures, which assume fully associative caches.
    #[strum(
        message = "Make the rows of that array longer by one cache line, so that they begin in different sets; `loopsheet validate` with the machine's caches shows what is gained."
    )]
    ConflictMisses,
    /// Counts of a run show that a loop of the nest iterates more often, or less often, than in the model: a size, a trip count, a probability or a number of calls differs from the run.
    #[strum(
        message = "Set what the loop depends on with --set; the table shows both numbers, and JSON has them in `counted`."
    )]
    CountsDiffer,
    /// An iteration ends early in a way that could not be made a branch.
    #[strum(message = "Put what is skipped into an `if`.")]
    Cycle,
    /// A `do … while` loop runs until a condition fails, so that its iterations are not known.
    #[strum(message = "Set the trip count with --set, or take it from a run.")]
    DoWhileLoop,
    /// A procedure has another entry with arguments of its own, or one in the middle of its body.
    #[strum(message = "Make each entry a procedure of its own.")]
    Entry,
    /// Rows are few and short, and their alignment in cache lines differs from the average: bytes are those of the average.
    #[strum(message = "Check the bytes with `loopsheet validate`, which runs the nest literally.")]
    FewRows,
    /// The loop counts with a floating-point variable, so that rounding decides how often it runs.
    #[strum(message = "Count with an integer variable.")]
    FloatingVariable,
    /// Data select the elements of an array: their lines are assumed to be spread evenly over the array, and to be new ones where its extent is not known.
    #[strum(
        message = "Declare the extent of the array; where it is not known, set gather_lines of the machine to the cache lines that an access moves."
    )]
    GatheredElements,
    /// The loop variable is multiplied, divided or shifted in every iteration instead of being stepped.
    #[strum(message = "Set the trip count with --set, or take it from a run.")]
    GeometricStep,
    /// A jump goes to a place that has no counterpart in loops and branches.
    #[strum(message = "Restructure the jump as a loop or branch.")]
    Goto,
    /// Jumps back make a loop, so that its iterations are not known.
    #[strum(message = "Set the trip count with --set, or write it as a counted loop.")]
    GotoLoop,
    /// Sizes that were guessed, because nothing in the source gives them, let the nest run no more than once, or more than 10¹⁵ times, or sizes let it go beyond the declared ends of rows or arrays.
    #[strum(
        message = "Set the sizes with --set or in loopsheet.toml; `loopsheet parameters` lists them."
    )]
    ImplausibleSize,
    /// An implied `do` makes values in an expression, and what it computes is not counted.
    #[strum(message = "Fill a named array in a loop.")]
    ImpliedDo,
    /// The loop has no bounds at all and is left from inside.
    #[strum(message = "Set the trip count with --set, or take it from a run.")]
    InfiniteLoop,
    /// A defect of loopsheet stopped the work on the procedure or the file, so that nothing of its loops is in the figures.
    #[strum(message = "Leave the file out with --ignore, and report the message that names it.")]
    InternalError,
    /// A list of input or output repeats items without a range that could be read.
    #[strum(message = "Write the list of items as a loop.")]
    IoImpliedDo,
    /// The condition of the loop does not compare a variable that the loop steps.
    #[strum(message = "Set the trip count with --set, or take it from a run.")]
    IrregularCondition,
    /// The loop variable is not stepped by one amount in every iteration.
    #[strum(message = "Set the trip count with --set, or take it from a run.")]
    IrregularStep,
    /// The loop is stepped by a variable that is neither a number nor a pointer.
    #[strum(message = "Count with an integer variable.")]
    IrregularVariable,
    /// The variable of a `do` loop is not a scalar with a name.
    #[strum(message = "Count with a scalar integer variable.")]
    LoopVariable,
    /// A member is reached through a pointer that moves, so that it has no fixed place in memory.
    #[strum(message = "The static figures hold; a run with `loopsheet trace` shows the accesses.")]
    MemberOfPointer,
    /// Memory is copied, set or compared by the library, and what is moved is not in the figures.
    #[strum(message = "Write the loop over the elements out, or add the bytes by hand.")]
    MemoryIntrinsic,
    /// A call of a communication procedure has fewer arguments than the library requires.
    #[strum(
        message = "Give the call all its arguments, or describe the procedure in a communication file."
    )]
    MissingArguments,
    /// A `for` loop has no condition and is left from inside.
    #[strum(message = "Set the trip count with --set, or take it from a run.")]
    MissingCondition,
    /// A `for` loop does not say where its variable begins.
    #[strum(message = "Initialise the variable in the header of the loop.")]
    MissingInitialiser,
    /// A `for` loop does not step a variable in its header.
    #[strum(message = "Step the variable in the header of the loop.")]
    MissingStep,
    /// There are no statements to run: the model comes from XML, or its loops are not those of the source.
    #[strum(message = "Analyse the source itself.")]
    NoStatements,
    /// A statement expression of GNU C does not end in a value.
    #[strum(message = "End the block with the expression that is its value.")]
    NoValue,
    /// A subscript is not a sum of multiples of loop variables, so that its accesses have no stride.
    #[strum(message = "Introduce an array of indices, or linearise the subscript.")]
    NonAffineSubscript,
    /// A null pointer stands among the values.
    #[strum(
        message = "Nothing is lost if it is only passed on; otherwise take it out of the loop."
    )]
    Null,
    /// A loop whose ends other loops move does not run at all in a part of their iterations: bytes are those in the middle of several parts of their ranges.
    #[strum(
        message = "Let the outer loop end where the inner one does, or check the bytes with `loopsheet validate`."
    )]
    PartlyEmpty,
    /// A pointer gets another target, so that later accesses may mean another array.
    #[strum(message = "Use `associate`, or pass the target as an argument.")]
    PointerAssignment,
    /// A pointer gets a value that is loaded from memory, so that it is not known where it points to.
    #[strum(message = "The static figures hold; a run with `loopsheet trace` shows the accesses.")]
    PointerFromData,
    /// A pointer is assigned inside the loops, so that its accesses have no known place.
    #[strum(message = "Index an array with an integer that the loop steps.")]
    PointerMoves,
    /// The loop is stepped by a pointer, so that its iterations are not known.
    #[strum(message = "Count with an integer variable, or set the trip count with --set.")]
    PointerVariable,
    /// The name of a procedure stands where a value was expected.
    #[strum(
        message = "Call the procedure, or pass its name only to procedures that are among the inputs."
    )]
    ProcedureName,
    /// An array is used with a number of subscripts other than that of its dimensions.
    #[strum(message = "Declare the array with the rank that it is used with.")]
    Rank,
    /// A `do` loop counts with a real variable, so that rounding decides how often it runs.
    #[strum(message = "Count with an integer variable.")]
    RealLoopVariable,
    /// A procedure calls itself, directly or by others, so that it is not known how often it runs.
    #[strum(
        message = "Rewrite the recursion as a loop, or add the work of the deeper calls by hand."
    )]
    Recursion,
    /// Each thread of a parallel region runs all iterations of the loop, as no directive shares them out, or those that its bounds give its number: what is counted is what the first thread does, in the time of one core.
    #[strum(
        message = "Share the loop out with `omp for` or `omp do`, or multiply its figures by the number of threads."
    )]
    RepeatedByThreads,
    /// A branch depends on the dynamic type of an object, which the source does not give.
    #[strum(message = "Set the probability of the branch with --set.")]
    SelectType,
    /// Subscripts of several forms lead to one array, and it is not known how many elements they have in common: bytes count each form separately.
    #[strum(message = "Check the bytes with `loopsheet validate`, which runs the nest literally.")]
    SeveralForms,
    /// The function is called with several sizes, or a variable is given several values, and every call counts with the largest of each, which may not come together. Or a number is set or read that the type of its variable does not hold.
    #[strum(message = "Set the size that matters with --set.")]
    SeveralSizes,
    /// The nest shares a loop with others, of which some do not walk boxes: reuse between them is approximate.
    #[strum(
        message = "Check the bytes with `loopsheet validate --whole`, which runs the nests of a function one after the other."
    )]
    SharedLoop,
    /// The condition of the loop changes what it tests.
    #[strum(message = "Move the change into the body, or set the trip count with --set.")]
    SideEffectInCondition,
    /// A loop moves an array along two dimensions at once, along which others move it as well: lines of rows that are shifted that way are approximate.
    #[strum(
        message = "Check the bytes with `loopsheet validate`, or let each loop move one dimension."
    )]
    SkewedWalk,
    /// A macro that takes statements is not defined among the inputs.
    #[strum(message = "Give its definition with -D or -I, so that it can be expanded.")]
    StatementsAsArgument,
    /// The loop steps away from its bound, so that it runs once, never or until the number overflows.
    #[strum(message = "Check the sign of the step and the comparison.")]
    StepDirection,
    /// A part of a text is taken of something that is not a variable.
    #[strum(message = "Assign the text to a variable first.")]
    Substring,
    /// Too many arms of a `switch` fall through into the next.
    #[strum(message = "End the arms with `break`.")]
    SwitchFallthrough,
    /// The parser does not understand the text here.
    #[strum(
        message = "Preprocess the file first or give the macros with -D; check the text if a compiler refuses it, too."
    )]
    SyntaxError,
    /// Expressions, statements or calls are nested more deeply than is followed.
    #[strum(message = "Split the expression or the statement into several.")]
    TooDeep,
    /// The nest makes more accesses than may be run, and cannot be sampled.
    #[strum(message = "Run it with smaller sizes, or allow more accesses.")]
    TooLong,
    /// A branch inside loops goes one way in all iterations, it is not known which, and bytes or operations depend on it: they are counted as for both. Or elements behind a branch that is never taken lie among others of the array, whose bytes they add to. Or data decide a branch, and whether a cache holds what lies between two uses of a line depends on which iterations take it: bytes are those with all that lies behind the branch in between.
    #[strum(message = "Set the probability of the branch to 0 or 1 with --set.")]
    UndecidedBranch,
    /// The ends of a loop depend on the loops around in another way than by whole multiples: bytes are those in the middle of their ranges.
    #[strum(message = "Check the bytes with `loopsheet validate`, which runs the nest literally.")]
    UnevenBounds,
    /// Iterations of the innermost loop may wait for each other: it stores elements of an array and reads others, and which these are depends on variables that it changes in a way that could not be followed. In-core time is that of code that does one iteration after the other and waits for none.
    #[strum(
        message = "Compute the subscripts from loop variables, or say with `!$omp simd` or `#pragma omp simd` that iterations are independent."
    )]
    UnknownDependence,
    /// The loop ends at a value that its variable may step towards or away from.
    #[strum(message = "Compare with `<` or `>`, or give a step with a known sign.")]
    UnknownDirection,
    /// An expression has a form that is not followed, such as a component of what a function returns.
    #[strum(message = "Assign the parts of the expression to named variables first.")]
    UnknownExpression,
    /// Lines at random places, or of more streams than prefetchers follow, are assumed to arrive as fast as the bandwidth allows, because the machine file gives no latencies for them: the time may be several times as long. Bytes are not affected.
    #[strum(
        message = "Measure the machine with `loopsheet machine measure`, or set latencies and outstanding lines of caches and memory in a machine file."
    )]
    UnknownLatency,
    /// It is not known how far apart the structures of an array lie in memory.
    #[strum(message = "Give the files that define all types of the structure's members.")]
    UnknownLayout,
    /// Nothing says how far apart the rows of an array lie, and the nest uses little of each: rows of which it uses one element are assumed to be in lines of their own, others to follow each other. Loads of the pointers to them (`double **a`) are not counted.
    #[strum(message = "Declare the array with the length of its rows: `double a[n][m]`.")]
    UnknownRows,
    /// The size of a type is not known.
    #[strum(message = "Give the header that defines the type.")]
    UnknownSize,
    /// A statement has a form that is not followed.
    #[strum(message = "Write it with the usual statements of the language.")]
    UnknownStatement,
    /// Something moves through an array by an unknown distance: each step is assumed to reach a different line.
    #[strum(
        message = "Compute the subscript from loop variables and sizes; `loopsheet validate` runs the nest literally."
    )]
    UnknownStride,
    /// A variable or member has a type that is not declared among the inputs, so that neither bytes nor operations can be counted.
    #[strum(message = "Give the header or module that declares it, with -I or among the inputs.")]
    UnknownType,
    /// A declaration could not be read, often because of a macro on a line of its own.
    #[strum(message = "Give the definition of the macro with -D or -I.")]
    UnreadableDeclaration,
    /// A number is too large or has a form that is not known.
    #[strum(message = "Write the number as the language prescribes.")]
    UnreadableNumber,
    /// An expression of C has a form that is not followed, such as a generic selection.
    #[strum(message = "Write it with the usual operators.")]
    UnsupportedExpression,
    /// A statement of C has a form that is not followed, such as inline assembly.
    #[strum(message = "Write it with the usual statements of the language.")]
    UnsupportedStatement,
    /// The loop changes its variable inside its body or takes its address.
    #[strum(message = "Set the trip count with --set, or take it from a run.")]
    VariableModified,
    /// A subscript depends on a variable whose value inside the loop is not known.
    #[strum(
        message = "Compute the subscript from loop variables, or load it from an array of indices."
    )]
    VaryingSubscript,
    /// A `where` could not be written as loops over the elements of its mask.
    #[strum(message = "Write the loops out with an `if` inside.")]
    Where,
    /// A `while` loop runs until a condition fails, so that its iterations are not known.
    #[strum(message = "Set the trip count with --set, or take it from a run.")]
    WhileLoop,
    /// A loop has a step of zero, which is not allowed.
    #[strum(message = "Give the loop a step other than zero.")]
    ZeroStep,
}

/// What a reason does to the loop that it was found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Something of the loop is not in its figures.
    LeavesOut,
    /// All of it is understood, except how often it runs.
    Estimates,
    /// The figures are complete, but the nest cannot be run to validate them.
    PreventsRun,
}

impl Effect {
    /// In one sentence for people.
    pub fn meaning(self) -> &'static str {
        match self {
            Effect::LeavesOut => {
                "The loop does not count as understood: omitted parts are not counted in its figures."
            }
            Effect::Estimates => {
                "The loop counts as understood; its iterations, or bytes that it moves, are a parameter or an estimate, and its nest is marked with a star."
            }
            Effect::PreventsRun => {
                "The loop counts as understood; only `loopsheet validate` skips its nest."
            }
        }
    }
}

impl ReasonCode {
    /// Whether it says that times are not known, and nothing of operations and bytes.
    pub fn is_of_times(self) -> bool {
        matches!(
            self,
            ReasonCode::AllocationInLoop
                | ReasonCode::UnknownLatency
                | ReasonCode::UnknownDependence
        )
    }

    /// The code as reports print it: `while_loop`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// What it means, in one sentence.
    pub fn meaning(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }

    /// What a user can do about it.
    pub fn help(self) -> &'static str {
        self.get_message().unwrap_or_default()
    }

    /// Whether a loop with it still counts as understood.
    pub fn is_understood(self) -> bool {
        self.effect() != Effect::LeavesOut
    }

    /// Whether only a text is left out, so that a procedure's callers miss nothing of its numbers.
    pub fn concerns_text(self) -> bool {
        self == ReasonCode::Substring
    }

    /// What it does to the loop that it was found in.
    pub fn effect(self) -> Effect {
        use ReasonCode::*;
        match self {
            AllocationInLoop
            | ApproximateTripCount
            | BoundDependsOnVariable
            | BoundModified
            | CheckFailed
            | CompoundCondition
            | ConditionOnLoops
            | ConditionalStep
            | ConflictMisses
            | CountsDiffer
            | DoWhileLoop
            | FewRows
            | FloatingVariable
            | GatheredElements
            | GeometricStep
            | GotoLoop
            | ImplausibleSize
            | InfiniteLoop
            | IrregularCondition
            | IrregularStep
            | IrregularVariable
            | MissingCondition
            | MissingInitialiser
            | MissingStep
            | PartlyEmpty
            | PointerVariable
            | RepeatedByThreads
            | SeveralForms
            | SeveralSizes
            | SharedLoop
            | SideEffectInCondition
            | SkewedWalk
            | StepDirection
            | UndecidedBranch
            | UnevenBounds
            | UnknownDependence
            | UnknownDirection
            | UnknownLatency
            | UnknownRows
            | UnknownStride
            | VariableModified
            | WhileLoop => Effect::Estimates,
            Blocked | MemberOfPointer | NoStatements | PointerFromData | Rank | TooLong => {
                Effect::PreventsRun
            }
            _ => Effect::LeavesOut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_meaning_and_help_and_is_in_the_order_of_its_code() {
        for code in ReasonCode::VARIANTS {
            for text in [code.meaning(), code.help(), code.effect().meaning()] {
                let is_sentence =
                    text.starts_with(|c: char| c.is_uppercase()) && text.ends_with('.');
                assert!(is_sentence && text.len() > 20, "{code}: {text}");
            }
            assert_eq!(code.as_str().parse(), Ok(*code));
        }
        assert!(ReasonCode::VARIANTS.is_sorted_by_key(|code| code.as_str()));
    }
}
