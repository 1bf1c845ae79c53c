// The fields of the page: what is entered, and errors at the field that caused them.

const WORDS = { game: "name", moves: "text", diagram: "text" };

/** The fields of the game that is chosen. */
export function gameFields() {
  const name = document.getElementById("game").value;
  return document.querySelector(`.fields[data-game="${CSS.escape(name)}"]`) ?? document.createElement("div");
}

/** Shows the fields of the game that is chosen and hides those of others. */
export function showGameFields() {
  const own = gameFields();
  for (const fields of document.querySelectorAll(".fields[data-game]")) fields.hidden = fields !== own;
}

/** The game as it is entered: its name and its numbers; null, with errors at the fields, where a number is missing. */
export function enteredGame() {
  const game = { name: document.getElementById("game").value };
  let complete = true;
  for (const input of gameFields().querySelectorAll("input, select")) {
    game[input.name] = input.type === "number" ? input.valueAsNumber : input.value;
    if (Number.isNaN(game[input.name])) {
      complain(input, "A whole number, please.");
      complete = false;
    }
  }
  return complete ? game : null;
}

/** Puts a game into the form. */
export function enterGame(game) {
  document.getElementById("game").value = game.name;
  for (const input of gameFields().querySelectorAll("input, select")) input.value = game[input.name];
  showGameFields();
}

/** The visible input of a field by its name in a request; null where there is none. */
export function inputOf(name) {
  const found = [...document.querySelectorAll(`[name="${CSS.escape(WORDS[name] ?? name)}"]`)];
  return found.find((input) => input.closest("[hidden]") === null) ?? null;
}

/** Shows an error below its input, and tells assistive technology of it. */
export function complain(input, text) {
  forgive(input);
  const note = document.createElement("span");
  note.className = "wrong";
  note.id = `wrong-${input.name}`;
  note.setAttribute("role", "alert");
  note.textContent = text;
  input.closest("details")?.setAttribute("open", "");
  input.closest("label").after(note);
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", note.id);
  note.scrollIntoView({ block: "nearest" });
  input.focus();
}

/** Takes the error of an input away. */
export function forgive(input) {
  document.getElementById(`wrong-${input.name}`)?.remove();
  input.removeAttribute("aria-invalid");
  input.removeAttribute("aria-describedby");
}

/** Takes all errors of a form away. */
export function forgiveAll(form) {
  for (const input of form.querySelectorAll("[aria-invalid]")) forgive(input);
}
