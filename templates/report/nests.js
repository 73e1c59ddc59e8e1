// What a nest is about: its source, its stencils, layer conditions, time by bound, and advice. Opened in its row.

const opened = new Set();

function toggleNest(nest) {
  if (opened.has(nest)) opened.delete(nest); else opened.add(nest);
  tableOf("nests").render();
}

/** Opens a nest in the table, on the page where it is, and goes there. */
function showNest(nest) {
  opened.add(nest);
  const table = tableOf("nests");
  const at = table.rows().indexOf(nest);
  if (at >= 0 && table.page.size !== Infinity) table.page.first = at - at % table.page.size;
  table.render();
  const target = document.getElementById(`nest-${nest}`);
  target?.scrollIntoView({ block: "start" });
  target?.focus({ preventScroll: true });
}

/** The name of a nest, which opens and closes it. */
function linkToNest(nest, text) {
  const link = element("button", { type: "button", class: "link nest", "aria-expanded": opened.has(nest), "aria-controls": `nest-${nest}` },
    element("span", { "aria-hidden": "true", class: "turn" }, opened.has(nest) ? "▾" : "▸"), ` ${text}`);
  link.onclick = () => {
    toggleNest(nest);
    document.querySelector(`[aria-controls="nest-${nest}"]`)?.focus({ preventScroll: true });
  };
  return link;
}

/** The row below the row of a nest. */
function nestDetails(nest, columns) {
  const place = data.nests[nest];
  const detail = place.detail;
  const parts = [element("p", { class: "remark" }, `${place.file}:${place.line}`, data.live[nest] ? "" : " ⚓ These figures do not follow the inputs: see the summary.")];
  parts.push(...reasons(place), element("div", { class: "beside" }, source(place), ...(detail ? [stencils(detail)] : [])));
  if (detail) parts.push(streams(detail), conditions(detail), element("div", { class: "beside" }, ...staircase(detail), ...whyItMoves(detail)), times(detail), ...advice(detail));
  const box = element("div", { class: "detail", id: `nest-${nest}`, tabindex: -1, role: "region", "aria-label": place.id }, ...parts);
  return element("tr", { class: "details" }, element("td", { colspan: columns }, box));
}

function source(place) {
  const lines = data.lines[place.file];
  if (!lines) return element("p", { class: "remark" }, "The source could not be read when this page was written.");
  const code = element("code");
  for (let number = place.first; number <= place.last && String(number) in lines; number++) {
    const name = place.starts.includes(number) ? "line start" : "line";
    code.append(element("span", { class: name }, element("span", { class: "number" }, String(number)), ` ${lines[number]}\n`));
  }
  const box = element("div", { class: "wide source", tabindex: 0, role: "region", "aria-label": `Source of ${place.id}` }, element("pre", {}, code));
  const left = place.end - place.last;
  if (left > 0) box.append(element("p", { class: "remark" }, `… ${left} more ${left === 1 ? "line" : "lines"}, to line ${place.end}`));
  return box;
}

const COLUMN = { bytes: { unit: "B", look: "count" }, seconds: { unit: "s", look: "seconds" }, size: { unit: "", look: "count" } };

/** Headings of numbers among the first ones. */
const RIGHT = ["Bytes", "Time"];

/** A small table in the details. */
function small(caption, headers, rows) {
  const heads = headers.map((header, at) => element("th", { scope: "col", class: at < 3 && !RIGHT.includes(header) ? "text" : false }, header));
  const table = element("table", { class: "data small" }, element("caption", { class: "hidden" }, caption), element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
  // A caption would be as wide as its table, which may go on beyond what is in sight.
  const heading = element("p", { class: "caption", "aria-hidden": "true" }, caption);
  return element("div", {}, heading, element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption }, table));
}

function streams({ streams }) {
  const rows = streams.map(({ name, access, type, shape, points, footprint }) => element("tr", {},
    element("th", { scope: "row" }, name), element("td", { class: "text" }, `${access}, ${type}`),
    element("td", { class: "text" }, points > 1 ? `${shape} of ${points} points` : shape), bind(element("td"), footprint, COLUMN.bytes)));
  return small("Streams", ["Array", "Access", "Shape", "Footprint"], rows);
}

/** How far a polynomial of a working set may be off to be shown. */
const ROUGHLY = 0.04;

