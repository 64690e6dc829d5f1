// What the charts show, said in words with the report's own numbers.

const mostRuns = 6; // who wins oftener in turn is better seen than told

const nameOf = row => spoken(row.algorithm);
const namesOf = runs => listText(distinct(runs.map(nameOf)));
const sentences = (...parts) => parts.filter(Boolean).join(" ");

const sizesOf = ranks => numbersOf("bytes", ofOperation().filter(row => row.ranks === ranks));
const ranksOf = bytes => numbersOf("ranks", ofOperation().filter(row => row.bytes === bytes));
const runsOfSizes = ranks => runsOf(sizesOf(ranks), bytes => ranking(ranks, bytes));
const runsOfRanks = bytes => runsOf(ranksOf(bytes), ranks => ranking(ranks, bytes));

const turnsText = runs => `now one, now another: ${namesOf(runs)} change places ${runs.length - 1}${gap}times`;

// "butterfly; from 23.52 KiB on halving_doubling", as the terminal has it
function fastestText({at_smallest, changes}) {
  const known = name => name === "" ? "not known" : name.startsWith("~") ? `~${spoken(name.slice(1))}` : spoken(name);
  return [known(at_smallest), ...changes.map(({size, to}) => `from ${size.replace(" ", gap)} on ${known(to)}`)].join("; ")
    + (changes.length === 0 ? " at all of these sizes" : "");
}

// "Tied with the fastest: one_shot at 3 of 24 sizes."
function tiesText(rankings, what) {
  const ties = rankings.flatMap(ranked => tiedIn(ranked).map(nameOf));
  const counts = distinct(ties).map(name => `${name} at ${grouped(ties.filter(one => one === name).length)}`);
  return counts.length === 0 ? "" : `Tied with the fastest: ${listText(counts)} of ${grouped(rankings.length)} ${what}.`;
}
const sizeTiesText = ranks => tiesText(sizesOf(ranks).map(bytes => ranking(ranks, bytes)), "sizes");

// "butterfly at 8 B to 16 KiB, then halving_doubling at 32 KiB"
function sizeRunsText(runs) {
  if (runs.length > mostRuns) return turnsText(runs);
  return runs.map(run => `${nameOf(run)} at ${spanText(distinct([run.from, run.to]), bytesText)}`).join(", then ");
}

// Who is the fastest at which size: between the sizes too where that is known for what is shown, else at each of them.
function sizeWinnersText(ranks, runs) {
  const found = crossoversOn(ranks);
  return found !== null ? fastestText(found) : runs.length === 1 ? `${nameOf(runs[0])} at all sizes` : sizeRunsText(runs);
}

const timeName = key => times.find(time => time.key === key)?.name ?? "time";

// What the crossover sizes are of, or for what they are known.
function crossoversText(ranks) {
  const all = fastestOn(ranks), here = crossoversOn(ranks);
  if (all === null) return "";
  if (here === null) return `The exact crossover sizes are known for the ${timeName(all.time)} times of all algorithms.`;
  if (here.changes.length === 0) return "";
  return `Crossover sizes, the upright lines, are those of the ${timeName(all.time)} times of all algorithms.`;
}

// "butterfly on 2 ranks, then halving_doubling on 4 to 8 ranks"
function ranksRunsText(runs) {
  if (runs.length > mostRuns) return turnsText(runs);
  const from = run => run.from === run.to ? "" : `${grouped(run.from)} to `;
  return runs.map(run => `${nameOf(run)} on ${from(run)}${ranksText(run.to)}`).join(", then ");
}

function slowestText(ranked, place) {
  if (ranked.length < 2) return "";
  const first = ranked[0], last = ranked.at(-1);
  return `${place} ${nameOf(first)} takes ${takenText(first)} and the slowest, ${nameOf(last)}, `
    + `${takenText(last)}: ${timesText(timeOf(last) / timeOf(first))} as long.`;
}

// Rows without the chosen time do not compete, and the reader is told.
function absentText(among) {
  const absent = distinct(among.filter(row => shown(row) && timeOf(row) === null).map(nameOf));
  return absent.length === 0
    ? "" : `Without ${state.time === "closed_form_us" ? "an exact" : "a"} ${named().name} time here, and so left out in places: ${listText(absent)}.`;
}

