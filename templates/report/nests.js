// Nests beside their source.

const nestTable = data.tables.find(table => table.id === "nests");
/** Nests, the costliest first as the page was opened. */
let ranked = [];
const cardPage = { first: 0, size: 10 };
let cardPager;

function showCards() {
  const seen = cardPage.size === Infinity ? ranked : ranked.slice(cardPage.first, cardPage.first + cardPage.size);
  document.getElementById("cards").replaceChildren(...seen.map(card));
  cardPager.show(ranked.length);
}

/** All nests while the page is printed. */
function printCards(isPrinted) {
  if (ranked.length === 0) return;
  if (isPrinted) cardPage.onScreen = { first: cardPage.first, size: cardPage.size };
  Object.assign(cardPage, isPrinted ? { first: 0, size: Infinity } : cardPage.onScreen);
  showCards();
}

function startCards() {
  const seconds = nest => f[data.roofline.points[nest][2] ?? -1];
  const key = nest => Number.isFinite(seconds(nest)) ? seconds(nest) : -1;
  ranked = data.nests.map((nest, index) => index).sort((a, b) => key(b) - key(a) || a - b);
  if (options.rows === "all") cardPage.size = Infinity;
  cardPager = pager("nests", cardPage, [10, 50, Infinity], showCards);
  document.getElementById("source-pager").append(cardPager.controls);
  if (ranked.length > 0) return showCards();
  cardPager.show(0);
  document.getElementById("cards").append(element("p", {}, "No loop was found."));
}

/** Turns to the page with a nest. */
function showNest(nest) {
  const rank = ranked.indexOf(nest);
  if (cardPage.size !== Infinity) cardPage.first = rank - rank % cardPage.size;
  showCards();
  const target = document.getElementById(`nest-${nest}`);
  target.scrollIntoView({ block: "start" });
  target.focus({ preventScroll: true });
}

function linkToNest(nest, text) {
  const link = element("button", { type: "button", class: "link", title: "Show its source" }, text);
  link.onclick = () => showNest(nest);
  return link;
}

function card(nest) {
  const place = data.nests[nest];
  const title = element("h3", { id: `nest-${nest}-title` }, place.id, element("small", {}, ` ${place.file}:${place.line}`));
  return element("article", { id: `nest-${nest}`, tabindex: -1, "aria-labelledby": title.id },
    title, data.live[nest] ? "" : element("p", { class: "remark" }, "⚓ These figures do not follow the inputs: see the summary."),
    element("div", { class: "beside" }, source(place), cardFigures(nest)), ...reasons(place));
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

function cardFigures(nest) {
  const list = element("dl", { class: "figures" });
  nestTable.columns.forEach((column, index) => {
    const cell = nestTable.rows[nest][index];
    const isFigure = typeof cell === "number" || Array.isArray(cell) && cell.length === 2;
    if (!isFigure || !data.card.some(([group, header]) => column.group === group && (!header || column.header === header))) return;
    const value = element("dd");
    bind(value, typeof cell === "number" ? cell : cell[0], column, typeof cell === "number" ? undefined : data.choices[cell[1]]);
    const short = column.group.split(" over ")[0];
    const name = data.plain.includes(column.group) ? column.header : `${short}: ${column.header.toLowerCase()}`;
    list.append(element("div", {}, element("dt", { title: column.meaning }, name), value));
  });
  return list;
}

function reasons(place) {
  const items = place.reasons.map(([code, line, detail]) => element("li", {}, element("code", {}, code), ` line ${line}: ${detail}`));
  const ratio = code => code === "check_failed" && place.disagreement ? ` ${place.disagreement.toPrecision(3)} times the bytes of a run` : "";
  items.push(...place.codes.map(code => element("li", {}, element("code", {}, code), ratio(code))));
  return items.length === 0 ? [] : [element("p", { class: "remark" }, "Not understood or not exact, and so not or only roughly in these figures:"), element("ul", { class: "reasons" }, ...items)];
}
