// The panel of inputs: machines, what was changed, a search, and a row for each parameter, made when it is seen.

/** Rows of parameters that are made at once. */
const AT_ONCE = 40;
/** Characters of a control: means of trip counts, and probabilities, have many. */
const CONTROL = { least: 10, most: 18 };
const panel = { search: "", shown: AT_ONCE, madeFor: null };

/** The control of one input. */
function inputControl(index) {
  const input = inputs[index];
  const isSwitch = input.kind === "switch";
  const control = element("input", {
    type: isSwitch ? "checkbox" : "text", "data-input": index, "aria-label": `${input.label} (${input.name})`,
    inputmode: isSwitch ? false : "decimal", autocomplete: "off", spellcheck: "false", disabled: input.fixed,
    size: isSwitch ? false : CONTROL.least,
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
    else if (control.getAttribute("aria-invalid") !== "true") {
      control.value = Number.isFinite(s[index]) ? String(s[index]) : "";
      control.size = Math.min(Math.max(control.value.length, CONTROL.least), CONTROL.most);
    }
  }
  control.dataset.value = s[index];
  const differs = !same(s[index], written.s[index]);
  control.classList.toggle("changed", differs);
  control.classList.toggle("derived", derived.has(index) && !isOverridden);
  control.classList.toggle("guessed", Boolean(inputs[index].guessed) && !isOverridden);
  control.placeholder = UNKNOWN;
  control.title = differs ? `as written: ${Number.isFinite(written.s[index]) ? written.s[index] : UNKNOWN}` : "";
  const undo = box?.querySelector(".undo");
  if (undo) undo.hidden = !isOverridden;
}

/** A row of the panel: what it is, its control, and in small what else is known. */
function inputRow(index) {
  const input = inputs[index];
  const name = element("span", { class: "name", title: input.about }, ...breakable(input.label),
    ...(input.label === input.name ? [] : [" ", element("code", {}, ...breakable(input.name))]));
  const more = element("small", { title: input.about }, [input.unit, input.note].filter(Boolean).join(" · "));
  return element("div", { class: "row" }, name, inputControl(index), more);
}

/** Positions of the inputs that the search finds, those of the machine or of the problem. */
function foundInputs(positions) {
  const wanted = panel.search;
  const holds = text => Boolean(text) && text.toLowerCase().includes(wanted);
  return wanted ? positions.filter(index => [inputs[index].name, inputs[index].label, inputs[index].about].some(holds)) : positions;
}

function fillInputs(list, positions, most) {
  const found = foundInputs(positions);
  const rows = found.slice(0, most).map(inputRow);
  if (found.length === 0) rows.push(element("p", { class: "remark" }, panel.search ? "None has that in its name." : "None."));
  if (found.length > most) {
    const more = element("button", { type: "button", class: "more" }, `Show more (${found.length - most} left)`);
    more.onclick = () => { panel.shown += 200; showPanel(); };
    rows.push(more);
  }
  list.replaceChildren(...rows);
}

/** Rows of the problem and, if it is open, of the machine. */
function showPanel() {
  const most = options.rows === "all" ? Infinity : panel.shown;
  fillInputs(document.getElementById("problem-inputs"), data.order, most);
  showMachineInputs();
}

/** Rows of the machine, once it is open; made again only for another search, so that nothing typed is lost. */
function showMachineInputs() {
  const machine = document.getElementById("machine-inputs");
  if (!machine.parentElement.open || panel.madeFor === panel.search) return;
  fillInputs(machine, data.machine.order, Infinity);
  panel.madeFor = panel.search;
}

/** The list of what was set by hand, each with a button that takes it back. */
function showChanged() {
  const rows = [...overrides].map(([index, value]) => {
    const back = element("button", { type: "button", class: "undo", "aria-label": `Take ${inputs[index].name} back` }, "↺");
    back.onclick = () => {
      overrides.delete(index);
      edited();
    };
    const was = Number.isFinite(base(index)) && !derived.has(index) ? ` (was ${base(index)})` : "";
    return element("li", {}, element("code", {}, ...breakable(inputs[index].name)), ` = ${value}${was} `, back);
  });
  document.getElementById("changed-inputs").replaceChildren(...rows);
  document.getElementById("changed-none").hidden = rows.length > 0;
}

function machineChoice(which, first) {
  const choice = element("select", { id: `${which}-choice` }, element("option", { value: "" }, first));
  for (const { name, title, differs } of data.presets) {
    choice.append(element("option", { value: name, disabled: Boolean(differs), title: differs ? `${title}: ${differs}` : title }, differs ? `${name} (only with --machine)` : name));
  }
  choice.onchange = () => { pick(which, choice.value); edited(); };
  return choice;
}

function showMachines() {
  for (const [which, at] of Object.entries(picked)) document.getElementById(`${which}-choice`).value = at < 0 ? "" : data.presets[at].name;
}

function startPanel() {
  document.getElementById("pickers").append(
    element("label", {}, "Machine ", machineChoice("machine", `${data.machine.name} (as written)`)),
    element("label", {}, "Compare with ", machineChoice("other", "none")),
  );
  const others = data.presets.filter(preset => preset.differs).map(preset => preset.name);
  document.getElementById("picker-note").textContent = others.length === 0 ? "" :
    `Not available here because they have other cache levels or cores than the formulas of this page: ${others.join(", ")}.`;
  document.getElementById("inputs-note").textContent = data.about_inputs;
  const search = document.getElementById("search");
  search.oninput = () => {
    panel.search = search.value.trim().toLowerCase();
    panel.shown = AT_ONCE;
    if (panel.search) machine.open = true;
    showPanel();
  };
  const machine = document.getElementById("machine-inputs").parentElement;
  machine.ontoggle = showMachineInputs;
  if (options.rows === "all") machine.open = true;
  showPanel();
}
