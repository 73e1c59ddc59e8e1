// The page: totals, and everything that follows an edit.

const tables = [];
/** What follows an edit: where it is, and how. */
const parts = [];
/** Parts that show figures of before the last edit. */
const stale = new Set();
let isPending = false;

/** Calls when there is time, at the latest after half a second. */
const whenIdle = window.requestIdleCallback ? work => requestIdleCallback(work, { timeout: 500 }) : work => setTimeout(() => work({ timeRemaining: () => 5 }), 50);

/** After inputs changed. Many edits before the next picture are shown at once. */
function edited() {
  compute();
  showState();
  if (isPending) return;
  isPending = true;
  requestAnimationFrame(() => { isPending = false; showAll(); whenIdle(writeAddress); });
}

/** Shows the figures of now: first what is seen, the rest when there is time. */
function showAll() {
  parts.forEach(part => stale.add(part));
  if (options.rows === "all") showStale(() => true);
  else { showSeen(); whenIdle(showUnseen); }
}

function showStale(isMeant) {
  for (const part of [...stale].filter(isMeant)) {
    stale.delete(part);
    part.follow();
  }
}

function isSeen({ place }) {
  const { top, bottom } = place.getBoundingClientRect();
  return bottom > top && bottom >= 0 && top <= window.innerHeight;
}

/** What is in the window; all places are asked for before anything changes them. */
function showSeen() {
  if (stale.size > 0) showStale(isSeen);
}

function showUnseen(deadline) {
  const began = deadline.timeRemaining();
  for (const part of stale) {
    stale.delete(part);
    part.follow();
    if (deadline.timeRemaining() < began / 2) break;
  }
  if (stale.size > 0) whenIdle(showUnseen);
}

/** Everything that follows an edit. Drawings that are closed follow when they are opened. */
function collectParts() {
  const byId = id => document.getElementById(id);
  const add = (place, follow) => parts.push({ place, follow });
  add(byId("bar"), () => refreshIn(byId("bar")));
  add(byId("summary"), () => { refreshIn(byId("summary")); drawShares(); });
  add(byId("inputs"), showInputs);
  add(byId("roofline"), drawRoofline);
  tables.forEach(table => add(byId(table.spec.id), () => table.follow()));
  maps.forEach(map => add(map.box, () => map.follow()));
  if (data.scatter) add(byId("scatter"), drawScatter);
  for (const graph of document.querySelectorAll("details.graph")) {
    add(graph, () => { if (graph.open || options.rows === "all") refreshIn(graph); else refreshIn(graph.firstElementChild); });
    graph.addEventListener("toggle", () => refreshIn(graph));
  }
}

function showInputs() {
  document.querySelectorAll("[data-input]").forEach(control => showInput(control, false));
  showMachines();
  showChanged();
}

/** How many inputs are not as written, and which machine counts. */
function showState() {
  const names = [...overrides.keys()].map(index => inputs[index].name);
  const few = names.length > 4 ? `${names.slice(0, 4).join(", ")} …` : names.join(", ");
  const machine = picked.machine < 0 ? "" : `on ${data.presets[picked.machine].name}, `;
  document.getElementById("state").textContent = machine + (names.length === 0 ? "inputs as written" : `${names.length} ${names.length === 1 ? "input" : "inputs"} changed: ${few}`);
  document.getElementById("reset").disabled = names.length === 0 && picked.machine < 0 && picked.other < 0 && !document.querySelector("[aria-invalid=true]");
  const beside = document.getElementById("beside");
  beside.hidden = onOther === null;
  if (onOther === null) return;
  const { name } = data.presets[picked.other];
  const [, total] = data.totals.find(([, , unit]) => unit === "s") ?? [];
  if (total === undefined) return;
  const [here, there] = [f(total), formulas.figure(total, onOther)];
  beside.textContent = `On ${name}, with that machine as it is: ${shown(there, { unit: "s", look: "seconds" })} instead of ${shown(here, { unit: "s", look: "seconds" })}`
    + (here > 0 && there > 0 ? `, ${ratio(here / there)} times as fast.` : ".");
}

/** What bounds a nest. */
function boundOf(nest) {
  const { rows } = tableOf("nests").spec;
  return sortValue(rows[nest][data.bound_column]);
}

/** The time of all nests by what bounds them, as one bar. */
function drawShares() {
  const sums = new Map();
  data.roofline.points.forEach(([, , seconds], nest) => {
    const value = seconds === null ? NaN : f(seconds);
    if (!(value > 0 && Number.isFinite(value))) return;
    const bound = boundOf(nest);
    sums.set(bound, (sums.get(bound) ?? 0) + value);
  });
  const all = [...sums.values()].reduce((sum, value) => sum + value, 0);
  const shares = [...sums].sort((a, b) => b[1] - a[1]).map(([name, value]) => ({ name, share: 100 * value / all, colour: `bound-${colourOf(name)}` }));
  const parts = shares.map(({ name, share, colour }) => {
    const part = element("div", { class: colour, title: `${name}: ${share.toFixed(1)} %` }, share > 9 ? `${name} ${share.toFixed(1)} %` : "");
    part.style.width = `${share}%`;
    return part;
  });
  document.getElementById("bounds").replaceChildren(...parts);
  // Narrow parts of the bar have no room for their names.
  const key = shares.map(({ name, share, colour }) => element("li", {}, element("span", { class: colour }), `${name} ${share.toFixed(1)} %`));
  document.getElementById("bounds-key").replaceChildren(...key);
  document.getElementById("bounds-title").hidden = parts.length === 0;
}

