// Bars from nothing on, one per algorithm and figure, the figure at its end. Where lengths would tell too little,
// points on a logarithmic axis: a bar there would begin anywhere.

const figuresAtEnds = text => ({
  id: "figures",
  afterDatasetsDraw(chart) {
    const {ctx} = chart;
    ctx.save();
    ctx.fillStyle = css("--ink");
    ctx.font = `${Chart.defaults.font.size - 1}px ${css("--font")}`;
    ctx.textBaseline = "middle";
    chart.data.datasets.forEach((set, i) => chart.getDatasetMeta(i).data.forEach((bar, j) => {
      if (set.data[j] !== null) ctx.fillText(text(set.data[j]), bar.x + 8, bar.y);
    }));
    ctx.restore();
  },
});

const logBarAxis = (unit, text, [min, max]) => ({...logAxis(`${unit}, logarithmic`, 10, text, 100), min, max});

// From nothing on: a bar twice as long is twice as much.
const linearBarAxis = (unit, text) => ({
  type: "linear",
  beginAtZero: true,
  title: {display: true, text: unit, color: css("--ink")},
  grid: {color: css("--grid"), drawTicks: false, drawBorder: false},
  ticks: {
    color: css("--quiet"),
    padding: 6,
    maxRotation: 0,
    autoSkip: false,
    callback: value => value === 0 ? "0" : text(value)
  },
  afterBuildTicks: axis => {
    const most = Math.max(2, Math.floor((axis.chart.width - axis.chart.options.layout.padding.right) / 130));
    const rough = axis.max / most;
    const power = unit === "bytes" ? 2 ** Math.ceil(Math.log2(rough)) : 10 ** Math.floor(Math.log10(rough));
    const nice = unit === "bytes" ? power : [1, 2, 5, 10].map(digit => digit * power).find(one => one >= rough);
    const step = unit === "time" ? nice : Math.max(1, nice); // half a message is none
    axis.ticks = Array.from({length: Math.floor(axis.max / step) + 1}, (_, i) => ({value: i * step}));
  },
});

// A name in as many lines as fit beside bars of that width: Chart.js gives names half of the chart, and clips what is
// longer.
const pen = document.createElement("canvas").getContext("2d");
const rightOf = font => 6 * font; // for the figures at the ends
function linesOf(name, width) {
  const font = Chart.defaults.font.size, room = (width - rightOf(font)) / 2 - 20, lines = [""];
  pen.font = `${font}px ${css("--font")}`;
  for (const word of name.match(/[^ _:]+[ _:]?/g) ?? [name]) {
    const longer = lines.at(-1) + word;
    if (lines.at(-1) !== "" && pen.measureText(longer.trim()).width > room) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.map(line => line.trim());
}

// All rows are as high as the highest name.
function heightOf(names, width) {
  const font = Chart.defaults.font.size, lines = Math.max(...names.map(name => linesOf(name, width).length));
  return Math.ceil(font * (names.length * Math.max(2.8, 1.3 * lines + 0.7) + 9));
}

function barContent({title, unit, text, cellOf: toCell, sets, linear = true}) {
  const cell = cellOf(state.operation, state.ranks, state.bytes).filter(shown);
  const caption = `${title}, ${ranksText(state.ranks)}, ${bytesText(state.bytes)}`;
  const shownOf = value => linear || value > 0 ? value : null; // no logarithm of nothing
  const values = cell.flatMap(row => sets.map(set => row[set.key]));
  const font = Chart.defaults.font.size;
  return {
    title: capital(caption),
    height: width => heightOf(cell.map(row => spoken(row.algorithm)), width),
    label: `${caption}: ${linear ? "bars" : "points"} for ${cell.length} algorithms. `
      + "The same data are in the table below.",
    data: dataOf(caption, ["algorithm", ...sets.map(set => set.name)],
      cell.map(row => [spoken(row.algorithm), ...sets.map(set => toCell(row[set.key]))])),
    config: {
      type: linear ? "bar" : "line",
      data: {
        labels: cell.map(row => spoken(row.algorithm)),
        datasets: sets.map(set => ({
          label: set.name,
          data: cell.map(row => shownOf(row[set.key])),
          backgroundColor: css(set.color),
          borderWidth: 0,
          showLine: false,
          pointRadius: font / 3,
          barPercentage: 0.9,
          categoryPercentage: 0.85
        }))
      },
      plugins: [figuresAtEnds(text)],
      options: {
        indexAxis: "y",
        layout: {padding: {right: rightOf(font)}},
        scales: {
          x: linear ? linearBarAxis(unit, text) : logBarAxis(unit, text, around(values)),
          y: {
            type: "category",
            grid: {display: !linear, color: css("--grid")},
            ticks: {
              color: css("--ink"),
              autoSkip: false,
              callback(i) { return linesOf(this.getLabelForValue(i), this.chart.width); }
            }
          },
        },
        plugins: {
          legend:
            {display: sets.length > 1, position: "top", align: "start", labels: {boxWidth: 14, color: css("--ink")}},
          tooltip: tooltip({label: item => `${item.dataset.label}: ${text(item.raw)}`}),
        },
      },
    },
  };
}

const movedContent = () => barContent({
  title: "bytes of the busiest rank",
  unit: "bytes",
  text: bytesText,
  cellOf: bytesCell,
  sets: [
    {key: "bytes_sent_max", name: "sent", color: "--sent"},
    {key: "bytes_received_max", name: "received", color: "--received"}
  ]
});
const fanInContent = () => barContent({
  title: "fan-in",
  unit: "ranks",
  text: countText,
  cellOf: countCell,
  sets: [{key: "fan_in_max", name: "fan-in", color: "--fan-in"}]
});
