// A lecture: the ways to sum, each with its picture, its figures and its reason, and sliders that all figures follow.

const isLecture = raw.lecture.lessons.length > 0;
const stepUs = raw.lecture.step_s * 1e6;

const busiest = row => Math.max(row.bytes_sent_max, row.bytes_received_max);
const rowOf = algorithm => cellOf(state.operation, state.ranks, state.bytes).find(row => row.algorithm === algorithm);
const bandwidthText = bits => bits >= 1e12 ? `${digits(bits / 1e12)}${gap}Tbit/s`
  : bits >= 1e9 ? `${digits(bits / 1e9)}${gap}Gbit/s` : `${digits(bits / 1e6)}${gap}Mbit/s`;

function asRing(row) {
  const ring = 2 * (row.ranks - 1) / row.ranks * row.bytes, little = 0.005; // what pieces of uneven size make
  const ratio = busiest(row) / ring;
  return Math.abs(ratio - 1) < little || ring === 0
    ? "as much as a rank of the ring" : `${timesText(ratio)} as much as a rank of the ring`;
}

function byNodes(row) {
  const perNode = row.ranks_per_node;
  if (perNode === 1 || perNode >= row.ranks)
    return `Here a node has ${Math.min(perNode, row.ranks)} of the ${row.ranks} ranks, so that this is one ring of all of them`;
  return `The ranks of a node (${countText(perNode)}) sum among themselves first, so that of ${bytesText(row.total_bytes)} only `
    + `${bytesText(row.far_bytes)} go between nodes`;
}

// The lesson's text with the figures of what is chosen.
function reasonText(lesson, row) {
  const figures = {
    received: bytesText(row.bytes_received_max), sent: bytesText(row.bytes_sent_max), busiest: bytesText(busiest(row)),
    total: bytesText(row.total_bytes), as_ring: asRing(row), fan_in: countText(row.fan_in_max),
    rounds: countText(row.rounds), depth: countText(row.depth), segments: countText(row.segments),
    plural: row.segments === 1 ? "" : "s", by_nodes: byNodes(row),
    sent_messages: digits(row.messages / row.ranks),
  };
  return lesson.reason.replace(/\{(\w+)[^}]*\}/g, (_, name) => figures[name]);
}

function factsOf(row) {
  const fastest = ranking(state.ranks, state.bytes)[0], us = timeOf(row);
  return [
    [`Time, ${sourceOf(row)}`, takenText(row)],
    ["Times the fastest's", us !== null && fastest ? timesText(us / timeOf(fastest)) : "–"],
    [`Of a step of ${timeText(stepUs)}`, us === null ? "–" : partText(us / stepUs)],
    ["The busiest rank sends", bytesText(row.bytes_sent_max)],
    ["The busiest rank receives", bytesText(row.bytes_received_max)],
    ["Bandwidth that it needs", bandwidthText(8 * busiest(row) / raw.lecture.step_s)],
    ["Fan-in", countText(row.fan_in_max)],
    ["Rounds", countText(row.rounds)],
    ["Messages of all ranks", countText(row.messages)],
  ];
}

// Hockney's time of the call: what the symbols say, the numbers put in, and what each part comes to.
function formulaOf(lesson, row) {
  const {hockney} = raw.lecture, {formula} = lesson, symbols = ["α", "β", "γ"];
  if (hockney === null) return ["The machine is not given by α, β and γ, so there is no formula to put its numbers into."];
  if (row.closed_form_us === null) return [`The algorithm states no formula; ${named().name}: ${timeText(timeOf(row))}.`];
  if (row.terms === null) return [`No sum of α, β and γ gives its time here; ${named().name}: ${timeText(timeOf(row))}.`];
  const factor = text => /^[^ ]+$/.test(text) || !text.includes("−") || text.includes("(") ? text : `(${text})`;
  const holds = !formula.join().includes("log") || Number.isInteger(Math.log2(row.ranks));
  const parts = row.terms.map((count, i) => count * hockney[i] * 1e6), sum = parts.reduce((a, b) => a + b);
  const unit = [timeText(hockney[0] * 1e6), ...hockney.slice(1).map(one => `${digits(one * 1e9)}${gap}ns/B`)];
  const counts = [digits(row.terms[0], 4), bytesText(row.terms[1]), bytesText(row.terms[2])];
  const us = timeOf(row), differs = us !== null && Math.abs(us / sum - 1) > 0.005;
  const by = state.time === "closed_form_us" ? ", an estimate; simulated" : `; ${named().name}`;
  const takes = differs ? `${by} ${timeText(us)}` : "";
  // Shards are whole bytes, which of few bytes are no equal parts.
  const whole = !formula.join().includes("/ P") || row.bytes % row.ranks === 0;
  const said = formula[0] === "" || !holds || !whole ? []
    : [`T = ${formula.map((text, i) => `${factor(text)}${gap}${symbols[i]}`).join(" + ")}`];
  return [
    ...said,
    `${said.length > 0 ? "" : "T "}= ${counts.map((count, i) => `${count} · ${unit[i]}`).join(" + ")}`,
    `= ${parts.map(timeText).join(" + ")} = ${timeText(sum)}${takes}`,
  ];
}