function totals(list, entries) {
  for (const [name, figure, unit, look] of entries) {
    const value = bind(element("dd"), figure, { unit, look });
    list.append(element("div", {}, element("dt", {}, name), value));
  }
}

/** Shows a section, open. */
function goTo(section) {
  const folder = section.querySelector("details.folder");
  if (folder) folder.open = true;
  section.scrollIntoView();
  section.focus({ preventScroll: true });
}

function sectionLinks() {
  const list = document.getElementById("sections");
  for (const section of document.querySelectorAll("main > section")) {
    const title = section.querySelector("h2");
    if (!title) { section.hidden = true; continue; }
    const link = element("a", { href: `#${section.id}` }, title.textContent);
    // The address keeps the inputs.
    link.onclick = event => { event.preventDefault(); goTo(section); };
    list.append(element("li", {}, link));
  }
}

function complain(problems) {
  const place = document.getElementById("problem");
  place.hidden = problems.length === 0;
  place.textContent = problems.length ? `Not taken from the address: ${problems.join("; ")}` : "";
}

function reset() {
  overrides.clear();
  Object.assign(picked, { machine: -1, other: -1 });
  for (const control of document.querySelectorAll("[data-input]")) {
    control.setAttribute("aria-invalid", "false");
    control.parentElement.querySelector(".problem").textContent = "";
  }
  complain([]);
  edited();
  document.querySelectorAll("[data-input]").forEach(control => showInput(control, true));
}

/** Paper has no buttons to turn pages with. */
function showAllForPrint(isPrinted) {
  showStale(() => true);
  tables.forEach(table => table.print(isPrinted));
}

/** Lines of the coverage that are seen at once. */
const COVERAGE_LINES = 8;

/** What the page as a whole says of itself. */
function introduce() {
  const { name, title, about } = data.machine;
  document.getElementById("machine-name").textContent = `Machine: ${title} (${name}). ${about}`;
  const once = data.totals.map(([name, ...rest], at) => [at < data.headline[0] ? `${name}, each nest once` : name, ...rest]);
  totals(document.getElementById("totals"), once);
  totals(document.getElementById("totals-bar"), data.totals.slice(...data.headline));
  const lines = data.coverage.map(([what, number]) => element("div", {}, element("dt", {}, what), element("dd", {}, count(number))));
  document.getElementById("coverage").append(...lines.slice(0, COVERAGE_LINES));
  const rest = document.getElementById("coverage-rest");
  rest.hidden = lines.length <= COVERAGE_LINES;
  rest.append(element("summary", {}, `${lines.length - COVERAGE_LINES} more`), element("dl", { class: "figures" }, ...lines.slice(COVERAGE_LINES)));
  const others = data.live.filter(live => !live).length;
  const first = data.live.length - others;
  document.getElementById("limits").textContent = others === 0 ? "" :
    `A page cannot compute all ${data.live.length} nests. The ${first} costliest follow the inputs, with their arrays, cache levels, layer conditions and registers. `
    + `The other ${others}, marked \u2693, keep the figures of the report as written, in totals too, and are listed with fewer columns: `
    + `JSON and --tables have all of every nest, and --function narrows a report.`;
  for (const [name, paragraphs] of Object.entries(data.notes)) {
    const list = element("dl", { class: "notes" });
    paragraphs.forEach(([what, text]) => list.append(element("dt", {}, what), element("dd", {}, text)));
    document.getElementById("notes").append(element("h3", {}, name), list);
  }
}

function start(unpacked) {
  take(unpacked);
  complain(readAddress());
  if (overrides.size > 0 || picked.machine >= 0 || picked.other >= 0) compute();
  if (options.rows === "all") data.nests.forEach((nest, index) => opened.add(index));
  introduce();
  startPanel();
  if (data.scatter) startScatter();
  startMaps();
  for (const spec of data.tables) tables.push(new DataTable(spec));
  collectParts();
  sectionLinks();
  document.getElementById("reset").onclick = reset;
  document.getElementById("to-inputs").onclick = event => { event.preventDefault(); goTo(document.getElementById("inputs")); };
  window.addEventListener("hashchange", () => { if (location.hash.includes("=")) { complain(readAddress()); compute(); showState(); showAll(); } });
  window.addEventListener("scroll", showSeen, { passive: true });
  NARROW.addEventListener("change", () => { drawRoofline(); drawScatter(); });
  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("details.graph").forEach(graph => { graph.open = true; });
    showAllForPrint(true);
  });
  window.addEventListener("afterprint", () => showAllForPrint(false));
  showState();
  parts.forEach(part => part.follow());
  document.documentElement.dataset.milliseconds = Math.round(performance.now());
  document.documentElement.dataset.ready = "true";
}

const ready = unpackAll().then(start).catch(error => {
  const place = document.getElementById("problem");
  place.hidden = false;
  place.textContent = error.message;
  throw error;
});
