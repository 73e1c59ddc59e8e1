// The roofline: log-log, drawn anew after every edit.

const SVG = "http://www.w3.org/2000/svg";
/** Points that are drawn. */
const MOST_POINTS = 250;
const FRAME = { left: 78, right: 24, top: 22, bottom: 52, width: 960, height: 520 };
const NARROW = matchMedia("(max-width: 40rem)");

/** Drawings are as wide as there is room for, so that their text stays as large. */
function setFrame() {
  Object.assign(FRAME, NARROW.matches ? { left: 64, right: 10, width: 440, height: 400 } : { left: 78, right: 24, width: 960, height: 520 });
}

function drawn(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** From the power of ten below to the one above all positive values, at least two of them. */
function decades(values) {
  const known = values.filter(value => value > 0 && Number.isFinite(value));
  if (known.length === 0) return [-1, 1];
  const low = Math.floor(Math.log10(known.reduce((a, b) => Math.min(a, b))) - 0.05);
  const high = Math.ceil(Math.log10(known.reduce((a, b) => Math.max(a, b))) + 0.05);
  return high - low < 2 ? [low - 1, high + 1] : [low, high];
}

function power(exponent) {
  const superscripts = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  return `10${[...String(exponent)].map(c => superscripts[c]).join("")}`;
}

/** Levels of the same bandwidth are one line, with the names of both. */
function withoutTwins(roofs) {
  const lines = [];
  for (const roof of roofs) {
    const twin = lines.find(line => Math.abs(Math.log(line.bandwidth / roof.bandwidth)) < 0.02);
    if (twin) twin.name += `, ${roof.name}`; else lines.push({ ...roof });
  }
  return lines;
}

/** Nests with a label: those with the most time. */
const LABELLED = 10;

/** The colour of what bounds nests, the same in all drawings: of a memory level that of its roof. */
function colourOf(bound) {
  if (!colourOf.places) {
    const levels = data.roofline.roofs.map(([name]) => name);
    const others = data.bounds.filter(name => !levels.includes(name));
    const most = Math.max(levels.length, LEVELS);
    colourOf.places = new Map([...levels.map((name, at) => [name, at % COLOURS]), ...others.map((name, at) => [name, (most + at) % COLOURS])]);
  }
  return colourOf.places.get(bound) ?? COLOURS - 1;
}

/** Colours that there are, and how many of them memory levels have. */
const COLOURS = 8;
const LEVELS = 4;

/** Nests from the costliest on, as they were at the last edit: what is nearly in order is soon in order. */
let byTime = null;

/** Nests with a place in the drawing, those with the most time first, as many as are drawn; and how many have one. */
function rooflinePoints() {
  const { points } = data.roofline;
  const times = Float64Array.from(points, ([, , seconds]) => seconds === null ? 0 : f(seconds));
  const key = nest => Number.isNaN(times[nest]) ? -1 : times[nest];
  byTime ??= points.map((_, nest) => nest);
  byTime.sort((a, b) => key(b) - key(a) || a - b);
  const found = [];
  let known = 0;
  for (const nest of byTime) {
    const [x, y] = [f(points[nest][0]), f(points[nest][1])];
    if (!(x > 0 && y > 0 && x < Infinity && y < Infinity)) continue;
    known++;
    if (found.length < MOST_POINTS) found.push({ nest, x, y, seconds: times[nest] });
  }
  return { points: found, known };
}

function drawRoofline() {
  setFrame();
  const peak = f(data.roofline.peak);
  const roofs = withoutTwins(data.roofline.roofs.map(([name, figure]) => ({ name, colour: colourOf(name), bandwidth: f(figure) })).filter(roof => roof.bandwidth > 0));
  const { points, known } = rooflinePoints();
  const ridges = roofs.map(roof => peak / roof.bandwidth);
  const [left, right] = decades([...points.map(point => point.x), ...ridges]);
  const [bottom, top] = decades([...points.map(point => point.y), peak, ...roofs.map(roof => roof.bandwidth * 10 ** left)].filter((y, i) => y > 0 && (i < points.length + 1 || y > peak * 1e-6)));
  const inner = { width: FRAME.width - FRAME.left - FRAME.right, height: FRAME.height - FRAME.top - FRAME.bottom };
  const atX = x => FRAME.left + (Math.log10(x) - left) / (right - left) * inner.width;
  const atY = y => FRAME.top + inner.height - (Math.log10(y) - bottom) / (top - bottom) * inner.height;
  const title = "Roofline: flops per second over flops per byte";
  const told = points.length ? `The costliest, ${data.nests[points[0].nest].id}, reaches ${withPrefix(points[0].y, "flop/s")} at ${ratio(points[0].x)} flop/B.` : "";
  const about = `${points.length} nests below a peak of ${withPrefix(peak, "flop/s")} and ${roofs.map(roof => `${roof.name} at ${withPrefix(roof.bandwidth, "B/s")}`).join(", ")}. ${told}`;
  const svg = drawn("svg", { viewBox: `0 0 ${FRAME.width} ${FRAME.height}`, role: "group", "aria-labelledby": "roofline-name roofline-about" });
  svg.append(drawn("title", { id: "roofline-name" }, title), drawn("desc", { id: "roofline-about" }, about));
  drawAxes(svg, [left, right], [bottom, top], atX, atY, ["flops per byte of memory traffic", "flops per second"]);
  const taken = { texts: [], circles: [] };
  drawRoofs(svg, roofs, peak, [10 ** left, 10 ** right], [10 ** bottom, 10 ** top], atX, atY, taken);
  drawPoints(svg, points, atX, atY, taken);
  const place = document.getElementById("roofline-drawing");
  const held = place.contains(document.activeElement) ? document.activeElement.dataset.nest : undefined;
  place.replaceChildren(svg);
  if (held !== undefined) svg.querySelector(`[data-nest="${held}"]`)?.focus({ preventScroll: true });
  noteOnRoofline(data.roofline.points.length, known, points);
}

function noteOnRoofline(all, known, points) {
  const notes = [];
  if (points.length > LABELLED) notes.push(`The ${LABELLED} nests with the most time have labels; point at another to read its name.`);
  if (points.length < known) notes.push(`Of ${known} nests, the ${points.length} with the most time are drawn.`);
  const none = all - known;
  if (none > 0) notes.push(`${none} of ${all} nests ${none === 1 ? "has" : "have"} no flops, no memory traffic or an unknown time, and so no place here.`);
  document.getElementById("roofline-note").textContent = notes.join(" ");
  // Where there is little room, labels are numbers.
  const names = NARROW.matches ? points.slice(0, LABELLED).map(({ nest }) => element("li", {}, ...breakable(data.nests[nest].id))) : [];
  document.getElementById("roofline-key").replaceChildren(...names);
}

function drawAxes(svg, [left, right], [bottom, top], atX, atY, [across, up]) {
  const low = FRAME.height - FRAME.bottom;
  const far = FRAME.width - FRAME.right;
  for (let e = left; e <= right; e++) {
    const x = atX(10 ** e);
    svg.append(drawn("line", { class: "grid", x1: x, x2: x, y1: FRAME.top, y2: low }));
    svg.append(drawn("text", { x, y: low + 18, "text-anchor": "middle" }, power(e)));
  }
  for (let e = bottom; e <= top; e++) {
    const y = atY(10 ** e);
    svg.append(drawn("line", { class: "grid", x1: FRAME.left, x2: far, y1: y, y2: y }));
    svg.append(drawn("text", { x: FRAME.left - 8, y: y + 4, "text-anchor": "end" }, power(e)));
  }
  svg.append(drawn("text", { x: (FRAME.left + far) / 2, y: FRAME.height - 12, "text-anchor": "middle" }, across));
  const middle = (FRAME.top + low) / 2;
  svg.append(drawn("text", { x: 20, y: middle, "text-anchor": "middle", transform: `rotate(-90 20 ${middle})` }, up));
}

function drawRoofs(svg, roofs, peak, [low, high], [bottom, top], atX, atY, taken) {
  const ridge = Math.min(...roofs.map(roof => peak / roof.bandwidth));
  const line = (from, to, colour) => svg.append(drawn("line", { class: `roof${colour}`, x1: atX(from[0]), y1: atY(from[1]), x2: atX(to[0]), y2: atY(to[1]) }));
  const crest = Math.max(low, Math.min(ridge, high));
  line([crest, peak], [high, peak], "");
  along([atX(crest), atY(peak)], [atX(high), atY(peak)]).forEach(([x, y]) => taken.circles.push([x - 1, y - 1, x + 1, y + 1]));
  const label = (text, x, y, attributes, colour = "") => svg.append(drawn("text", { class: `roof-name${colour}`, x, y, ...attributes }, text));
  const peakText = `peak ${withPrefix(peak, "flop/s")}`;
  const far = FRAME.width - FRAME.right - 6;
  label(peakText, far, atY(peak) - 7, { "text-anchor": "end" });
  taken.texts.push([far - 7 * peakText.length, atY(peak) - 20, far, atY(peak) - 2]);
  for (const [index, { name, bandwidth, colour }] of [...roofs].sort((a, b) => b.bandwidth - a.bandwidth).entries()) {
    const start = Math.max(low, bottom / bandwidth);
    const end = Math.min(high, peak / bandwidth);
    if (!(start < end)) continue;
    line([start, start * bandwidth], [end, end * bandwidth], ` level-${colour}`);
    const [x1, y1, x2, y2] = [atX(start), atY(start * bandwidth), atX(end), atY(end * bandwidth)];
    const angle = Math.atan2(y2 - y1, x2 - x1) * 180 / Math.PI;
    const text = `${name} ${withPrefix(bandwidth, "B/s")}`;
    // Names of neighbours that are close to each other do not stand side by side.
    const share = 0.06 + 0.44 * (index % 2);
    const [x, y] = [x1 + (x2 - x1) * share, y1 + (y2 - y1) * share];
    // Above the highest line, below the others: between lines there is little room.
    const above = index === 0 ? -6 : 15;
    label(text, x, y + above, { transform: `rotate(${angle} ${x} ${y})` }, ` level-${colour}`);
    // Names of nests keep off it.
    const [cos, sin] = [Math.cos(angle * Math.PI / 180), Math.sin(angle * Math.PI / 180)];
    for (let far = 4; far < 7 * text.length; far += 8) {
      const [bx, by] = [x + far * cos - (above - 4) * sin, y + far * sin + (above - 4) * cos];
      taken.texts.push([bx - 6, by - 6, bx + 6, by + 6]);
    }
    along([x1, y1], [x2, y2]).forEach(([x, y]) => taken.circles.push([x - 1, y - 1, x + 1, y + 1]));
  }
}

/** Points, the costliest nests first, and labels of the first ones. */
function drawPoints(svg, points, atX, atY, taken) {
  const sum = points.reduce((total, point) => total + point.seconds, 0);
  const groups = [];
  const placed = [];
  for (const { nest, x, y, seconds } of points) {
    const [cx, cy] = [atX(x), atY(y)];
    const radius = 4 + 10 * Math.sqrt(sum > 0 ? seconds / sum : 0);
    const { id } = data.nests[nest];
    const bound = boundOf(nest);
    const told = `${id}: ${ratio(x)} flop/B, ${withPrefix(y, "flop/s")}, ${data.roofline.points[nest][2] === null ? "not reached by any call that could be followed" : `${withPrefix(seconds, "s")}, bound by ${bound}`}`;
    // One stop for the Tab key; arrows go on to the others.
    const group = drawn("g", { class: `point level-${colourOf(bound)}`, role: "link", tabindex: groups.length === 0 ? 0 : -1, "aria-label": told, "data-nest": nest });
    groups.push(group);
    group.append(drawn("circle", { cx, cy, r: radius }));
    group.append(drawn("title", {}, told));
    placed.push({ cx, cy, radius, id });
  }
  const pointOf = event => event.target.closest?.("[data-nest]");
  svg.addEventListener("click", event => { const group = pointOf(event); if (group) showNest(Number(group.dataset.nest)); });
  svg.addEventListener("keydown", event => { const group = pointOf(event); if (group) keyOnPoint(event, groups, group, Number(group.dataset.nest)); });
  // The costliest on top.
  svg.append(...[...groups].reverse());
  const first = placed.slice(0, LABELLED);
  taken.circles.push(...placed.map(({ cx, cy, radius }) => [cx - radius, cy - radius, cx + radius, cy + radius]));
  const labels = first.map((point, at) => ({ point, text: NARROW.matches ? String(at + 1) : point.id }));
  arranged(labels, taken).forEach(label => drawLabel(svg, label));
}

const overlap = (a, b) => a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];

