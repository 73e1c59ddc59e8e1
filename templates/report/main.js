// The page: inputs, totals, and everything that follows an edit.

/** The control of one input. */
function inputControl(index) {
  const input = inputs[index];
  const isSwitch = input.kind === "switch";
  const control = element("input", {
    type: isSwitch ? "checkbox" : "text", "data-input": index, "aria-label": `${input.label} (${input.name})`,
    inputmode: isSwitch ? false : "decimal", autocomplete: "off", spellcheck: "false", disabled: input.fixed,
    size: isSwitch ? false : 14,
  });
  const undo = element("button", { type: "button", class: "undo", "aria-label": `Reset ${input.name}` }, "↺");
  const problem = element("span", { class: "problem", id: `problem-${index}` });
  const typed = () => {
    const wrong = setInput(index, isSwitch ? String(control.checked) : control.value);
    control.setAttribute("aria-invalid", wrong ? "true" : "false");
    if (wrong) control.setAttribute("aria-describedby", problem.id); else control.removeAttribute("aria-describedby");
    problem.textContent = wrong ?? "";
    if (!wrong) edited();
  };
  control.oninput = typed;
  // What was typed is shown as the number that it is.
  control.onchange = () => { if (control.getAttribute("aria-invalid") !== "true") showInput(control, true); };
  undo.onclick = () => { overrides.delete(index); control.setAttribute("aria-invalid", "false"); problem.textContent = ""; edited(); showInput(control, true); control.focus(); };
  const box = element("span", { class: "input" }, control, undo, problem);
  showInput(control, true);
  return box;
}

/** Shows the value that an input has now, unless somebody is typing there. */
function showInput(control, always) {
  const index = Number(control.dataset.input);
  const isOverridden = overrides.has(index);
  const box = control.parentElement;
  if (always || document.activeElement !== control) {
    if (control.type === "checkbox") control.checked = s[index] !== 0;
    else if (control.getAttribute("aria-invalid") !== "true") control.value = Number.isFinite(s[index]) ? String(s[index]) : "";
  }
  control.dataset.value = s[index];
  const differs = !same(s[index], written.s[index]);
  control.classList.toggle("changed", differs);
  control.classList.toggle("derived", definitions.has(index) && !isOverridden);
  control.classList.toggle("guessed", Boolean(inputs[index].guessed) && !isOverridden);
  control.placeholder = UNKNOWN;
  control.title = differs ? `as written: ${Number.isFinite(written.s[index]) ? written.s[index] : UNKNOWN}` : "";
  const undo = box?.querySelector(".undo");
  if (undo) undo.hidden = !isOverridden;
}

const tables = [];
let isPending = false;

/** After inputs changed. Many edits before the next picture are shown at once. */
function edited() {
  compute();
  writeAddress();
  showState();
  if (isPending) return;
  isPending = true;
  requestAnimationFrame(() => { isPending = false; showAll(); });
}

function showAll() {
  tables.forEach(table => table.follow());
  document.querySelectorAll("[data-figure]").forEach(refresh);
  document.querySelectorAll("[data-input]").forEach(control => showInput(control, false));
  drawRoofline();
  maps.forEach(map => map.follow());
  drawScatter();
  showState();
}

/** How many inputs are not as written. */
function showState() {
  const names = [...overrides.keys()].map(index => inputs[index].name);
  const few = names.length > 4 ? `${names.slice(0, 4).join(", ")} …` : names.join(", ");
  document.getElementById("state").textContent = names.length === 0 ? "inputs as written" : `${names.length} ${names.length === 1 ? "input" : "inputs"} changed: ${few}`;
  document.getElementById("reset").disabled = names.length === 0 && !document.querySelector("[aria-invalid=true]");
}

function totals(list, entries) {
  for (const [name, figure, unit, look] of entries) {
    const value = bind(element("dd"), figure, { unit, look });
    list.append(element("div", {}, element("dt", {}, name), value));
  }
}

function sectionLinks() {
  const list = document.getElementById("sections");
  for (const section of document.querySelectorAll("main > section")) {
    const title = section.querySelector("h2");
    if (!title) { section.hidden = true; continue; }
    const link = element("a", { href: `#${section.id}` }, title.textContent);
    // The address keeps the inputs.
    link.onclick = event => { event.preventDefault(); section.scrollIntoView(); section.focus({ preventScroll: true }); };
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
  tables.forEach(table => table.print(isPrinted));
  printCards(isPrinted);
}

function start() {
  complain(readAddress());
  compute();
  const { name, title, about } = data.machine;
  document.getElementById("machine-name").textContent = `Machine: ${title} (${name}). ${about}`;
  totals(document.getElementById("totals"), data.totals);
  totals(document.getElementById("totals-bar"), data.totals.slice(0, 3));
  for (const [what, number] of data.coverage) {
    document.getElementById("coverage").append(element("div", {}, element("dt", {}, what), element("dd", {}, count(number))));
  }
  const others = data.live.filter(live => !live).length;
  const first = data.live.length - others;
  document.getElementById("limits").textContent = others === 0 ? "" :
    `A page cannot compute all ${data.live.length} nests. The ${first} costliest follow the inputs, with their arrays, cache levels, layer conditions and registers. `
    + `The other ${others}, marked \u2693, keep the figures of the report as written, in totals too, and are listed with fewer columns: `
    + `JSON and --tables have all of every nest, and --function narrows a report.`;
  if (data.scatter) startScatter();
  startMaps();
  for (const spec of data.tables) tables.push(new DataTable(spec));
  for (const [name, paragraphs] of Object.entries(data.notes)) {
    const list = element("dl", { class: "notes" });
    paragraphs.forEach(([what, text]) => list.append(element("dt", {}, what), element("dd", {}, text)));
    document.getElementById("notes").append(element("h3", {}, name), list);
  }
  startCards();
  sectionLinks();
  document.getElementById("reset").onclick = reset;
  window.addEventListener("hashchange", () => { if (location.hash.includes("=")) { complain(readAddress()); compute(); showAll(); } });
  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("details.graph").forEach(graph => { graph.open = true; });
    showAllForPrint(true);
  });
  window.addEventListener("afterprint", () => showAllForPrint(false));
  showAll();
  document.documentElement.dataset.ready = "true";
}

start();
