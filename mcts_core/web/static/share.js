// The position as something to copy: a link, its moves, a diagram, a picture.

const LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity",
  "stop-color", "font-weight", "display"];
const PNG_SCALE = 3;

/** The board as an SVG of its own: what a style sheet says stands in its elements. */
export function svgText(picture) {
  const copy = picture.cloneNode(true);
  const originals = [picture, ...picture.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, index) => {
    const style = getComputedStyle(originals[index]);
    element.removeAttribute("class");
    element.removeAttribute("style");
    for (const name of LOOKS) {
      const value = style.getPropertyValue(name);
      if (value && !(name === "display" && value !== "none")) element.setAttribute(name, value.replaceAll('"', "'"));
    }
  });
  const { width, height } = picture.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.setAttribute("font-family", "system-ui, sans-serif");
  for (const name of ["id", "aria-hidden", "focusable"]) copy.removeAttribute(name);
  return new XMLSerializer().serializeToString(copy);
}

/** The board as PNG. */
export async function pngBlob(picture) {
  const text = svgText(picture);
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = PNG_SCALE * picture.viewBox.baseVal.width;
    canvas.height = PNG_SCALE * picture.viewBox.baseVal.height;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Copies the text; a browser that allows none throws. */
export function copyText(text) {
  return navigator.clipboard.writeText(text);
}

/** Copies a PNG, or saves it as a file where the browser copies no pictures; says which. */
export async function copyPicture(blob) {
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
    return "copied";
  } catch {
    saveFile(blob, "position.png");
    return "saved as position.png";
  }
}

/** Saves a file as a download. */
export function saveFile(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