function conditions({ conditions, caches }) {
  if (conditions.length === 0) return element("p", { class: "remark" }, "No layer conditions: nothing is reused.");
  const rows = conditions.map(({ carrier, arrays, symbols, sum, distance, again, sizes }) => {
    const now = f(distance);
    const holds = sum !== null && Math.abs(f(sum) - now) <= ROUGHLY * now;
    const fits = caches.map(({ capacity }, cache) => {
      const does = now <= f(capacity);
      const cell = element("td", { class: does ? "fits" : "misses" }, does ? "✓ " : "✗ ");
      const [name, largest] = sizes.find(([, figures]) => f(figures[cache]) >= 1 && f(figures[cache]) < 1e15) ?? [];
      if (name) cell.append(`to ${name} = `, bind(element("span"), largest[cache], COLUMN.size));
      return cell;
    });
    return element("tr", {}, element("th", { scope: "row" }, carrier), element("td", { class: "text long" }, arrays),
      element("td", { class: "text" }, holds ? `${symbols} ≈` : ""), bind(element("td"), distance, COLUMN.bytes), ...fits, bind(element("td"), again, COLUMN.bytes));
  });
  const names = caches.map(({ name, capacity }) => element("span", {}, `${name}, `, bind(element("span"), capacity, COLUMN.bytes)));
  return small("Layer conditions: what must fit in cache for a loop to reuse its data, and the largest size at which it does, varying one size at a time",
    ["Loop", "Reuses", "Working set", "Now", ...names, "Else moved again"], rows);
}

/** Time by bound, the slowest in bold. */
function times({ times }) {
  const known = times.map(({ seconds }) => f(seconds)).filter(Number.isFinite);
  const slowest = known.length ? Math.max(...known) : NaN;
  const rows = times.map(({ name, bytes, seconds }) => {
    const bar = element("td", { class: "bar" }, element("span"));
    bar.firstChild.style.width = `${slowest > 0 ? 100 * f(seconds) / slowest : 0}%`;
    return element("tr", { class: f(seconds) === slowest && slowest > 0 ? "slowest" : false }, element("th", { scope: "row" }, name),
      bytes === null ? element("td") : bind(element("td"), bytes, COLUMN.bytes), bind(element("td"), seconds, COLUMN.seconds), bar);
  });
  return small("Time by bound: the slowest hides the others", ["Part", "Bytes", "Time", ""], rows);
}

function advice({ advice }) {
  if (advice.length === 0) return [];
  return [element("p", {}, "Advice, as written:"), element("ul", {}, ...advice.map(text => element("li", {}, text)))];
}

function reasons(place) {
  const items = place.reasons.map(([code, line, detail]) => element("li", {}, element("code", {}, code), ` line ${line}: ${detail}`));
  const ratio = code => code === "check_failed" && place.disagreement ? ` ${place.disagreement.toPrecision(3)} times the bytes of a run` : "";
  items.push(...place.codes.map(code => element("li", {}, element("code", {}, code), ratio(code))));
  return items.length === 0 ? [] : [element("p", { class: "remark" }, "* Not understood or only estimated, and therefore omitted or approximate in these figures:"), element("ul", { class: "reasons" }, ...items)];
}

const hasStar = nest => data.nests[nest].star;

/** Cells of a drawing, and how far from the middle offsets may be to be drawn. */
const CELL = 13;
const FARTHEST = 8;
const DRAWN = 4;

function stencils({ streams }) {
  const drawnStreams = streams.filter(({ points, offsets }) => points > 1 && offsets.length > 0).slice(0, DRAWN);
  return element("div", { class: "stencils" }, ...drawnStreams.map(stencil));
}

/** Offsets as points: the contiguous dimension to the right, the next one up, slices for all others. */
function stencil({ name, offsets, points }) {
  const label = `${name}: ${points} points`;
  const figure = element("figure", {}, element("figcaption", {}, label));
  const far = Math.max(...offsets.flatMap(offset => offset.slice(0, 2).map(Math.abs)));
  const slices = new Map();
  for (const [x, y = 0, ...rest] of offsets) {
    const key = rest.join(", ");
    if (!slices.has(key)) slices.set(key, []);
    slices.get(key).push([x, y]);
  }
  if (far > FARTHEST || slices.size > 9) {
    figure.append(element("p", { class: "remark" }, "too wide to draw"));
    return figure;
  }
  const rank = offsets[0].length;
  const [across, up] = [far, rank > 1 ? far : 0];
  const [width, height] = [(2 * across + 1) * CELL, (2 * up + 1) * CELL];
  const svg = drawn("svg", { width: (width + 10) * slices.size, height: height + 18, role: "img", class: "stencil" });
  svg.append(drawn("title", {}, `${label}: ${offsets.map(offset => `(${offset.join(", ")})`).join(" ")}`));
  const inOrder = [...slices].sort(([a], [b]) => Number(a) - Number(b) || 0);
  inOrder.forEach(([key, cells], at) => {
    const left = at * (width + 10) + 1;
    for (let x = -across; x <= across; x++) for (let y = -up; y <= up; y++) {
      const isIn = cells.some(([a, b]) => a === x && b === y);
      svg.append(drawn("rect", { x: left + (x + across) * CELL, y: 1 + (up - y) * CELL, width: CELL - 1, height: CELL - 1, class: `${isIn ? "in" : "out"}${x === 0 && y === 0 ? " middle" : ""}` }));
    }
    if (rank > 2) svg.append(drawn("text", { x: left + width / 2, y: height + 14, "text-anchor": "middle" }, key));
  });
  figure.append(svg);
  return figure;
}