/** Width of a character of a label, and the height of a line. */
const LETTER = 6.8;
const LABEL_HEIGHT = 13;
/** Directions in which labels stand, and how far from their point. */
const DIRECTIONS = 24;
const DISTANCES = [4, 18, 32, 48, 66, 88, 112, 140, 172, 208, 250];

/**
 * Labels with their places: in the order of cost, or, if one covers a point or has no place then, from one end of the drawing
 * to the other, where that leaves more of them free.
 */
function arranged(labels, taken) {
  const orders = [() => 0, (a, b) => a.point.cx - b.point.cx, (a, b) => b.point.cx - a.point.cx, (a, b) => b.point.cy - a.point.cy];
  let best = null;
  for (const order of orders) {
    const own = arrange([...labels].sort(order), taken);
    if (!best || own.faults < best.faults || own.faults === best.faults && own.far < best.far) best = own;
    if (best.faults === 0) break;
  }
  return best.labels;
}

/** The same in one order, with how many cover a point (or twice as many as have no place), and how far all are from theirs. */
function arrange(labels, { texts, circles }) {
  const taken = { texts: [...texts], circles };
  const found = [];
  let [faults, far] = [0, 0];
  for (const { point, text } of labels) {
    const place = room(point, LETTER * text.length, taken);
    if (!place) { faults += 2; continue; }
    if (!place.isFree) faults++;
    far += place.distance;
    taken.texts.push(place.box);
    const leader = place.distance > DISTANCES[0] ? leaderTo(point, place.end) : null;
    if (leader) along(...leader).forEach(([x, y]) => taken.texts.push([x - 1, y - 1, x + 1, y + 1]));
    found.push({ text, box: place.box, leader });
  }
  return { labels: found, faults, far };
}

