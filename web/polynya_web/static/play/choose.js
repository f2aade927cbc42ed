/** The form for a match: another game or number of players shows what goes with it at once. */

const form = document.getElementById("game");
form.addEventListener("change", () => form.requestSubmit());
form.querySelector("button").hidden = true;