function sizeText() {
  const sizes = sizesOf(state.ranks), runs = runsOfSizes(state.ranks), place = `On ${ranksText(state.ranks)}`;
  if (runs.length === 0) return `No ${named().name} times ${place.toLowerCase()}.`;
  return sentences(
    `${place} the fastest is ${sizeWinnersText(state.ranks, runs)}.`, sizeTiesText(state.ranks),
    crossoversText(state.ranks),
    slowestText(ranking(state.ranks, sizes.at(-1)), `At ${bytesText(sizes.at(-1))}`),
    absentText(ofOperation().filter(row => row.ranks === state.ranks)));
}

// How times grow with the ranks, from the least to the most that there are.
function growthText(least, most) {
  const before = new Map(ranking(least, state.bytes).map(row => [row.algorithm, timeOf(row)]));
  const growth = ranking(most, state.bytes)
    .filter(row => before.has(row.algorithm))
    .map(row => ({row, by: timeOf(row) / before.get(row.algorithm)}))
    .sort((a, b) => a.by - b.by);
  if (least === most || growth.length < 2) return "";
  const [slow, fast] = [growth[0], growth.at(-1)];
  return `From ${grouped(least)} to ${ranksText(most)} the time of ${nameOf(slow.row)} grows least, `
    + `${digits(slow.by, 2)}-fold, and that of ${nameOf(fast.row)} most, ${digits(fast.by, 2)}-fold.`;
}

function ranksChartText() {
  const counts = ranksOf(state.bytes), runs = runsOfRanks(state.bytes), place = `At ${bytesText(state.bytes)}`;
  if (runs.length === 0) return `No ${named().name} times at ${bytesText(state.bytes)}.`;
  return sentences(
    runs.length === 1 ? `${place} ${nameOf(runs[0])} is fastest for every number of ranks shown.`
                      : `${place} the fastest is ${ranksRunsText(runs)}.`,
    tiesText(counts.map(ranks => ranking(ranks, state.bytes)), "numbers of ranks"),
    growthText(counts[0], counts.at(-1)));
}

function winnersText() {
  const places = distinct(ofOperation().map(row => `${row.ranks}|${row.bytes}`));
  const all = places.map(place => verdict(...place.split("|").map(Number))).filter(Boolean);
  if (all.length === 0) return "";
  const wins = algorithms.map(name => ({name, count: all.filter(one => one.winner.algorithm === name).length}))
    .filter(one => one.count > 0)
    .sort((a, b) => b.count - a.count)
    .map(one => `${spoken(one.name)} wins ${grouped(one.count)} (${partText(one.count / all.length)})`);
  const close = all.filter(one => one.margin !== null && one.margin < closeCall).length;
  const tied = all.filter(one => one.tied.length > 0).length;
  return sentences(
    `Of ${grouped(all.length)} pairs of ranks and size, ${listText(wins)}.`,
    "The stronger the colour, the further behind the next one is.",
    close === 0 ? "" : `${grouped(close)} of the wins ${close === 1 ? "is" : "are"} by less than 5${gap}%`
      + " (pale, in italics), where only a measurement can decide.",
    tied === 0 ? "" : `${grouped(tied)} ${tied === 1 ? "is" : "are"} tied (=): the first of the list is named.`,
    "Algorithms that you hide in a legend do not compete here.");
}

const inboundText = (row, frugal) => `takes in ${bytesText(row.bytes_received_max)}, `
  + `${timesText(row.bytes_received_max / frugal.bytes_received_max)} `
  + `the ${bytesText(frugal.bytes_received_max)} of ${nameOf(frugal)}`;

const serverText = (row, frugal) => row === null ? "" : sentences(
  `In ${nameOf(row)} one rank ${inboundText(row, frugal)}: its inbound link carries what ${grouped(row.fan_in_max)}`,
  "others send, while their links wait. That is how a central server collapses, and more ranks make it worse.");

const floodText = (row, frugal) => row === null ? "" : `In ${nameOf(row)} every rank ${inboundText(row, frugal)}.`;

const crowdText = (row, frugal) => row.fan_in_max <= frugal.fan_in_max ? "" : sentences(
  `In ${nameOf(row)} no rank takes in more than ${bytesText(row.bytes_received_max)},`,
  `${row.bytes_received_max > frugal.bytes_received_max ? "hardly more than" : "as little as"} in ${nameOf(frugal)};`,
  `but up to ${grouped(row.fan_in_max)} ranks send to one at once instead of ${grouped(frugal.fan_in_max)}:`,
  "real networks lose packets or wait when so many meet at one port (incast).");

