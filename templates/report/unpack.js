// What the page was written with: deflated, and in base64, as the text of a page may be.

const CANNOT = "This browser cannot unpack the report: it has no DecompressionStream, which Chrome and Edge have from 80, Safari from 16.4 and "
  + "Firefox from 113 on. Open the page in a newer one, or take the workbook or --json.";

async function unpack(id) {
  const text = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

/** Runs the formulas, which define `f`, `figures` and `derived`, puts the drawings in their place, and reads the data. */
async function unpackAll() {
  if (typeof DecompressionStream === "undefined") throw new Error(CANNOT);
  const [text, formulas, drawings] = await Promise.all(["data", "formulas", "drawings"].map(unpack));
  const script = document.createElement("script");
  script.textContent = formulas;
  document.head.append(script);
  script.remove();
  document.getElementById("graphs").insertAdjacentHTML("beforeend", drawings);
  return JSON.parse(text);
}