/** The line from the edge of a point to the end of its label. */
function leaderTo({ cx, cy, radius }, end) {
  const towards = Math.atan2(end[1] - cy, end[0] - cx);
  return [[cx + radius * Math.cos(towards), cy + radius * Math.sin(towards)], end];
}

/** A label beside its point, with a line to it unless it stands at it. */
function drawLabel(svg, { text, box, leader }) {
  if (leader) {
    const [start, end] = leader;
    svg.append(drawn("line", { class: "leader", x1: start[0], y1: start[1], x2: end[0], y2: end[1] }));
  }
  svg.append(drawn("text", { class: "label", x: box[0] + 1, y: box[3] - 3 }, text));
}

/** Points on a line, a few pixels from each other. */
function along([x1, y1], [x2, y2]) {
  const count = Math.ceil(Math.hypot(x2 - x1, y2 - y1) / 6);
  return Array.from({ length: Math.max(count - 1, 0) }, (_, at) => [x1 + (x2 - x1) * (at + 1) / count, y1 + (y2 - y1) * (at + 1) / count]);
}

/** Where a label covers no other, no line and no point, the nearer the better; a point rather than another label if nothing is free. */
function room({ cx, cy, radius }, width, { texts, circles }) {
  let second = null;
  for (const distance of DISTANCES) {
    for (let direction = 0; direction < DIRECTIONS; direction++) {
      const angle = 2 * Math.PI * direction / DIRECTIONS;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const end = [cx + (radius + distance) * cos, cy + (radius + distance) * sin];
      const left = end[0] - (cos > 0.3 ? 0 : cos < -0.3 ? width + 2 : width / 2);
      const top = end[1] - (sin > 0.3 ? 0 : sin < -0.3 ? LABEL_HEIGHT : LABEL_HEIGHT / 2);
      const box = [left, top, left + width + 2, top + LABEL_HEIGHT];
      const isInside = box[0] > FRAME.left && box[2] < FRAME.width - FRAME.right && box[1] > FRAME.top && box[3] < FRAME.height - FRAME.bottom;
      if (!isInside || texts.some(other => overlap(box, other))) continue;
      if (along([cx, cy], end).some(([x, y]) => texts.some(other => overlap([x, y, x, y], other)))) continue;
      const isFree = !circles.some(other => overlap(box, other));
      const place = { box, end, distance, isFree };
      if (isFree) return place;
      second ??= place;
    }
  }
  return second;
}

/** Enter shows the source of a nest, arrows go to the next costlier or less costly one. */
function keyOnPoint(event, groups, group, nest) {
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  if (event.key === "Enter" || event.key === " ") showNest(nest);
  else if (event.key in steps) {
    const next = groups[(groups.indexOf(group) + steps[event.key] + groups.length) % groups.length];
    groups.forEach(other => other.setAttribute("tabindex", other === next ? 0 : -1));
    next.focus();
  } else return;
  event.preventDefault();
}
