// What the page was written with: deflated, and in base64, as the text of a page may be.

const CANNOT = "This browser cannot unpack the report: it has no DecompressionStream, which Chrome and Edge have from 80, Safari from 16.4 and "
  + "Firefox from 113 on. Open the page in a newer one, or take the workbook or --json.";

/** What stands in an element, as a response that has its bytes and its text. */
function unpack(id) {
  const text = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream);
}

/** The data and the formulas; puts the drawings in their place. */
async function unpackAll() {
  if (typeof DecompressionStream === "undefined") throw new Error(CANNOT);
  const [data, formulas, drawings] = await Promise.all([unpack("data").json(), unpack("formulas").arrayBuffer(), unpack("drawings").text()]);
  document.getElementById("graphs").insertAdjacentHTML("beforeend", drawings);
  return { data, formulas: new Formulas(new Uint8Array(formulas)) };
}
