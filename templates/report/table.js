// Tables: sorted by any column, filtered, in pages; figures in them follow the inputs.

/** An element with attributes and children; text is always text. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const TEXT = { look: "text", unit: "" };

/** Ties an element to a figure, or to the name that it counts. */
function bind(target, figure, column, names) {
  target.dataset.figure = figure;
  target.column = column;
  target.names = names;
  refresh(target);
  return target;
}

const worded = (target, value, column) => target.names
  ? target.names[value - 1] ?? UNKNOWN
  : shown(value, column);

/** Shows the value that a bound element has now. */
function refresh(target) {
  const figure = Number(target.dataset.figure);
  const column = target.column ?? target.dataset;
  const value = f(figure);
  const text = worded(target, value, column);
  if (target.textContent !== text) target.textContent = text;
  target.dataset.value = value;
  const exact = !target.names && Number.isFinite(value) ? String(value) : "";
  const was = isChanged(figure) ? `as written: ${worded(target, formulas.figure(figure, written.values), column)}` : "";
  target.classList.toggle("changed", was !== "");
  target.classList.toggle("unknown", text === UNKNOWN);
  // An SVG text has no tooltip of its own; its group has one.
  if (!(target instanceof SVGElement)) target.title = [exact, was].filter(Boolean).join("; ");
}

/** Shows the values that all bound elements in a place have now. */
const refreshIn = place => place.querySelectorAll("[data-figure]").forEach(refresh);

/** What a cell is sorted by. */
function sortValue(cell, column) {
  if (cell === null) return NaN;
  if (typeof cell === "number") return f(cell);
  if (Array.isArray(cell)) return cell.length === 2 ? data.choices[cell[1]][f(cell[0]) - 1] ?? UNKNOWN : cell[0];
  return cell;
}

function compare(a, b) {
  if (typeof a === "string" || typeof b === "string") return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
  return a - b;
}

/** Puts rows in the order of their keys, equal ones as they are numbered; what is not known comes last, whichever way. Rows
 * that are nearly in order are soon in order. */
function putInOrder(rows, keyOf, descending) {
  const keys = new Map(rows.map(row => [row, keyOf(row)]));
  const isKnown = key => key === key && key !== UNKNOWN;
  const sign = descending ? -1 : 1;
  return rows.sort((a, b) => {
    const [x, y] = [keys.get(a), keys.get(b)];
    if (!isKnown(x) || !isKnown(y)) return isKnown(y) - isKnown(x) || a - b;
    return sign * compare(x, y) || a - b;
  });
}

/** Buttons that turn pages; `turn` is called with a new first row and a number of rows. */
function pager(label, state, sizes, turn) {
  const text = element("span", { class: "range" });
  const back = element("button", { type: "button", "aria-label": `Previous page of ${label}` }, "‹ previous");
  const on = element("button", { type: "button", "aria-label": `Next page of ${label}` }, "next ›");
  const size = element("select", {}, ...sizes.map(n => element("option", { value: n }, n === Infinity ? "all" : String(n))));
  size.value = String(state.size);
  back.onclick = () => { state.first = Math.max(0, state.first - state.size); turn(); };
  on.onclick = () => { state.first += state.size; turn(); };
  size.onchange = () => { state.size = Number(size.value); state.first = 0; turn(); };
  const show = total => {
    const last = Math.min(total, state.first + state.size);
    text.textContent = total === 0 ? "none" : `${state.first + 1}–${last} of ${total}`;
    back.disabled = state.first === 0;
    on.disabled = last >= total;
    controls.hidden = total <= Math.min(...sizes);
  };
  const controls = element("div", { class: "pager" }, back, text, on, element("label", {}, "a page: ", size));
  return { controls, show };
}

/** Sections whose tables are seen at once; the others are opened. */
const SEEN = ["nests", "compared", "advice", "fits"];

/** How far the sides of a comparison may be apart, relatively, to be left out at first. */
const AGREE = 0.05;

const tableOf = id => tables.find(table => table.spec.id === id);

