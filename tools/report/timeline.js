// The timeline: a band per rank, what it sends above, what it receives below, arrows from sends to their receives.

const mostBars = 1500, mostBands = 64, laneHeight = 18, bandGap = 14, nameWidth = 62, axisHeight = 30;
const actions = {
  send: {name: "send", row: 0, color: "--sent", text: bar => `to ${bar.peer}`},
  receive: {name: "receive", row: 1, color: "--received", text: bar => `from ${bar.peer}`},
  receive_reduce: {name: "receive and reduce", row: 1, color: "--reduced", text: bar => `+ from ${bar.peer}`},
  copy: {name: "copy", row: 2, color: "--copied", text: () => "copy"},
  reduce: {name: "reduce", row: 2, color: "--reduced", text: () => "reduce"},
  reduce_many: {name: "reduce many", row: 2, color: "--reduced", text: () => "reduce"},
};

// The k-th send from one rank to another belongs to the k-th receive there from it, in the order of the list: both ends
// get the message's name, before bars are sorted or left out.
function namer() {
  const counts = new Map();
  return ({rank, what, peer}) => {
    if (peer < 0) return "";
    const end = what === "send" ? `${rank}>${peer} sent` : `${peer}>${rank} received`;
    counts.set(end, (counts.get(end) ?? 0) + 1);
    return `${end.split(" ")[0]} ${counts.get(end)}`;
  };
}

function barsOf(timeline) {
  const messageOf = namer();
  return timeline.activities
    .map(([rank, step, what, peer, bytes, begin, end]) => ({rank, step, what, peer, bytes, begin, end}))
    .map(bar => ({...bar, message: messageOf(bar)}))
    .filter(bar => bar.rank < mostBands && actions[bar.what])
    .sort((a, b) => a.begin - b.begin)
    .slice(0, mostBars);
}

// Each bar gets the first lane of its rank and kind that is free; lanes are counted from the top of the picture.
function place(bars) {
  const bands = numbersOf("rank", bars).map(rank => {
    const kinds = [[], [], []]; // of each kind, when each of its lanes is free again
    for (const bar of bars.filter(one => one.rank === rank)) {
      const lanes = kinds[actions[bar.what].row];
      const free = lanes.findIndex(end => end <= bar.begin + 1e-9);
      bar.lane = free >= 0 ? free : lanes.length;
      lanes[bar.lane] = bar.end;
    }
    return {rank, kinds};
  });
  let top = 6;
  for (const band of bands) {
    band.top = top;
    for (const bar of bars.filter(one => one.rank === band.rank)) {
      const above = band.kinds.slice(0, actions[bar.what].row).reduce((sum, lanes) => sum + lanes.length, 0);
      bar.top = top + (above + bar.lane) * laneHeight;
    }
    band.height = band.kinds.flat().length * laneHeight;
    top += band.height + bandGap;
  }
  return {bands, bottom: top - bandGap + 6};
}

function pair(bars) {
  const receives = new Map(bars.filter(one => one.what.startsWith("receive")).map(bar => [bar.message, bar]));
  return bars.filter(one => one.what === "send")
    .map(send => ({send, receive: receives.get(send.message)}))
    .filter(({receive}) => receive);
}

function barText(bar) {
  const peer = bar.peer < 0 ? "" : ` ${bar.what === "send" ? "to" : "from"} rank ${bar.peer}`;
  return `Rank ${bar.rank}, step ${bar.step}: ${actions[bar.what].name}${peer}, ${bytesText(bar.bytes)}, `
    + `${timeText(bar.begin)} to ${timeText(bar.end)}`;
}

function paintBar(bar, x, readout) {
  const width = Math.max(1.5, x(bar.end) - x(bar.begin));
  const show = () => { readout.textContent = barText(bar); };
  const style = `--hue: var(${actions[bar.what].color})`;
  return draw("g",
    {class: "bar", tabindex: "-1", role: "img", "aria-label": barText(bar), onfocus: show, onmouseenter: show},
    draw("title", {}, barText(bar)),
    draw("rect", {x: x(bar.begin), y: bar.top, width, height: laneHeight - 3, rx: 2, style}));
}

// Over the arrows, where it fits into the bar.
function labelOf(bar, x) {
  const text = actions[bar.what].text(bar);
  return x(bar.end) - x(bar.begin) > 7 * text.length + 6
    ? draw("text", {x: x(bar.begin) + 5, y: bar.top + laneHeight - 7, class: "label"}, text) : null;
}

function paintTime(end, x, bottom) {
  const rough = end / 6, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find(digit => digit * power >= rough) ?? 10);
  const ticks = Array.from({length: Math.floor(end / step + 1e-9) + 1}, (_, i) => i * step);
  const anchor = tick => tick === 0 ? "start" : "middle";
  return ticks.flatMap(tick => [
    draw("line", {x1: x(tick), x2: x(tick), y1: 0, y2: bottom, class: "tick"}),
    draw("text", {x: x(tick), y: bottom + 18, class: "time", "text-anchor": anchor(tick)}, timeText(tick)),
  ]);
}

