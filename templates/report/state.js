// Inputs and the values that follow from them.

let data;
let inputs;
let formulas;
/** Values of all inputs; what is unknown is not a number. */
let s;
/** The value of a figure. */
const f = figure => formulas.figure(figure);
/** Values of inputs, and all that formulas come to, as the page was written. */
let written;
/** Inputs that follow from others. */
let derived;
/** What limits nothing where it is not known: inputs with the numbers that formulas then take. */
let absent;
/** What was set by hand: position of an input to number. */
const overrides = new Map();
/** Positions among the presets: the machine that counts, and the one beside it; none is the machine as written, or no other. */
const picked = { machine: -1, other: -1 };
/** What formulas come to on the other machine, if one is picked. */
let onOther = null;

function take(unpacked) {
  ({ data, formulas } = unpacked);
  inputs = data.inputs;
  ({ inputs: s } = formulas);
  derived = new Set(formulas.definitions.map(({ input }) => input));
  absent = inputs.flatMap(({ absent }, index) => absent == null ? [] : [[index, absent]]);
  for (const input of inputs) input.value ??= NaN;
  findBounds();
  compute();
  written = { s: s.slice(), values: formulas.steps.values.slice() };
}

/** What can bound nests: names, and the column of nests that has them. */
function findBounds() {
  const { columns, rows } = data.tables.find(table => table.id === "nests");
  data.bound_column = columns.findIndex(column => column.group === "Time" && column.header === "Bound by");
  const lists = new Set(rows.map(row => row[data.bound_column]).filter(Array.isArray).map(cell => cell[1]));
  data.bounds = [...new Set([...lists].flatMap(list => data.choices[list]))];
}

/** What an input is if nobody sets it: as the machine says that is picked, or as written. */
function base(index, preset = picked.machine) {
  const values = preset < 0 ? null : data.presets[preset].values;
  return values && index < values.length ? values[index] ?? NaN : inputs[index].value;
}

/** All figures on a machine; what was set by hand of the first one is not of another. */
function computeOn(preset, isOther) {
  const { length } = data.presets[0]?.values ?? [];
  for (let index = 0; index < inputs.length; index++) s[index] = base(index, preset);
  for (const [index, value] of overrides) if (!isOther || index >= length) s[index] = value;
  formulas.run(input => overrides.has(input), absent);
}

function compute() {
  onOther = null;
  if (picked.other >= 0) {
    computeOn(picked.other, true);
    onOther = formulas.steps.values.slice();
  }
  computeOn(picked.machine, false);
}

const isChanged = figure => !same(f(figure), formulas.figure(figure, written.values));

const SIZES = { "": 1, B: 1, KiB: 1024, MiB: 1048576, GiB: 1073741824, kB: 1e3, MB: 1e6, GB: 1e9 };

/** The number that a person typed, or why it is none: `{value}` or `{problem}`. */
function read(input, text) {
  text = text.trim();
  if (input.kind === "switch" && (text === "true" || text === "false")) text = text === "true" ? "1" : "0";
  let value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  const size = /^(\d+\.?\d*|\.\d+)\s*([A-Za-z]+)$/.exec(text);
  if (input.kind === "size" && size && SIZES[size[2]]) value = Number(size[1]) * SIZES[size[2]];
  const [least, most] = input.range;
  if (!Number.isFinite(value)) return { problem: input.kind === "size" ? "must be a number, or one with KiB, MiB, GiB, kB, MB or GB" : "must be a number" };
  if (value < least || value > most) return { problem: `must be from ${least} to ${most}` };
  if (input.whole && !Number.isInteger(value)) return { problem: "must be a whole number" };
  return { value };
}

/** Takes a text for an input; an empty one is the value as written. Returns what is wrong with it, if anything. */
function setInput(index, text) {
  const input = inputs[index];
  if (text.trim() === "") return void overrides.delete(index);
  if (input.fixed) return "cannot be changed here, because this level is not in the formulas: use --set and write the report again";
  const { value, problem } = read(input, text);
  if (problem) return problem;
  const isAsWritten = value === base(index) && !derived.has(index);
  if (isAsWritten) overrides.delete(index); else overrides.set(index, value);
}

/** The input of that name: as `--set` takes it. */
function inputNamed(name) {
  const compact = name.replace(/\s/g, "");
  const exact = inputs.findIndex(input => input.name === compact || input.label === compact);
  return exact >= 0 ? exact : inputs.findIndex(input => !input.exact && input.name.toLowerCase() === compact.toLowerCase());
}

/** Takes a machine by its name, as the one that counts or the one beside it; returns what is wrong with it, if anything. */
function pick(which, name) {
  const position = name === "" ? -1 : data.presets.findIndex(preset => preset.name === name);
  if (name !== "" && position < 0) return "is not a machine of this page";
  if (position >= 0 && data.presets[position].differs) return data.presets[position].differs;
  picked[which] = position;
}

/** Options of the address: `#machine=grace&set=nx=512&set=dram_gbs=100&rows=all&columns=all`. */
const options = { rows: "", columns: "" };

/** Takes inputs and options from the address; returns what could not be taken. */
function readAddress() {
  const fragment = location.hash.slice(1);
  if (!fragment.includes("=")) return fragment === "" || document.getElementById(fragment) ? [] : [`${fragment}: neither an input nor a section`];
  const problems = [];
  overrides.clear();
  Object.assign(picked, { machine: -1, other: -1 });
  for (const part of fragment.split("&")) {
    const [key, ...rest] = part.split("=");
    let text = rest.join("=");
    try { text = decodeURIComponent(text); } catch { problems.push(`${part}: not readable`); continue; }
    if (key in options) { options[key] = text; continue; }
    if (key in picked) {
      const problem = pick(key, text);
      if (problem) problems.push(`${text} ${problem}`);
      continue;
    }
    const [name, ...value] = text.split("=");
    const index = key === "set" ? inputNamed(name) : -1;
    if (index < 0) { problems.push(`${text || part}: no input is called so`); continue; }
    const problem = value.length === 0 ? "has no value" : setInput(index, value.join("="));
    if (problem) problems.push(`${text} ${problem}`);
  }
  return problems;
}

function writeAddress() {
  const sets = [...overrides].map(([index, value]) => `set=${encodeURIComponent(inputs[index].name)}=${value}`);
  const others = Object.entries(options).filter(([, text]) => text).map(([key, text]) => `${key}=${encodeURIComponent(text)}`);
  const machines = Object.entries(picked).filter(([, at]) => at >= 0).map(([key, at]) => `${key}=${data.presets[at].name}`);
  const fragment = [...machines, ...sets, ...others].join("&");
  // Some browsers refuse this for files; the page works without.
  try { history.replaceState(null, "", fragment ? `#${fragment}` : location.pathname + location.search); } catch { /* as said */ }
}
