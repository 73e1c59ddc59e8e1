// What a nest moves through a cache, over its size, and what moves at each level and why; drawn anew whenever its row is.

const STAIRS = { height: 300, left: 62, right: 14, top: 44, bottom: 44 };
/** How much farther than its corners it is drawn, how far below the nearest cache; most over least bytes of an axis from zero. */
const BEYOND = 4;
const BELOW = 16;
const WIDE = 20;

/** As wide as there is room for, so that text stays as large. */
const stairsWidth = () => NARROW.matches ? 370 : 560;

/** Corners, the smallest capacity first: `{ capacity, before, after, step }`; null where something is not known. */
function corners({ least, steps }) {
  const bottom = f(least[0]) + f(least[1]);
  const known = steps.map(([capacity, fetched, written], step) => ({ capacity: f(capacity), cost: f(fetched) + f(written), step }));
  if (!Number.isFinite(bottom) || known.some(({ capacity, cost }) => !Number.isFinite(capacity + cost))) return null;
  known.sort((a, b) => a.capacity - b.capacity);
  let bytes = known.reduce((sum, { cost }) => sum + cost, bottom);
  const found = known.map(({ capacity, cost, step }, at) => {
    const before = bytes;
    bytes = at + 1 === known.length ? bottom : bytes - cost;
    return { capacity, before, after: bytes, step };
  });
  return { bottom, found };
}

/** A size in the largest binary unit without a fraction. */
function binary(bytes) {
  const [size, name] = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]].find(([size]) => bytes >= size && bytes % size === 0) ?? [1, "B"];
  return `${bytes / size} ${name}`;
}

function staircase(detail) {
  const stairs = detail.staircase && corners(detail.staircase);
  if (!stairs) return [];
  const caches = detail.caches.map(({ name, capacity, bytes }) => ({ name, capacity: f(capacity), bytes: f(bytes) }))
    .filter(({ capacity, bytes }) => capacity > 0 && Number.isFinite(bytes));
  const sizes = [...caches.map(cache => cache.capacity), ...stairs.found.map(corner => Math.max(1, corner.capacity))];
  if (sizes.length === 0) return [];
  const nearest = Math.min(...caches.map(cache => cache.capacity));
  const [low, high] = [Math.max(1, Math.min(...sizes) / BEYOND, nearest === Infinity ? 0 : nearest / BELOW), Math.max(...sizes) * BEYOND];
  const shown = stairs.found.filter(({ capacity }) => capacity >= low);
  const first = shown.length ? shown[0].before : stairs.bottom;
  const amounts = [stairs.bottom, first, ...caches.map(cache => cache.bytes)].filter(bytes => bytes > 0);
  const [fewest, most] = [Math.min(...amounts), Math.max(...amounts)];
  const byPowers = amounts.length > 0 && most > WIDE * fewest;
  const width = stairsWidth();
  const { height, left, right, top, bottom } = STAIRS;
  const atX = size => left + Math.log(Math.max(size, low) / low) / Math.log(high / low) * (width - left - right);
  const [from, to] = byPowers ? [10 ** Math.floor(Math.log10(fewest)), 10 ** Math.ceil(Math.log10(most))] : [0, amounts.length ? most * 1.08 : 1];
  const share = bytes => byPowers ? Math.log(Math.max(bytes, from) / from) / Math.log(to / from) : bytes / to;
  const atY = bytes => height - bottom - share(bytes) * (height - top - bottom);
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "stairs" });
  const told = caches.map(({ name, capacity, bytes }) => `${name} of ${withPrefix(capacity, "B")}: ${withPrefix(bytes, "B")}`).join("; ");
  const falls = shown.filter(({ before, after }) => before > after);
  svg.append(drawn("title", {}, `Bytes through a cache over its size: from ${withPrefix(first, "B")} down to ${withPrefix(stairs.bottom, "B")} in ${falls.length} steps. ${told}.`));
  drawStairAxes(svg, { low, high, from, to, byPowers }, atX, atY);
  let path = `M${atX(low)},${atY(first)}`;
  for (const { capacity, after } of shown) path += `H${atX(capacity)}V${atY(after)}`;
  path += `H${atX(high)}`;
  svg.append(drawn("path", { class: "under", d: `${path}V${height - bottom}H${atX(low)}Z` }), drawn("path", { class: "line", d: path }));
  for (const { capacity, before, after, step } of falls) {
    const mark = drawn("rect", { class: "step", x: atX(capacity) - 4, y: Math.min(atY(before), atY(after) - 8), width: 8, height: Math.max(8, atY(after) - atY(before)) });
    mark.append(drawn("title", {}, `From ${withPrefix(capacity, "B")} on, ${detail.staircase.names[step]}: ${withPrefix(before - after, "B")} less`));
    svg.append(mark);
  }
  caches.forEach(({ name, capacity, bytes }, at) => {
    const x = atX(capacity);
    svg.append(drawn("line", { class: "cache", x1: x, x2: x, y1: top - 6, y2: height - bottom }), drawn("circle", { class: "cache", cx: x, cy: atY(bytes), r: 4.5 }),
      drawn("text", { class: "cache", x, y: top - 10 - 13 * (at % 2), "text-anchor": "middle" }, `${name}: ${withPrefix(bytes, "B")}`));
  });
  const caption = "Bytes through a cache by its size: where the line drops, a cache holds one more reuse. Points are the machine's caches.";
  return [element("figure", { class: "chart" }, element("figcaption", {}, caption), svg)];
}