function paint(timeline, width, readout) {
  const bars = barsOf(timeline), {bands, bottom} = place(bars), end = Math.max(...bars.map(bar => bar.end)) || 1;
  const x = us => nameWidth + us / end * (width - nameWidth - 24);
  const middle = bar => bar.top + (laneHeight - 3) / 2;
  const head =
    draw("marker", {id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto"},
      draw("path", {d: "M0 0.5L8 4L0 7.5z"}));
  const name = `Timeline of ${spoken(timeline.algorithm)}, ${ranksText(timeline.ranks)}, ${bytesText(timeline.bytes)}`;
  return draw("svg", {
    viewBox: `0 0 ${width} ${bottom + axisHeight}`,
    width,
    height: bottom + axisHeight,
    class: "gantt",
    role: "group",
    "aria-label": `${name}: ${bars.length} activities on ${bands.length} ranks in ${
      timeText(end)}. The data are in the table below.`
  },
    draw("defs", {}, head),
    bands.map(
      (band, i) => draw("rect",
        {x: 0, width, y: band.top - bandGap / 2, height: band.height + bandGap, class: i % 2 ? "band odd" : "band"})),
    paintTime(end, x, bottom),
    bands.map(band => draw("text", {x: 6, y: band.top + band.height / 2 + 3, class: "rank"}, `rank ${band.rank}`)),
    bars.map(bar => paintBar(bar, x, readout)),
    pair(bars).map(({send, receive}) => draw("line", {
      x1: x(send.begin),
      y1: middle(send),
      x2: x(receive.end),
      y2: middle(receive),
      class: "arrow",
      "marker-end": "url(#head)"
    })),
    bars.map(bar => labelOf(bar, x)));
}

// Left and right walk along the bars of a rank, up and down to the rank above or below.
function walkBars(event, svg, bars) {
  const groups = [...svg.querySelectorAll(".bar")], at = groups.indexOf(document.activeElement);
  if (at < 0) return;
  const here = bars[at], inRank = rank => bars.map((bar, i) => ({bar, i})).filter(({bar}) => bar.rank === rank);
  const along = inRank(here.rank), spot = along.findIndex(({i}) => i === at);
  const near = rank =>
    inRank(rank).sort((a, b) => Math.abs(a.bar.begin - here.begin) - Math.abs(b.bar.begin - here.begin))[0];
  const next = {
    ArrowRight: along[spot + 1],
    ArrowLeft: along[spot - 1],
    ArrowDown: near(here.rank + 1),
    ArrowUp: near(here.rank - 1)
  }[event.key];
  if (!next) return;
  event.preventDefault();
  groups[at].setAttribute("tabindex", "-1");
  groups[next.i].setAttribute("tabindex", "0");
  groups[next.i].focus();
}

let timelineZoom = 1, timelineAt = 0;

const timelineName = ({algorithm, ranks, bytes}) => `${spoken(algorithm)}, ${ranksText(ranks)}, ${bytesText(bytes)}`;

// All is drawn anew: whoever stood on a button stands there again.
function zoomTimeline(factor) {
  const button = document.activeElement?.getAttribute("aria-label") ?? "";
  timelineZoom = Math.min(32, Math.max(1, timelineZoom * factor));
  showTimeline();
  byId("timeline").querySelector(`button[aria-label="${CSS.escape(button)}"]`)?.focus();
}

function timelineSelect(timelines) {
  const onchange = event => {
    timelineAt = event.target.selectedIndex;
    timelineZoom = 1;
    showTimeline();
    byId("timeline").querySelector("select").focus();
  };
  return make("label", {}, "Schedule ", make("select", {onchange}, timelines.map((one, i) =>
    make("option", {selected: i === timelineAt, value: String(i)}, `${spoken(one.operation)}, ${timelineName(one)}`))));
}

function timelineKey(bars) {
  const there = Object.entries(actions).filter(([what]) => bars.some(bar => bar.what === what));
  return make("ul", {class: "key"}, there.map(([, action]) => {
    const item = make("li", {}, make("b", {class: "swatch"}), ` ${action.name}`);
    item.style.setProperty("--hue", `var(${action.color})`);
    return item;
  }));
}

const timelineData = (timeline, bars) => dataOf(`Activities of ${spoken(timeline.algorithm)}`,
  ["rank", "step", "what", "peer", "bytes", "begin", "end"],
  bars.map(bar => [
    String(bar.rank), String(bar.step), actions[bar.what].name, bar.peer < 0 ? "–" : String(bar.peer),
    bytesCell(bar.bytes), timeCell(bar.begin), timeCell(bar.end)
  ]), 3);

function showTimeline() {
  const section = byId("timeline"), figure = section.querySelector("figure");
  const timelines = raw.timelines.filter(timeline => timeline.activities.length > 0);
  section.hidden = timelines.length === 0;
  if (section.hidden) return;
  const timeline = timelines[timelineAt], bars = barsOf(timeline), scroll = make("div", {class: "scroll"});
  const readout = make("p", {class: "readout", role: "status"}, "Point at a bar, or walk with the arrow keys.");
  const buttons = zoomButtons(() => ({zoom: zoomTimeline, reset: () => zoomTimeline(0)}));
  const head = make("div", {class: "head"}, make("figcaption", {}, capital(timelineName(timeline))), buttons);
  figure.replaceChildren(
    ...timelines.length > 1 ? [timelineSelect(timelines)] : [],
    make("div", {class: "whole"}, head, readout, scroll, timelineKey(bars)),
    timelineData(timeline, bars));
  const svg = paint(timeline, Math.max(560, figure.clientWidth) * timelineZoom, readout);
  svg.addEventListener("keydown", event => walkBars(event, svg, bars));
  svg.querySelector(".bar")?.setAttribute("tabindex", "0");
  scroll.append(svg);
  say("timeline", timelineText(timeline, bars));
}
