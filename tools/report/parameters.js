// The machine: a line that all see, and its parameters in a table that unfolds.

function showMachine() {
  const {summary, hint, facts, columns, links} = raw.parameters;
  byId("machine").textContent = summary === "" ? raw.machine : sentences(`${summary}.`, hint && `${capital(hint)}.`);
  byId("parameters").hidden = summary === "";
  byId("parameters").append(
    make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Parameters of the machine"},
      facts.length > 0 ? tableOf("The machine", ["what", "value"], facts, 2) : null,
      links.length > 0 ? tableOf("Its links, by the length of a message", columns, links, 2) : null));
}