function drawStairAxes(svg, { low, high, from, to, byPowers }, atX, atY) {
  const width = stairsWidth();
  const { height, left, right, top, bottom } = STAIRS;
  const [first, last] = [Math.ceil(Math.log2(low)), Math.floor(Math.log2(high))];
  const step = [1, 2, 5, 10].find(wide => (last - first) / wide <= (NARROW.matches ? 4 : 6)) ?? 10;
  for (let power = Math.ceil(first / step) * step; power <= last; power += step) {
    const x = atX(2 ** power);
    svg.append(drawn("line", { class: "grid", x1: x, x2: x, y1: top, y2: height - bottom }), drawn("text", { x, y: height - bottom + 16, "text-anchor": "middle" }, binary(2 ** power)));
  }
  const ticks = [];
  if (byPowers) for (let power = Math.round(Math.log10(from)); power <= Math.round(Math.log10(to)); power++) ticks.push(10 ** power);
  else {
    const power = 10 ** Math.floor(Math.log10(to / 5));
    const wide = [1, 2, 5, 10].find(factor => factor * power >= to / 5) * power;
    for (let tick = 0; tick * wide <= to; tick++) ticks.push(tick * wide);
  }
  for (const bytes of ticks) {
    const y = atY(bytes);
    svg.append(drawn("line", { class: "grid", x1: left, x2: width - right, y1: y, y2: y }), drawn("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, bytes === 0 ? "0" : withPrefix(bytes, "B")));
  }
  svg.append(drawn("text", { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, "capacity of the cache in bytes"));
}

/** Reuses with a colour of their own. */
const MOST_NAMED = 4;

/** What moves through each cache: once, and again for the reuses that it does not hold. */
function whyItMoves({ caches, staircase, behind }) {
  if (!staircase || caches.length === 0) return [];
  const once = f(staircase.least[0]) + f(staircase.least[1]);
  const again = staircase.steps.map(([capacity, fetched, written]) => ({ capacity: f(capacity), cost: f(fetched) + f(written) }));
  if (!Number.isFinite(once + again.reduce((sum, { capacity, cost }) => sum + capacity + cost, 0))) return [];
  const costly = again.map((_, step) => step).filter(step => again[step].cost > 0).sort((a, b) => again[b].cost - again[a].cost);
  const named = costly.slice(0, MOST_NAMED);
  const parts = caches.map(({ capacity }) => {
    const moved = step => again[step].capacity > f(capacity) ? again[step].cost : 0;
    const shares = [once, ...named.map(moved)];
    const rest = again.reduce((sum, _, step) => sum + (named.includes(step) ? 0 : moved(step)), 0);
    return costly.length > named.length ? [...shares, rest] : shares;
  });
  const most = Math.max(...parts.map(shares => shares.reduce((a, b) => a + b, 0)));
  if (!(most > 0)) return [];
  const names = ["once", ...named.map(step => `again: ${staircase.names[step]}`), "again: all others"].slice(0, parts[0].length);
  const rows = caches.map(({ name }, at) => {
    const bar = element("div", { class: "stack" });
    parts[at].forEach((bytes, part) => {
      if (bytes <= 0) return;
      const piece = element("span", { class: `part-${part}`, title: `${names[part]}: ${withPrefix(bytes, "B")}` });
      piece.style.width = `${100 * bytes / most}%`;
      bar.append(piece);
    });
    const sum = parts[at].reduce((a, b) => a + b, 0);
    return element("div", { class: "stacked" }, element("span", {}, `${name} – ${behind[at]}`), bar, element("span", {}, withPrefix(sum, "B")));
  });
  const key = names.map((name, part) => element("span", {}, element("span", { class: `key part-${part}` }), ` ${name}`));
  return [element("figure", { class: "chart" }, element("figcaption", {}, "Traffic between levels, and why it moves"), ...rows, element("p", { class: "keys" }, ...key))];
}
