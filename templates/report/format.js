// Numbers as they are shown.

const UNKNOWN = "unknown";
const PREFIXES = [[1e21, "Z"], [1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];

/** Seconds of a year, and from how many on times are in years. */
const YEAR = 365.25 * 86400;
const LONG = 1e8;

/** Three significant digits with a prefix: `61.1 MB`. Nobody counts kiloseconds. */
function withPrefix(value, unit) {
  if (value === 0) return `0 ${unit}`.trim();
  const size = Math.abs(value);
  if (unit === "s" && size >= LONG) return `${size < 1e6 * YEAR ? grouped((value / YEAR).toFixed(1)) : (value / YEAR).toExponential(2)} years`;
  if (unit === "s" && size >= 999.5) return `${grouped(value.toFixed(0))} s`;
  // There are no thousandths of a flop or a byte.
  if (["flop", "B"].includes(unit) && size < 0.9995 && size >= 0.001) return `${Number(value.toPrecision(3))} ${unit}`;
  const [scale, prefix] = PREFIXES.find(([scale]) => size >= scale * 0.9995) ?? PREFIXES[PREFIXES.length - 1];
  const scaled = value / scale;
  if (Math.abs(scaled) >= 1e5 || Math.abs(scaled) < 1e-2) return `${value.toExponential(2)} ${unit}`.trim();
  const digits = Math.abs(scaled) >= 99.95 ? 0 : Math.abs(scaled) >= 9.995 ? 1 : 2;
  return `${scaled.toFixed(digits)} ${prefix}${unit}`.trim();
}

/** A name that may go on on another line behind what joins its words, and nowhere else. */
function breakable(name) {
  return name.split(/(?<=[_.%>])(?=[^_.%>])/).flatMap((part, at) => at === 0 ? [part] : [element("wbr"), part]);
}

/** Digits in groups of three, with a narrow space that does not break. */
function grouped(text) {
  const [whole, fraction] = text.split(".");
  const groups = whole.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
  return fraction ? `${groups}.${fraction}` : groups;
}

/** Three decimals; more digits where that would leave none, powers of ten where there would be too many. */
function ratio(value) {
  const size = Math.abs(value);
  if (size !== 0 && size < 0.01) return value.toPrecision(3);
  return size >= 1e7 ? value.toExponential(3) : grouped(value.toFixed(3));
}

function count(value) {
  if (Math.abs(value) >= 1e15) return value.toExponential(3);
  return grouped(Number.isInteger(value) ? String(value) : Math.abs(value) < 0.01 ? value.toPrecision(3) : value.toFixed(2));
}

/** A value as its column shows it. */
function shown(value, column) {
  if (!Number.isFinite(value)) return UNKNOWN;
  if (["B", "flop", "s"].includes(column.unit) && column.look !== "number") return withPrefix(value, column.unit);
  switch (column.look) {
    // What rounds to nothing has no sign.
    case "share": return `${(Math.abs(value) < 0.0005 ? 0 : 100 * value).toFixed(1)} %`;
    case "ratio": return ratio(value);
    case "count": return count(value);
    case "exact": return grouped(String(Number(value.toPrecision(12))));
    default: return String(Number(value.toPrecision(6)));
  }
}
