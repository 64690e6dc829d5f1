// Bytes and fan-in of the busiest rank, a bar per algorithm, its figure at its end.

const figuresAtEnds = text => ({
  id: "figures",
  afterDatasetsDraw(chart) {
    const {ctx} = chart;
    ctx.save();
    ctx.fillStyle = css("--ink");
    ctx.font = `${Chart.defaults.font.size - 1}px ${css("--font")}`;
    ctx.textBaseline = "middle";
    chart.data.datasets.forEach((set, i) => chart.getDatasetMeta(i).data.forEach((bar, j) => {
      if (set.data[j] !== null) ctx.fillText(text(set.data[j]), bar.x + 6, bar.y);
    }));
    ctx.restore();
  },
});

// No tick below one: half a message is none.
function barAxis(unit, text, base, [low, high]) {
  const axis = logAxis(`${unit}, logarithmic`, base, text, 100), build = axis.afterBuildTicks;
  return {
    ...axis,
    min: low / 1.6,
    max: high,
    afterBuildTicks: scale => {
      build(scale);
      if (base === 2) scale.ticks = scale.ticks.filter(tick => tick.value >= 1);
    }
  };
}

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
    maxTicksLimit: 8,
    callback: value => value === 0 ? "0" : text(value)
  },
});

function barContent({title, unit, text, sets, base = 2, linear = false}) {
  const cell = cellOf(state.operation, state.ranks, state.bytes).filter(shown);
  const caption = `${title}, ${ranksText(state.ranks)}, ${bytesText(state.bytes)}`;
  const positive = value => value > 0 ? value : null; // no logarithm of nothing
  const values = cell.flatMap(row => sets.map(set => row[set.key]));
  return {
    title: capital(caption),
    label: `${caption}: bars for ${cell.length} algorithms. The same data are in the table below.`,
    data: dataOf(caption, ["algorithm", ...sets.map(set => set.name)],
      cell.map(row => [spoken(row.algorithm), ...sets.map(set => text(row[set.key]))])),
    config: {
      type: "bar",
      data: {
        labels: cell.map(row => spoken(row.algorithm)),
        datasets: sets.map(set => ({
          label: set.name,
          data: cell.map(row => positive(row[set.key])),
          backgroundColor: css(set.color),
          borderWidth: 0,
          barPercentage: 0.85,
          categoryPercentage: 0.8
        }))
      },
      plugins: [figuresAtEnds(text)],
      options: {
        indexAxis: "y",
        layout: {padding: {right: 6 * Chart.defaults.font.size}},
        scales: {
          x: linear ? linearBarAxis(unit, text) : barAxis(unit, text, base, around(values)),
          y: {grid: {display: false}, ticks: {color: css("--ink"), autoSkip: false}},
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
  sets: [
    {key: "bytes_sent_max", name: "sent", color: "--sent"},
    {key: "bytes_received_max", name: "received", color: "--received"}
  ]
});
const fanInContent = () => barContent({
  title: "fan-in",
  unit: "ranks",
  text: countText,
  sets: [{key: "fan_in_max", name: "fan-in", color: "--fan-in"}]
});
