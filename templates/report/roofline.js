// The roofline: log-log, drawn anew after every edit.

const SVG = "http://www.w3.org/2000/svg";
/** Points that are drawn. */
const MOST_POINTS = 500;
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

function drawRoofline() {
  setFrame();
  const peak = f[data.roofline.peak];
  const roofs = withoutTwins(data.roofline.roofs.map(([name, figure]) => ({ name, bandwidth: f[figure] })).filter(roof => roof.bandwidth > 0));
  const all = data.roofline.points.map(([intensity, rate, seconds], nest) => ({ nest, x: f[intensity], y: f[rate], seconds: seconds === null ? 0 : f[seconds] }));
  const known = all.filter(({ x, y }) => x > 0 && y > 0 && Number.isFinite(x) && Number.isFinite(y));
  const points = known.length > MOST_POINTS ? known.sort((a, b) => b.seconds - a.seconds).slice(0, MOST_POINTS) : known;
  const ridges = roofs.map(roof => peak / roof.bandwidth);
  const [left, right] = decades([...points.map(point => point.x), ...ridges]);
  const [bottom, top] = decades([...points.map(point => point.y), peak, ...roofs.map(roof => roof.bandwidth * 10 ** left)].filter((y, i) => y > 0 && (i < points.length + 1 || y > peak * 1e-6)));
  const inner = { width: FRAME.width - FRAME.left - FRAME.right, height: FRAME.height - FRAME.top - FRAME.bottom };
  const atX = x => FRAME.left + (Math.log10(x) - left) / (right - left) * inner.width;
  const atY = y => FRAME.top + inner.height - (Math.log10(y) - bottom) / (top - bottom) * inner.height;
  const title = "Roofline: flops per second over flops per byte";
  const costliest = points.reduce((best, point) => best && best.seconds >= point.seconds ? best : point, null);
  const told = costliest ? `The costliest, ${data.nests[costliest.nest].id}, reaches ${withPrefix(costliest.y, "flop/s")} at ${ratio(costliest.x)} flop/B.` : "";
  const about = `${points.length} nests below a peak of ${withPrefix(peak, "flop/s")} and ${roofs.map(roof => `${roof.name} at ${withPrefix(roof.bandwidth, "B/s")}`).join(", ")}. ${told}`;
  const svg = drawn("svg", { viewBox: `0 0 ${FRAME.width} ${FRAME.height}`, role: "group", "aria-labelledby": "roofline-name roofline-about" });
  svg.append(drawn("title", { id: "roofline-name" }, title), drawn("desc", { id: "roofline-about" }, about));
  drawAxes(svg, [left, right], [bottom, top], atX, atY, ["flops per byte of memory traffic", "flops per second"]);
  const taken = [];
  drawRoofs(svg, roofs, peak, [10 ** left, 10 ** right], [10 ** bottom, 10 ** top], atX, atY, taken);
  const labelled = drawPoints(svg, points, atX, atY, taken);
  const place = document.getElementById("roofline-drawing");
  const held = place.contains(document.activeElement) ? document.activeElement.dataset.nest : undefined;
  place.replaceChildren(svg);
  if (held !== undefined) svg.querySelector(`[data-nest="${held}"]`)?.focus({ preventScroll: true });
  const none = all.length - known.length;
  const notes = [];
  if (points.length < known.length) notes.push(`Of ${known.length} nests, the ${points.length} with the most time are drawn.`);
  if (labelled < points.length) notes.push(`${points.length - labelled} of ${points.length} points have no room for a label: point at one to read its name, or look it up in the table of nests.`);
  if (none > 0) notes.push(`${none} of ${all.length} nests ${none === 1 ? "has" : "have"} no flops, no memory traffic or an unknown time, and so no place here.`);
  document.getElementById("roofline-note").textContent = notes.join(" ");
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
  const line = (from, to) => svg.append(drawn("line", { class: "roof", x1: atX(from[0]), y1: atY(from[1]), x2: atX(to[0]), y2: atY(to[1]) }));
  line([Math.max(low, Math.min(ridge, high)), peak], [high, peak]);
  const label = (text, x, y, attributes) => {
    svg.append(drawn("text", { class: "roof-name", x, y, ...attributes }, text));
  };
  const peakText = `peak ${withPrefix(peak, "flop/s")}`;
  const far = FRAME.width - FRAME.right - 6;
  label(peakText, far, atY(peak) - 7, { "text-anchor": "end" });
  taken.push([far - 7 * peakText.length, atY(peak) - 20, far, atY(peak) - 2]);
  for (const [index, { name, bandwidth }] of [...roofs].sort((a, b) => b.bandwidth - a.bandwidth).entries()) {
    const start = Math.max(low, bottom / bandwidth);
    const end = Math.min(high, peak / bandwidth);
    if (!(start < end)) continue;
    line([start, start * bandwidth], [end, end * bandwidth]);
    const [x1, y1, x2, y2] = [atX(start), atY(start * bandwidth), atX(end), atY(end * bandwidth)];
    const angle = Math.atan2(y2 - y1, x2 - x1) * 180 / Math.PI;
    const text = `${name} ${withPrefix(bandwidth, "B/s")}`;
    // Names of neighbours that are close to each other do not stand side by side.
    const share = 0.06 + 0.44 * (index % 2);
    const [x, y] = [x1 + (x2 - x1) * share, y1 + (y2 - y1) * share];
    label(text, x, y - 6, { transform: `rotate(${angle} ${x} ${y})` });
    // Names of nests keep off it.
    const [cos, sin] = [Math.cos(angle * Math.PI / 180), Math.sin(angle * Math.PI / 180)];
    for (let along = 4; along < 7 * text.length; along += 8) {
      const [bx, by] = [x + along * cos + 10 * sin, y + along * sin - 10 * cos];
      taken.push([bx - 6, by - 6, bx + 6, by + 6]);
    }
  }
}

