// Round by round: what each rank of a schedule holds, as a table to step through.

const player = {algorithm: null, round: 0, playing: null};
const secondsOfRound = 1.2;

// The drawing on as many ranks as are chosen, or the nearest there is.
const drawingOf = lesson => lesson.pictures.reduce((a, b) =>
  Math.abs(Math.log(b.ranks / state.ranks)) < Math.abs(Math.log(a.ranks / state.ranks)) ? b : a);

// "0–3, 6" of the bits of a set of ranks; all of them are a sum that is done.
function setText(bits, ranks) {
  if (bits === 0) return "–";
  if (bits === 2 ** ranks - 1) return "all";
  const runs = [];
  for (let rank = 0; rank < ranks; ++rank) {
    if (!(bits >> rank & 1)) continue;
    if (runs.at(-1)?.[1] === rank - 1) runs.at(-1)[1] = rank;
    else runs.push([rank, rank]);
  }
  return runs.map(([a, b]) => a === b ? `${a}` : `${a}–${b}`).join(", ");
}

const chunksText = (first, count) => count === 1 ? `chunk ${first}` : `chunks ${first}–${first + count - 1}`;
const messageText = ([, from, to, first, count, reduced]) =>
  `${from} → ${to}: ${chunksText(first, count)}${reduced ? ", added" : ""}`;

function showPlayer() {
  const lesson = raw.lecture.lessons.find(one => one.algorithm === player.algorithm);
  const {ranks, messages, holds} = drawingOf(lesson), last = holds.length - 1;
  player.round = Math.min(player.round, last);
  const {round} = player, now = holds[round], before = holds[Math.max(0, round - 1)];
  const table = tableOf(`Whose data each rank holds ${round === 0 ? "at first" : `after round ${round}`}`,
    ["rank", ...now[0].map((_, chunk) => `chunk ${chunk}`)],
    now.map((line, rank) => [`rank ${rank}`, ...line.map(bits => setText(bits, ranks))]));
  [...table.tBodies[0].rows].forEach((row, rank) => [...row.cells].slice(1).forEach((cell, chunk) => {
    const bits = now[rank][chunk], share = bits.toString(2).replaceAll("0", "").length / ranks;
    cell.style.setProperty("--strength", `${Math.round(60 * share)}%`);
    cell.classList.toggle("new", bits !== before[rank][chunk]);
    cell.classList.toggle("done", share === 1);
  }));
  const sent = messages.filter(message => message[0] === round).map(messageText);
  const section = byId("player"), controls = section.querySelector(".steps");
  section.querySelector(".holds").replaceChildren(table);
  section.querySelector(".readout").textContent = round === 0 ? "Each rank has its own data."
    : `Round ${round} of ${last}. ${sent.join("; ")}.`;
  const range = controls.querySelector("input");
  range.max = last;
  range.value = round;
  controls.querySelector('[data-step="-1"]').disabled = round === 0;
  controls.querySelector('[data-step="1"]').disabled = round === last;
  controls.querySelector("[data-play]").textContent = player.playing === null ? "Play" : "Pause";
  say("player", `${capital(lesson.title)} on ${ranksText(ranks)}${ranks === state.ranks ? "" :
    `, since ${ranksText(state.ranks)} are not drawn`}, the vector in ${grouped(now[0].length)}${gap}chunk${
    now[0].length === 1 ? "" : "s"}. A cell tells whose data are in the fullest sum that the rank has of the chunk; ${
    ""}framed is what has changed. A rank sends one message and receives one in a round.`);
}

function stepPlayer(by) {
  player.round += by;
  showPlayer();
}

function pausePlayer() {
  clearInterval(player.playing);
  player.playing = null;
}

function playPlayer() {
  const range = byId("player").querySelector("input");
  if (player.playing !== null) pausePlayer();
  else {
    if (player.round === Number(range.max)) player.round = 0;
    player.playing = setInterval(() => {
      ++player.round;
      if (player.round >= Number(range.max)) pausePlayer();
      showPlayer();
    }, 1000 * secondsOfRound);
  }
  showPlayer();
}

function beginPlayer() {
  const {lessons} = raw.lecture, section = byId("player");
  player.algorithm = lessons.find(one => one.algorithm === "ring")?.algorithm ?? lessons[0].algorithm;
  const select = make("select", {onchange: event => {
    pausePlayer();
    Object.assign(player, {algorithm: event.target.value, round: 0});
    showPlayer();
  }}, lessons.map(one =>
    make("option", {value: one.algorithm, selected: one.algorithm === player.algorithm}, capital(one.title))));
  const step = (by, name) => make("button", {type: "button", "data-step": by, onclick: () => {
    pausePlayer();
    stepPlayer(by);
  }}, name);
  section.hidden = false;
  section.append(make("p", {class: "steps"}, make("label", {}, "Schedule ", select),
    step(-1, "Back"), step(1, "Forward"),
    make("button", {type: "button", "data-play": true, onclick: playPlayer}, "Play"),
    make("input", {type: "range", min: 0, step: 1, "aria-label": "round", oninput: event => {
      pausePlayer();
      player.round = Number(event.target.value);
      showPlayer();
    }})),
    make("p", {class: "readout", role: "status"}),
    make("div", {class: "scroll holds", tabindex: "0", role: "region", "aria-label": "What each rank holds"}));
}
