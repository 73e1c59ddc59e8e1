// Runs the steps that formulas are made of. They agree with Rust's evaluation in src/expr/evaluate.rs, not-a-number
// included; src/export/html/formulas.rs says how they are written.

/** C's pow: one to any power is one, minus one to an infinite power too. */
function pow(base, exponent) {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Infinity)) return 1;
  return Math.pow(base, exponent);
}

/** The smallest n with 2^n not below x, zero for x up to one. */
function treeStages(x) {
  for (let stages = 0; stages < 1024; stages++) if (Math.pow(2, stages) >= x) return stages;
  return NaN;
}

/** Of whole numbers that are not negative. */
function commonDivisor(a, b) {
  if (!(a >= 0 && a < 1e15 && b >= 0 && b < 1e15)) return NaN;
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

const same = (a, b) => a === b || (a !== a && b !== b);

// A comparison with what is not known is not known, so neither side is taken.
const known = (a, b) => a === a && b === b;
const truth = (holds, a, b) => holds ? 1 : known(a, b) ? 0 : NaN;

/** Operations by their number, each with how many operands it has. */
const OPERANDS = [2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 2, 2];

/** Numbers from bytes, seven bits each, the lowest first. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  number() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

/** Operands that steps have at most. */
const MOST_OPERANDS = 3;

/** Steps, and the values of the inputs, constants and steps, in this order. */
class Steps {
  constructor(reader, inputs) {
    const constants = reader.number();
    const count = reader.number();
    this.first = inputs + constants;
    this.values = new Float64Array(this.first + count).fill(NaN);
    /** Which of the values are others than before. */
    this.changed = new Uint8Array(this.first + count);
    this.readConstants(reader.take(8 * constants), inputs, constants);
    this.operations = reader.take(count);
    this.operands = new Uint32Array(MOST_OPERANDS * count);
    for (let operand = 0; operand < MOST_OPERANDS; operand++) this.readOperands(reader, operand);
  }

  readConstants(bytes, inputs, count) {
    const view = new DataView(new ArrayBuffer(8));
    for (let at = 0; at < count; at++) {
      for (let byte = 0; byte < 8; byte++) view.setUint8(byte, bytes[byte * count + at]);
      this.values[inputs + at] = view.getFloat64(0, true);
    }
  }

  /** Operands that a step does not have are its first one. */
  readOperands(reader, operand) {
    const { operations, operands, first } = this;
    for (let at = 0; at < operations.length; at++) {
      const place = MOST_OPERANDS * at;
      if (OPERANDS[operations[at]] <= operand) { operands[place + operand] = operands[place]; continue; }
      const value = reader.number();
      operands[place + operand] = value % 2 === 1 ? (value - 1) / 2 : first + at - value / 2 - 1;
    }
  }

  /** Takes values of inputs, and computes what follows from those that changed. */
  follow(inputs) {
    const { values, changed } = this;
    for (let at = 0; at < inputs.length; at++) {
      changed[at] = Number(!same(values[at], inputs[at]));
      values[at] = inputs[at];
    }
    this.run(0, this.operations.length, false);
  }

  /** Computes the steps from one up to another, all or those of which an operand changed. */
  run(from, to, isAll) {
    const { values, changed, operations, operands, first } = this;
    for (let at = from; at < to; at++) {
      const place = MOST_OPERANDS * at;
      const a = operands[place];
      const b = operands[place + 1];
      const c = operands[place + 2];
      if (!isAll && (changed[a] | changed[b] | changed[c]) === 0) { changed[first + at] = 0; continue; }
      const x = values[a];
      const y = values[b];
      let value;
      switch (operations[at]) {
        case 0: value = x + y; break;
        case 1: value = x * y; break;
        case 2: value = x / y; break;
        case 3: value = pow(x, y); break;
        case 4: value = Math.min(x, y); break;
        case 5: value = Math.max(x, y); break;
        case 6: value = Math.ceil(x); break;
        case 7: value = Math.floor(x); break;
        case 8: value = Math.trunc(x); break;
        case 9: value = Math.abs(x); break;
        case 10: value = treeStages(x); break;
        case 11: value = truth(x < y, x, y); break;
        case 12: value = truth(x <= y, x, y); break;
        case 13: value = truth(x > y, x, y); break;
        case 14: value = truth(x >= y, x, y); break;
        case 15: value = truth(x === y, x, y); break;
        case 16: value = truth(x !== y && known(x, y), x, y); break;
        case 17: value = x === 1 ? y : x === 0 ? values[c] : NaN; break;
        case 18: value = !known(x, y) ? NaN : x === 1 ? y : 0; break;
        default: value = commonDivisor(Math.trunc(x), Math.trunc(y));
      }
      changed[first + at] = Number(!same(value, values[first + at]));
      values[first + at] = value;
    }
  }
}

/** Everything that follows from the inputs. */
class Formulas {
  constructor(bytes) {
    const reader = new Reader(bytes);
    const inputs = reader.number();
    this.following = new Steps(reader, inputs);
    this.steps = new Steps(reader, inputs);
    let end = 0;
    const count = reader.number();
    /** Inputs that follow from others, each after all that it mentions. */
    this.definitions = Array.from({ length: count }, () => {
      const input = reader.number();
      const start = end;
      end += reader.number();
      return { input, start, end, place: reader.number() };
    });
    this.places = this.readPlaces(reader);
    /** Values of inputs; what is unknown is not a number. */
    this.inputs = this.following.values.subarray(0, inputs);
    this.steps.run(0, this.steps.operations.length, true);
  }

  /** Where the values of figures are. */
  readPlaces(reader) {
    const places = new Uint32Array(reader.number());
    let place = 0;
    for (let at = 0; at < places.length; at++) {
      const distance = reader.number();
      place += distance % 2 === 1 ? -(distance + 1) / 2 : distance / 2;
      places[at] = place;
    }
    return places;
  }

  /** The value of a figure, now or when all values were copied. */
  figure(figure, values = this.steps.values) {
    return values[this.places[figure]];
  }

  /** Computes what follows from the inputs; what is set does not follow. `absent` is what counts where an input is unknown. */
  run(isSet, absent) {
    for (const { input, start, end, place } of this.definitions) {
      if (isSet(input)) continue;
      this.following.run(start, end, true);
      this.inputs[input] = this.following.values[place];
    }
    const taken = this.inputs.slice();
    for (const [input, value] of absent) if (Number.isNaN(taken[input])) taken[input] = value;
    this.steps.follow(taken);
  }
}
