// A lecture: the ways to sum, each with its picture, its figures and its reason, and sliders that all figures follow.

const isLecture = raw.lecture.lessons.length > 0;
const stepUs = raw.lecture.step_s * 1e6;

const busiest = row => Math.max(row.bytes_sent_max, row.bytes_received_max);
const rowOf = algorithm => cellOf(state.operation, state.ranks, state.bytes).find(row => row.algorithm === algorithm);
const bandwidthText = bits => bits >= 1e12 ? `${digits(bits / 1e12)}${gap}Tbit/s`
  : bits >= 1e9 ? `${digits(bits / 1e9)}${gap}Gbit/s` : `${digits(bits / 1e6)}${gap}Mbit/s`;

function asRing(row) {
  const ring = rowOf("ring"), little = 0.005; // what pieces of uneven size make
  if (!ring) return "";
  const ratio = busiest(row) / busiest(ring);
  return Math.abs(ratio - 1) < little || busiest(ring) === 0
    ? "as much as a rank of the ring" : `${timesText(ratio)} as much as a rank of the ring`;
}

// The lesson's text with the figures of what is chosen.
function reasonText(lesson, row) {
  const figures = {
    received: bytesText(row.bytes_received_max), sent: bytesText(row.bytes_sent_max), busiest: bytesText(busiest(row)),
    total: bytesText(row.total_bytes), as_ring: asRing(row), fan_in: countText(row.fan_in_max),
    rounds: countText(row.rounds), depth: countText(row.depth), segments: countText(row.segments),
    plural: row.segments === 1 ? "" : "s", per_node: countText(row.ranks_per_node), far: bytesText(row.far_bytes),
    sent_messages: digits(row.messages / row.ranks),
  };
  return lesson.reason.replace(/\{(\w+)[^}]*\}/g, (_, name) => figures[name]);
}

function factsOf(row) {
  const fastest = ranking(state.ranks, state.bytes)[0], us = timeOf(row);
  return [
    [`Time, ${sourceOf(row)}`, timeText(us)],
    ["Of the fastest", us !== null && fastest ? timesText(us / timeOf(fastest)) : "–"],
    [`Of a step of ${timeText(stepUs)}`, us === null ? "–" : partText(us / stepUs)],
    ["The busiest rank sends", bytesText(row.bytes_sent_max)],
    ["The busiest rank receives", bytesText(row.bytes_received_max)],
    ["Bandwidth that it needs", bandwidthText(8 * busiest(row) / raw.lecture.step_s)],
    ["Fan-in", countText(row.fan_in_max)],
    ["Rounds", countText(row.rounds)],
    ["Messages of all ranks", countText(row.messages)],
  ];
}

function cardOf(lesson) {
  const picture = make("img", {
    src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(lesson.picture)}`,
    alt: `${lesson.title}: the messages of an allreduce of 8 ranks`,
  });
  return make("article", {class: "lesson", "data-lesson": lesson.algorithm},
    make("h3", {}, sampleOf(lesson.algorithm), capital(lesson.title), make("code", {}, lesson.algorithm)),
    make("p", {class: "reason"}),
    make("div", {class: "sides"},
      make("figure", {}, picture, make("figcaption", {}, "The schedule on 8 ranks")),
      make("div", {class: "scroll facts"})));
}

function showLessons() {
  for (const lesson of raw.lecture.lessons) {
    const card = byId("lessons").querySelector(`[data-lesson="${CSS.escape(lesson.algorithm)}"]`);
    const row = rowOf(lesson.algorithm);
    card.querySelector(".reason").textContent = row ? reasonText(lesson, row) : "Not counted with so many ranks.";
    const place = `On ${ranksText(state.ranks)}, ${bytesText(state.bytes)}`;
    card.querySelector(".facts").replaceChildren(...row ? [tableOf(place, ["", ""], factsOf(row))] : []);
  }
}

// Logarithmic bars show the fast apart, linear ones how far the slow are behind.
let raceIsLinear = true;

const raceContent = () => barContent({
  linear: raceIsLinear,
  title: `time of a sum, ${named().name}`,
  unit: "time",
  text: timeText,
  base: 10,
  sets: [{key: state.time, name: "time", color: "--sent"}],
});

function raceText() {
  const ranked = ranking(state.ranks, state.bytes);
  if (ranked.length === 0) return "";
  const first = ranked[0], last = ranked.at(-1);
  return `To sum ${bytesText(state.bytes)} over ${ranksText(state.ranks)}, ${nameOf(first)} takes ${
    timeText(timeOf(first))}, and ${nameOf(last)} ${timesText(timeOf(last) / timeOf(first))} as long.`;
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
  const name = () => { button.textContent = raceIsLinear ? "Logarithmic bars" : "Linear bars"; };
  name();
  return button;
}

const sliders = [];

function beginLecture() {
  document.body.classList.add("lecture");
  document.querySelector(".brand span").textContent = "lecture";
  byId("title").textContent = "Ways to sum over many ranks";
  document.title = "tutti: ways to sum over many ranks";
  for (const id of ["race", "lessons"]) byId(id).hidden = false;
  byId("race").querySelector("figure").before(raceSwitch());
  figures.race = new Figure(byId("race").querySelector("figure"), false);
  byId("lessons").append(...raw.lecture.lessons.map(cardOf));
  const known = numbersOf("ranks", rows);
  state.bytes = raw.lecture.bytes;
  state.ranks = known.findLast(ranks => ranks <= 256) ?? known[0];
  sliders.push(slider("ranks"), slider("bytes"));
}

function refreshLecture() {
  for (const follow of sliders) follow();
  for (const id of ["glance", "timeline", "algorithms"]) byId(id).hidden = true;
  figures.race.refresh(raceContent());
  say("race", raceText());
  showLessons();
}