/** A table in its section; its rows are made when it is open, a page at a time. */
class DataTable {
  constructor(spec) {
    this.spec = spec;
    const isNests = spec.id === "nests";
    // Nests come with the costliest first.
    const first = isNests ? spec.columns.findIndex(column => column.group === "Time" && column.header === data.ranked) : -1;
    this.sort = { column: first, descending: true };
    this.filter = "";
    this.onlyOff = Boolean(spec.sides) && options.rows !== "all";
    const size = options.rows === "all" ? Infinity : Number(options.rows) || 25;
    this.page = { first: 0, size };
    if (options.columns === "all") spec.columns.forEach(column => { column.shown = true; });
    const others = spec.columns.map((column, index) => index).filter(index => !spec.first?.includes(index));
    this.order = [...spec.first ?? [], ...others];
    // Few columns need no groups above them; each then says its own.
    this.isFlat = Boolean(spec.first);
    const sizes = [...new Set([25, 100, 1000, size, Infinity])].sort((a, b) => a - b);
    this.pager = pager(spec.title, this.page, sizes, () => this.render());
    const caption = element("caption", { class: "hidden" }, spec.title);
    this.head = element("thead");
    this.body = element("tbody");
    this.table = element("table", { class: isNests ? "data nests" : "data" }, caption, this.head, this.body);
    const box = element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": spec.title }, this.table);
    const section = document.getElementById(spec.id);
    const title = element("h2", { id: `${spec.id}-title` }, spec.title);
    section.setAttribute("aria-labelledby", title.id);
    const rows = spec.rows.length;
    const parts = [spec.remark ? element("p", { class: "remark" }, spec.remark) : "", rows === 0 ? element("p", {}, "None.") : "", rows > 0 ? this.tools() : "", rows > 0 ? box : ""];
    if (SEEN.includes(spec.id) || rows === 0) {
      section.append(title, ...parts);
      this.isOpen = rows > 0;
    } else {
      this.folder = element("details", { class: "folder" }, element("summary", {}, title, element("small", {}, ` ${count(rows)} ${rows === 1 ? "row" : "rows"}`)), ...parts);
      this.folder.ontoggle = () => { this.isOpen = this.folder.open; if (this.isOpen) this.render(); };
      this.isOpen = this.folder.open = options.rows === "all";
      section.append(this.folder);
    }
    if (this.isOpen) this.render();
  }

  tools() {
    const tools = element("div", { class: "tools" });
    if (this.spec.sides) {
      const box = element("input", { type: "checkbox", id: "all-rows" });
      box.checked = !this.onlyOff;
      box.onchange = () => { this.onlyOff = !box.checked; this.page.first = 0; this.render(); };
      this.left = element("span", { class: "remark" });
      tools.append(element("label", {}, box, " all rows, not only those that differ "), this.left);
    }
    if (this.spec.rows.length > 10) {
      const input = element("input", { type: "search" });
      input.oninput = () => { this.filter = input.value.toLowerCase(); this.page.first = 0; this.render(); };
      tools.append(element("label", {}, "Filter ", input));
    }
    const groups = [...new Set(this.spec.columns.map(column => column.group))];
    if (groups.length > 1) tools.append(this.columnChoice(groups));
    tools.append(this.pager.controls);
    return tools;
  }

  /** Whether the sides of a comparison are apart: by so much, or as one of them is nothing. */
  isOff(row) {
    const { predicted, run, ratio } = this.spec.sides;
    const cells = this.spec.rows[row];
    const value = sortValue(cells[ratio]);
    if (Number.isFinite(value)) return Math.abs(value - 1) > AGREE;
    const [a, b] = [sortValue(cells[predicted]), sortValue(cells[run])];
    return Number.isFinite(a) && Number.isFinite(b) && a !== b;
  }

  columnChoice(groups) {
    const list = element("div", { class: "columns" });
    const chooser = element("details", { class: "chooser" }, element("summary", {}, "Columns and what they mean"), list);
    chooser.ontoggle = () => { if (chooser.open && !list.hasChildNodes()) this.fillChoice(list, groups); };
    return chooser;
  }

  fillChoice(list, groups) {
    for (const group of groups) {
      const members = this.spec.columns.filter(column => column.group === group);
      const box = element("input", { type: "checkbox" });
      box.checked = members.every(column => column.shown);
      box.indeterminate = !box.checked && members.some(column => column.shown);
      box.onchange = () => { members.forEach(column => { column.shown = box.checked; }); this.render(); };
      const meanings = element("dl");
      for (const column of members) {
        meanings.append(element("dt", {}, column.header + (column.unit && ` [${column.unit}]`)), element("dd", {}, column.meaning));
      }
      list.append(element("div", {}, element("label", {}, box, ` ${group}`), meanings));
    }
  }

  rows() {
    let rows = this.inOrder ?? this.spec.rows.map((row, index) => index);
    if (this.filter) {
      const fits = row => this.spec.rows[row].some(cell => typeof cell === "string" && cell.toLowerCase().includes(this.filter));
      rows = rows.filter(fits);
    }
    if (this.onlyOff) {
      const all = rows.length;
      rows = rows.filter(row => this.isOff(row));
      this.left.textContent = `${all - rows.length} of ${all} agree within ${100 * AGREE} %, or have one side only`;
    } else if (this.left) this.left.textContent = "";
    const { column, descending } = this.sort;
    if (column < 0) return rows;
    const ordered = putInOrder(rows, row => sortValue(this.spec.rows[row][column]), descending);
    if (ordered.length === this.spec.rows.length) this.inOrder = ordered;
    return ordered;
  }

