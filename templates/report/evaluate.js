// The functions of formulas. They agree with Rust's evaluation in src/expr/evaluate.rs, not-a-number included.

const min = Math.min;
const max = Math.max;
const ceiling = Math.ceil;
const floor = Math.floor;
const truncate = Math.trunc;
const absolute = Math.abs;

/** C's pow: one to any power is one, minus one to an infinite power too. */
function pow(base, exponent) {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Infinity)) return 1;
  return Math.pow(base, exponent);
}

/** Of sizes and as many amounts, the sum of the amounts whose size is above the limit. */
function sumAbove(limit, ...members) {
  const half = members.length / 2;
  if ([limit, ...members].some(Number.isNaN)) return NaN;
  return members.slice(half).reduce((sum, amount, at) => (members[at] > limit ? sum + amount : sum), 0);
}

/** The smallest n with 2^n not below x, zero for x up to one. */
function treeStages(x) {
  for (let stages = 0; stages < 1024; stages++) if (Math.pow(2, stages) >= x) return stages;
  return NaN;
}

// A comparison with what is not known is not known, so neither side is taken.
const known = (a, b) => a === a && b === b;
const less = (a, b, then, otherwise) => a < b ? then : known(a, b) ? otherwise : NaN;
const lessOrEqual = (a, b, then, otherwise) => a <= b ? then : known(a, b) ? otherwise : NaN;
const greater = (a, b, then, otherwise) => a > b ? then : known(a, b) ? otherwise : NaN;
const greaterOrEqual = (a, b, then, otherwise) => a >= b ? then : known(a, b) ? otherwise : NaN;
const equal = (a, b, then, otherwise) => a === b ? then : known(a, b) ? otherwise : NaN;
const notEqual = (a, b, then, otherwise) => !known(a, b) ? NaN : a !== b ? then : otherwise;