/** Points with the labels that there is room for, the costliest nests first; returns how many labels. */
function drawPoints(svg, points, atX, atY, taken) {
  const sum = points.reduce((total, point) => total + point.seconds, 0);
  const order = [...points].sort((a, b) => b.seconds - a.seconds);
  let labelled = 0;
  const labels = [];
  const groups = [];
  for (const { nest, x, y, seconds } of order) {
    const [cx, cy] = [atX(x), atY(y)];
    const radius = 4 + 10 * Math.sqrt(sum > 0 ? seconds / sum : 0);
    const { id } = data.nests[nest];
    const told = `${id}: ${ratio(x)} flop/B, ${withPrefix(y, "flop/s")}, ${data.roofline.points[nest][2] === null ? "not reached by any call that could be followed" : withPrefix(seconds, "s")}`;
    // One stop for the Tab key; arrows go on to the others.
    const group = drawn("g", { class: "point", role: "link", tabindex: groups.length === 0 ? 0 : -1, "aria-label": told, "data-nest": nest });
    groups.push(group);
    group.append(drawn("circle", { cx, cy, r: radius }));
    group.append(drawn("title", {}, told));
    group.addEventListener("click", () => showNest(nest));
    group.addEventListener("keydown", event => keyOnPoint(event, groups, group, nest));
    svg.append(group);
    const place = labels.length < 200 ? room(id, cx, cy, radius, taken) : null;
    if (place) {
      labelled++;
      labels.push(drawn("text", { class: "label", x: place.x, y: place.y }, id));
    }
  }
  svg.append(...labels);
  return labelled;
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

/** Beside the point, where no other label is. */
function room(text, cx, cy, radius, taken) {
  const width = 6.6 * text.length;
  const places = [[cx + radius + 4, cy + 4], [cx - radius - 4 - width, cy + 4], [cx - width / 2, cy - radius - 5], [cx - width / 2, cy + radius + 14]];
  for (const [x, y] of places) {
    const box = [x - 1, y - 11, x + width + 1, y + 3];
    const isInside = box[0] > FRAME.left && box[2] < FRAME.width - FRAME.right && box[1] > FRAME.top && box[3] < FRAME.height - FRAME.bottom;
    const isFree = taken.every(other => box[2] < other[0] || other[2] < box[0] || box[3] < other[1] || other[3] < box[1]);
    if (isInside && isFree) {
      taken.push(box);
      return { x, y };
    }
  }
  return null;
}