// Why servers collapse: one rank drains what all send, or everyone drains everything, or all send at once.
function collapseText(cell) {
  const known = cell.filter(row => row.fan_in_max !== null && row.bytes_received_max > 0);
  if (known.length < 2) return "";
  const least = Math.min(...known.map(row => row.bytes_received_max));
  const most = among => among.reduce((a, b) => a && a.bytes_received_max >= b.bytes_received_max ? a : b, null);
  const share = row => row.bytes_received_max * row.ranks / row.total_bytes; // 1 where all ranks receive alike
  const frugal = known.filter(row => row.bytes_received_max <= 1.01 * least)
    .sort((a, b) => a.fan_in_max - b.fan_in_max);
  const heavy = known.filter(row => row.bytes_received_max > 1.5 * least && row.fan_in_max > 1 && row.total_bytes > 0);
  return sentences(
    serverText(most(heavy.filter(row => share(row) > 1.5)), frugal[0]),
    floodText(most(heavy.filter(row => share(row) <= 1.5)), frugal[0]),
    crowdText(frugal.at(-1), frugal[0]));
}

function countsText() {
  const cell = cellOf(state.operation, state.ranks, state.bytes).filter(shown);
  const place = `${bytesText(state.bytes)} on ${ranksText(state.ranks)}`;
  return sentences(`What the busiest rank moves for ${place}, counted from the schedules.`, collapseText(cell));
}

function predictionText() {
  const found = comparisons();
  if (found.length === 0) return "None of the rows shown has both a prediction and a measurement.";
  const near = found.filter(one => Math.abs(one.error) <= 0.25).length;
  const {row, error, predicted, measured} = found.reduce((a, b) => Math.abs(b.error) > Math.abs(a.error) ? b : a);
  const on = ranks => medianError(found.filter(one => one.row.ranks === ranks));
  const counts = numbersOf("ranks", found.map(one => one.row));
  const medians = counts.map(ranks => `${partText(on(ranks))} on ${ranksText(ranks)}`);
  return sentences(
    `The median absolute error is ${listText(medians)};`,
    `${grouped(near)} of ${grouped(found.length)} predictions are within 25${gap}% (between the dotted lines).`,
    "Below the diagonal lies what took longer than predicted, above it what took less.",
    `The largest error is ${percentText(error)}: ${nameOf(row)}, ${ranksText(row.ranks)}, ${bytesText(row.bytes)},`,
    `predicted ${timeText(predicted)}, measured ${timeText(measured)}.`);
}

function timelineText({algorithm, operation, ranks, bytes, activities}, bars) {
  const end = Math.max(...bars.map(bar => bar.end)), left = activities.length - bars.length;
  return sentences(
    `${capital(spoken(algorithm))} ${spoken(operation)} of ${bytesText(bytes)} on ${ranksText(ranks)}:`,
    `${grouped(pair(bars).length)} messages, done after ${timeText(end)}.`,
    "An arrow begins where a send begins and ends where its receive is complete; white space is a rank that waits.",
    left > 0 ? `Of ${grouped(activities.length)} activities ${grouped(bars.length)} are drawn.` : "");
}

const mostTold = 6; // numbers of ranks at a glance
const ranksListText = counts => listText([...counts.slice(0, -1).map(grouped), ranksText(counts.at(-1))]);

// The first things to know, [lead, rest] each: who wins, what that is worth, whether the model holds.
function findings() {
  const counts = numbersOf("ranks", ofOperation()), list = [];
  const told = counts.filter(ranks => runsOfSizes(ranks).length > 0), first = thinned(told, mostTold);
  for (const ranks of first) {
    const winners = `${sizeWinnersText(ranks, runsOfSizes(ranks))}.`;
    list.push([`${ranksText(ranks)}, ${named().name}: `, sentences(winners, sizeTiesText(ranks))]);
  }
  const rest = told.filter(ranks => !first.includes(ranks)), without = counts.filter(ranks => !told.includes(ranks));
  if (rest.length > 0) {
    list.push(["Not told here: ", `${ranksListText(rest)}, which are in the map of the winners below.`]);
  }
  if (without.length > 0) list.push([`No ${named().name} time: `, `on ${ranksListText(without)}.`]);
  if (told.length === 0) return list;
  const most = told.at(-1), size = sizesOf(most).at(-1);
  const worth = slowestText(ranking(most, size), `On ${ranksText(most)}, at ${bytesText(size)},`);
  if (worth) list.push(["What choosing is worth: ", worth]);
  const found = comparisons(), over = `over ${grouped(found.length)} measurements`;
  if (found.length > 0) {
    list.push(["Does the model hold? ", `Its median absolute error ${over} is ${partText(medianError(found))}.`]);
  }
  return list;
}
