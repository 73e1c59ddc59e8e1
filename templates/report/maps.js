// Heat maps: a value for every pair of two inputs. The deeper the colour, the larger; numbers are in all cells.

/** At most so many percent of the colour, so that numbers are read on it. */
const DEEPEST = 55;
const maps = [];

/** Where a value is between two others, 0 to 1; by orders of magnitude where all are positive. */
function between(value, least, most) {
  if (!(most > least) || !Number.isFinite(value)) return 0;
  return least > 0 ? Math.log(value / least) / Math.log(most / least) : (value - least) / (most - least);
}

function mapCell(cell, column) {
  const made = element("td");
  if (typeof cell === "number") return bind(made, cell, column);
  made.textContent = shown(cell[0], column);
  return made;
}

class HeatMap {
  constructor(spec) {
    this.spec = spec;
    const heads = spec.across.map(cell => {
      const head = element("th", { scope: "col" });
      if (typeof cell === "number") return bind(head, cell, { unit: "", look: "exact" });
      head.textContent = cell;
      return head;
    });
    const top = element("tr", {}, element("th", { scope: "col", class: "text" }, spec.down), ...heads);
    this.rows = spec.rows.map(({ name, cells }) => ({ name: element("th", { scope: "row" }, name), cells: cells.map(cell => mapCell(cell, spec)) }));
    const body = element("tbody", {}, ...this.rows.map(({ name, cells }) => element("tr", {}, name, ...cells)));
    const table = element("table", { class: "data heat" }, element("caption", {}, spec.title), element("thead", {}, top), body);
    this.needs = element("p", { class: "remark" });
    this.box = element("div", { class: "map" }, element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": spec.title }, table), this.needs);
    this.follow();
  }

  value(row, column) {
    const cell = this.spec.rows[row].cells[column];
    return typeof cell === "number" ? f(cell) : cell[0];
  }

  /** Numbers and colours after an edit. */
  follow() {
    refreshIn(this.box);
    const values = this.rows.map(({ cells }, row) => cells.map((cell, column) => this.value(row, column)));
    const range = list => {
      const known = list.filter(Number.isFinite);
      return [Math.min(...known), Math.max(...known)];
    };
    const all = range(values.flat());
    this.rows.forEach(({ cells }, row) => {
      const [least, most] = this.spec.each ? range(values[row]) : all;
      cells.forEach((cell, column) => {
        const value = values[row][column];
        cell.style.setProperty("--heat", `${Math.round(DEEPEST * between(value, least, most))}%`);
        cell.classList.toggle("least", this.spec.each && value === least && most > least);
      });
    });
    const missing = this.spec.needs.filter(name => !(s[inputNamed(name)] > 0));
    this.needs.textContent = missing.length === 0 ? "" : `Changes nothing before ${missing.join(" and ")} ${missing.length === 1 ? "has" : "have"} a value.`;
  }
}

function startMaps() {
  for (const { id, title, remark, maps: specs } of data.maps) {
    const section = document.getElementById(id);
    section.setAttribute("aria-labelledby", `${id}-title`);
    section.append(element("h2", { id: `${id}-title` }, title), element("p", { class: "remark" }, remark));
    const own = specs.map(spec => new HeatMap(spec));
    maps.push(...own);
    section.append(...own.map(map => map.box));
  }
}
