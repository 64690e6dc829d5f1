// Time against size and against ranks: a line per algorithm.

const named = () => times.find(time => time.key === state.time) ?? {name: "time"};

// One of both charts: along `key` ("bytes" or "ranks"), at the rows that `at` keeps.
function lineContent(key, at, title, text, where) {
  const among = ofOperation().filter(at);
  const values = numbersOf(key, among), names = algorithms.filter(name => among.some(row => row.algorithm === name));
  const find = new Map(among.map(row => [`${row.algorithm}|${row[key]}`, row]));
  const time = (name, value) => {
    const row = find.get(`${name}|${value}`);
    return row ? timeOf(row) : null;
  };
  const visible = names.filter(name => !state.hidden.has(name));
  const best = values.map(value => Math.min(...visible.map(name => time(name, value) ?? Infinity)));
  const points = visible.flatMap(name => values.map(value => time(name, value))).filter(us => us !== null);
  const caption = `Time of ${spoken(state.operation)} (${named().name}) ${where}`;
  return {
    title: caption,
    label: `${caption}: ${visible.length} lines over ${values.length} points. The same data are in the table below.`,
    full: {x: around(values, 1.08), y: around(points)},
    names,
    data: dataOf(`${caption}, in µs`, [title.split(",")[0], ...names.map(spoken)],
      values.map(value => [{text: text(value), value}, ...names.map(name => {
        const us = time(name, value);
        return us === null ? "–" : {text: digits(us, 4), value: us, unit: "µs"};
      })])),
    config: {
      type: "line",
      data: {
        datasets: names.map(name => {
          const look = lookOf(name);
          return {
            label: spoken(name),
            series: name,
            hidden: state.hidden.has(name),
            spanGaps: true,
            data: values.map(value => ({x: value, y: time(name, value)})),
            borderColor: look.color,
            backgroundColor: look.color,
            borderWidth: 2,
            borderDash: look.dash,
            pointStyle: look.point,
            pointRadius: ({dataIndex}) => dataIndex % Math.ceil(values.length / 60) === 0 ? 3.5 : 0,
            pointHoverRadius: 6
          };
        })
      },
      options: {
        interaction: {mode: "index", intersect: false},
        scales: {x: logAxis(title, 2, text, 60), y: logAxis(`time, ${named().name}`, 10, timeText, 36)},
        plugins: {
          legend: {display: false},
          tooltip: {
            ...tooltip({
              title: ([{parsed: {x}}]) => key === "ranks" ? `${ranksText(x)}, ${bytesText(state.bytes)}`
                                                          : `${bytesText(x)}, ${ranksText(state.ranks)}`,
              label: ({dataset, parsed: {y}, dataIndex}) => `${dataset.label}: ${timeText(y)}, ${
                y < 1.005 * best[dataIndex] ? "fastest" : `${timesText(y / best[dataIndex])} the fastest`}`,
            }),
            itemSort: (a, b) => a.parsed.y - b.parsed.y
          }
        },
      },
    },
  };
}

const labelRoom = 72; // pixels above the chart, where no curve is

// The crossover sizes of what is shown: an upright line each, above it its size where there is room.
const uprightLines = changes => ({
  id: "crossovers",
  beforeDatasetsDraw({ctx, chartArea: {left, right, top, bottom}, scales: {x}}) {
    const room = 16; // pixels between two labels
    let label = -Infinity;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = css("--quiet");
    ctx.font = `12px ${css("--font")}`;
    ctx.textAlign = "right";
    ctx.setLineDash([2, 3]);
    for (const {at, size} of changes.map(({bytes, size}) => ({at: x.getPixelForValue(bytes), size}))) {
      if (at < left || at > right) continue;
      ctx.beginPath();
      ctx.moveTo(at, top - 4);
      ctx.lineTo(at, bottom);
      ctx.stroke();
      if (at - label < room) continue;
      label = at;
      ctx.save();
      ctx.translate(at + 4, top - labelRoom);
      ctx.rotate(-Math.PI / 2);
      ctx.fillText(size, 0, 0);
      ctx.restore();
    }
    ctx.restore();
  }
});

function sizeContent() {
  const content = lineContent("bytes", row => row.ranks === state.ranks, "size of the vector, bytes", bytesText,
    `on ${ranksText(state.ranks)} against the size`);
  const changes = crossoversOn(state.ranks)?.changes ?? [];
  content.config.plugins = [uprightLines(changes)];
  if (changes.length > 0) content.config.options.layout = {padding: {top: labelRoom}};
  return content;
}
const ranksContent = () => lineContent("ranks", row => row.bytes === state.bytes, "ranks", value => grouped(value),
  `at ${bytesText(state.bytes)} against the number of ranks`);
