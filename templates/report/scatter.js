// Predicted against run, log-log: a point a quantity of a nest, on the diagonal where both agree.

/** Outlines around the origin, one for each series, so that colour is not what tells them apart. */
const MARKS = [
  r => `M${-r} 0A${r} ${r} 0 1 0 ${r} 0A${r} ${r} 0 1 0 ${-r} 0Z`,
  r => `M${-r} ${-r}H${r}V${r}H${-r}Z`,
  r => `M0 ${-1.3 * r}L${1.2 * r} ${0.9 * r}H${-1.2 * r}Z`,
  r => `M0 ${-1.4 * r}L${1.4 * r} 0L0 ${1.4 * r}L${-1.4 * r} 0Z`,
];
/** How far the sides may be apart, relatively, to be called equal: they are sums of the same terms in another order. */
const EQUAL = 1e-9;

function startScatter() {
  const section = document.getElementById("scatter");
  section.append(
    element("h2", { id: "scatter-title" }, "Predicted against run"),
    element("p", { class: "remark" }, "Each quantity of each nest: prediction across, run up. On the line both are equal. "
      + "Select a heading of the next table to find the points far from it."),
    element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Drawing of predicted against seen" }, element("div", { id: "scatter-drawing" })),
    element("p", { class: "remark", id: "scatter-note" }),
  );
  section.setAttribute("aria-labelledby", "scatter-title");
}

function drawScatter() {
  if (!data.scatter) return;
  const valued = data.scatter.points.map(([series, nest, quantity, predicted, done]) => ({ series, nest, quantity, done, predicted: Array.isArray(predicted) ? predicted[0] : f(predicted) }));
  const points = valued.filter(({ predicted, done }) => predicted > 0 && done > 0 && Number.isFinite(predicted) && Number.isFinite(done));
  const [low, high] = decades(points.flatMap(({ predicted, done }) => [predicted, done]));
  const inner = { width: FRAME.width - FRAME.left - FRAME.right, height: FRAME.height - FRAME.top - FRAME.bottom };
  const atX = x => FRAME.left + (Math.log10(x) - low) / (high - low) * inner.width;
  const atY = y => FRAME.top + inner.height - (Math.log10(y) - low) / (high - low) * inner.height;
  const isEqual = ({ predicted, done }) => Math.abs(predicted - done) <= EQUAL * Math.max(predicted, done);
  const equal = points.filter(isEqual).length;
  const worst = points.reduce((worst, point) => offBy(point) > (worst ? offBy(worst) : 0) ? point : worst, null);
  const told = worst && !isEqual(worst) ? `Farthest off: ${worst.quantity} of ${worst.nest}, ${ratio(worst.done / worst.predicted)} times what was predicted.` : "";
  const about = `${equal} of ${points.length} quantities are the same on both sides. ${told}`.trim();
  const svg = drawn("svg", { viewBox: `0 0 ${FRAME.width} ${FRAME.height}`, role: "img", "aria-labelledby": "scatter-name scatter-about" });
  svg.append(drawn("title", { id: "scatter-name" }, "Predicted against run"), drawn("desc", { id: "scatter-about" }, about));
  drawAxes(svg, [low, high], [low, high], atX, atY, ["predicted from the source", "seen in the run"]);
  svg.append(drawn("line", { class: "roof", x1: atX(10 ** low), y1: atY(10 ** low), x2: atX(10 ** high), y2: atY(10 ** high) }));
  // Bytes below, iterations on top.
  for (const point of [...points].sort((a, b) => b.series - a.series)) {
    const mark = drawn("path", { class: `series-${point.series}`, d: MARKS[point.series](4), transform: `translate(${atX(point.predicted)} ${atY(point.done)})` });
    mark.append(drawn("title", {}, `${point.nest}, ${point.quantity}: ${count(point.predicted)} predicted, ${count(point.done)} in the run`));
    svg.append(mark);
  }
  data.scatter.series.forEach((name, series) => {
    const y = FRAME.top + 18 + 18 * series;
    svg.append(drawn("path", { class: `series-${series}`, d: MARKS[series](4.5), transform: `translate(${FRAME.left + 16} ${y - 4})` }));
    const own = points.filter(point => point.series === series);
    svg.append(drawn("text", { x: FRAME.left + 28, y }, `${name}: ${own.filter(isEqual).length} of ${own.length} the same`));
  });
  document.getElementById("scatter-drawing").replaceChildren(svg);
  const none = valued.length - points.length;
  document.getElementById("scatter-note").textContent = about + (none > 0 ? ` ${none} ${none === 1 ? "has" : "have"} nothing on one side or both, and so no place here.` : "");
}

/** How many times one side is the other. */
const offBy = ({ predicted, done }) => Math.max(predicted / done, done / predicted);