function cardOf(lesson) {
  return make("article", {class: "lesson", "data-lesson": lesson.algorithm},
    make("h3", {}, sampleOf(lookOf(lesson.algorithm)), capital(lesson.title), make("code", {}, lesson.algorithm)),
    lesson.other_name === "" ? null : make("p", {class: "other-name"}, `In textbooks: ${lesson.other_name}.`),
    make("p", {class: "reason"}),
    make("p", {class: "formula"}),
    make("div", {class: "sides"},
      make("figure", {}, make("img"), make("figcaption")),
      make("div", {class: "scroll facts"})));
}

// On as many ranks as the text speaks of, where so many can be drawn.
function showPicture(card, lesson) {
  const {ranks, svg} = drawingOf(lesson);
  fill(card.querySelector("img"), {
    src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`,
    alt: `${lesson.title}: the messages of an allreduce of ${ranksText(ranks)}`,
  }, []);
  card.querySelector("figcaption").textContent = `The schedule on ${ranksText(ranks)}${ranks === state.ranks ? "" :
    `; the text and the figures are of ${grouped(state.ranks)}, which are too many to draw`}`;
}

function showLessons() {
  for (const lesson of raw.lecture.lessons) {
    const card = byId("lessons").querySelector(`[data-lesson="${CSS.escape(lesson.algorithm)}"]`);
    const row = rowOf(lesson.algorithm);
    card.querySelector(".reason").textContent = row ? reasonText(lesson, row) : "Not counted with so many ranks.";
    const place = `On ${ranksText(state.ranks)}, ${bytesText(state.bytes)}`;
    card.querySelector(".formula").replaceChildren(
      ...row ? formulaOf(lesson, row).flatMap(line => [line, make("br")]) : []);
    showPicture(card, lesson);
    card.querySelector(".facts").replaceChildren(...row ? [tableOf(place, ["what", "value"], factsOf(row))] : []);
  }
}

// Points on a logarithmic axis show the fast apart, bars how far the slow are behind.
let raceIsLinear = true;

const raceContent = () => barContent({
  linear: raceIsLinear,
  title: `time of ${isLecture ? "a sum" : spoken(state.operation)}, ${named().name}`,
  unit: "time",
  text: timeText,
  cellOf: timeCell,
  sets: [{key: state.time, name: "time", color: "--sent"}],
});

function raceText() {
  const ranked = ranking(state.ranks, state.bytes);
  if (ranked.length === 0) return "";
  const first = ranked[0], last = ranked.at(-1);
  const what = isLecture ? "To sum" : `For the ${spoken(state.operation)} of`;
  return `${what} ${bytesText(state.bytes)} over ${ranksText(state.ranks)}, ${nameOf(first)} takes ${
    takenText(first)}${last === first ? "" :
    `, and ${nameOf(last)} ${timesText(timeOf(last) / timeOf(first))} as long`}.`;
}

// A slider beside a choice of numbers, which moves through the same values.
function slider(id) {
  const choice = byId(id);
  const input = make("input", {type: "range", min: 0, step: 1, "aria-label": `${id}, by a slider`, oninput() {
    choice.selectedIndex = Number(input.value);
    choice.dispatchEvent(new Event("change"));
  }});
  choice.after(input);
  return () => {
    input.max = choice.options.length - 1;
    input.value = choice.selectedIndex;
  };
}

function raceSwitch() {
  const button = make("button", {type: "button", class: "scale", onclick() {
    raceIsLinear = !raceIsLinear;
    name();
    refresh();
  }});
  const name = () => { button.textContent = raceIsLinear ? "Logarithmic points" : "Linear bars"; };
  name();
  return button;
}

const sliders = [];

function beginLecture() {
  document.body.classList.add("lecture");
  document.querySelector(".brand span").textContent = "lecture";
  byId("title").textContent = "Ways to sum over many ranks";
  document.title = "tutti: ways to sum over many ranks";
  byId("lessons").hidden = false;
  byId("lessons").append(...raw.lecture.lessons.map(cardOf));
  const known = numbersOf("ranks", rows);
  state.bytes = raw.lecture.bytes;
  state.ranks = known.findLast(ranks => ranks <= 8) ?? known[0]; // what is drawn; the slider leads to more
  beginPlayer();
  sliders.push(slider("ranks"), slider("bytes"));
}

function refreshLecture() {
  for (const follow of sliders) follow();
  for (const id of ["glance", "timeline", "algorithms"]) byId(id).hidden = true;
  showLessons();
  showPlayer();
}