  render() {
    const rows = this.rows();
    if (this.page.first >= rows.length) this.page.first = 0;
    const seen = this.page.size === Infinity ? rows : rows.slice(this.page.first, this.page.first + this.page.size);
    this.columns = this.order.filter(index => this.spec.columns[index].shown);
    this.renderHead();
    const isNests = this.spec.id === "nests";
    const width = this.columns.length + (isNests && onOther ? 1 : 0);
    this.body.replaceChildren(...seen.flatMap(row => isNests && opened.has(row) ? [this.row(row), nestDetails(row, width)] : [this.row(row)]));
    this.pager.show(rows.length);
  }

  renderHead() {
    const groups = element("tr");
    for (const index of this.columns) {
      const { group } = this.spec.columns[index];
      const last = groups.lastChild;
      if (last && last.textContent === group) last.colSpan += 1;
      else groups.append(element("th", { scope: "colgroup" }, group));
    }
    // A long heading would make one column as wide as itself.
    for (const single of groups.children) {
      if (single.colSpan > 1 || single.textContent.length < 24) continue;
      single.title = single.textContent;
      single.textContent = single.textContent.split(/ over |, /)[0];
    }
    const headers = element("tr", {}, ...this.columns.map(index => this.header(index)));
    if (this.spec.id === "nests" && onOther) headers.append(element("th", { scope: "col", title: "Time on the machine compared" }, `on ${data.presets[picked.other].name}`));
    const hasGroups = !this.isFlat && this.columns.some(index => this.spec.columns[index].group);
    this.head.replaceChildren(...(hasGroups ? [groups, headers] : [headers]));
  }

  header(index) {
    const column = this.spec.columns[index];
    const sorted = this.sort.column === index;
    const direction = sorted ? (this.sort.descending ? "descending" : "ascending") : "none";
    const arrow = element("span", { "aria-hidden": "true", class: "arrow" }, sorted ? (this.sort.descending ? "▼" : "▲") : "");
    const button = element("button", { type: "button", title: column.meaning }, column.short ?? column.header, column.unit && !column.short ? element("small", {}, ` [${column.unit}]`) : "", arrow);
    button.onclick = () => {
      const numbersFirst = column.look !== "text";
      this.sort = sorted ? { column: index, descending: !this.sort.descending } : { column: index, descending: numbersFirst };
      this.page.first = 0;
      this.render();
      this.head.lastChild.children[this.columns.indexOf(index)].firstChild.focus();
    };
    const label = column.short ?? column.header + (column.unit && ` [${column.unit}]`);
    return element("th", { scope: "col", "aria-sort": direction, "data-label": label, class: [column.look === "text" ? "text" : "", this.rank(index)].join(" ").trim() || false }, button);
  }

  /** How soon a column is left out where there is little room. */
  rank(index) {
    const at = this.spec.id === "nests" ? this.spec.first.indexOf(index) : -1;
    const { header } = this.spec.columns[index];
    if (at < 0) return "";
    if (["Low", "High"].includes(header)) return "band";
    return ["Arithmetic intensity", "Calls"].includes(header) ? "spare" : header === "Estimate" && data.ranked !== header || header === "Actual" ? "second" : "";
  }

  row(row) {
    const cells = this.columns.map((index, position) => this.cell(row, index, position === 0));
    if (this.spec.id === "nests" && onOther) {
      const figure = data.roofline.points[row][2];
      cells.push(element("td", {}, figure === null ? "" : shown(formulas.figure(figure, onOther), { unit: "s", look: "seconds" })));
    }
    return element("tr", {}, ...cells);
  }

  cell(row, index, isFirst) {
    const column = this.spec.columns[index];
    const cell = this.spec.rows[row][index];
    const rank = this.rank(index);
    const made = element(isFirst ? "th" : "td", isFirst ? { scope: "row" } : rank ? { class: rank } : {});
    if (cell === null) return made;
    if (typeof cell === "number") return bind(made, cell, column);
    if (Array.isArray(cell) && cell.length === 2) {
      made.className = `text ${rank}`.trim();
      return bind(made, cell[0], column, data.choices[cell[1]]);
    }
    if (Array.isArray(cell)) { made.textContent = shown(cell[0], column); return made; }
    made.className = cell.length > 34 ? "text long" : "text";
    // A nest opens its details.
    if (isFirst && this.spec.id === "nests") made.append(linkToNest(row, cell), hasStar(row) ? element("span", { class: "star", title: "Part of this nest is not understood or only estimated" }, " *") : "", data.live[row] ? "" : " ⚓");
    else made.textContent = cell;
    return made;
  }

  /** All rows while the page is printed. */
  print(isPrinted) {
    if (!this.isOpen) return;
    if (isPrinted) this.onScreen = { ...this.page };
    Object.assign(this.page, isPrinted ? { first: 0, size: Infinity } : this.onScreen);
    this.render();
  }

  /** After an edit: order and values. */
  follow() {
    if (!this.isOpen) return;
    if (this.sort.column >= 0 || this.spec.sides || this.spec.id === "nests") this.render(); else refreshIn(this.body);
  }
}
