// Predicted against measured, where there is a measurement: on the diagonal the model is right.

// Against what measurements are held: the chosen time, or the best that there is if that is the measurement itself.
function predictedKey() {
  if (state.time !== "measured_us") return state.time;
  return usualTime() ?? times.find(time => time.key !== "measured_us")?.key ?? null;
}

function comparisons() {
  const key = predictedKey();
  if (key === null) return [];
  return ofOperation()
    .filter(row => shown(row) && row.measured_us > 0 && row[key] > 0)
    .map(row => ({row, predicted: row[key], measured: row.measured_us, error: row[key] / row.measured_us - 1}));
}

function median(values) {
  const sorted = [...values].sort(ascending), middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
const medianError = points => median(points.map(point => Math.abs(point.error)));

const pointText = ({row, measured, predicted, error}) => [
  `${spoken(row.algorithm)}, ${ranksText(row.ranks)}, ${bytesText(row.bytes)}`,
  `measured ${timeText(measured)}, predicted ${timeText(predicted)}`,
  `error ${percentText(error)}`,
];

function predictionContent() {
  const found = comparisons(), name = times.find(time => time.key === predictedKey()).name;
  const both = around(found.flatMap(({predicted, measured}) => [predicted, measured]), 1.6);
  const names =
    algorithms.filter(algorithm => ofOperation().some(row => row.algorithm === algorithm && row.measured_us !== null));
  const line = (label, factor, dash) => ({
    type: "line",
    label,
    data: both.map(us => ({x: us, y: us * factor})),
    clip: true,
    borderDash: dash,
    borderColor: css("--quiet"),
    borderWidth: 1,
    pointRadius: 0,
    pointHitRadius: 0,
    pointHoverRadius: 0
  });
  const caption = `Predicted (${name}) against measured time of ${spoken(state.operation)}`;
  return {
    title: caption,
    label: `${caption}: ${found.length} points, median error ${partText(medianError(found))}. `
      + "The data are in the table below.",
    full: {x: both, y: both},
    names,
    data: dataOf(`${caption}, largest error first`, ["algorithm", "ranks", "size", "measured", "predicted", "error"],
      [...found]
        .sort((a, b) => Math.abs(b.error) - Math.abs(a.error))
        .map(({row, predicted, measured, error}) => [
          spoken(row.algorithm), countCell(row.ranks), bytesCell(row.bytes), timeCell(measured), timeCell(predicted),
          {text: percentText(error), value: error}
        ])),
    config: {
      type: "scatter",
      data: {
        datasets: [
          ...names.map(algorithm => {
            const look = lookOf(algorithm);
            return {
              label: spoken(algorithm),
              series: algorithm,
              hidden: state.hidden.has(algorithm),
              borderColor: look.color,
              backgroundColor: look.color,
              pointStyle: look.point,
              pointRadius: 4,
              pointHoverRadius: 7,
              data: found.filter(({row}) => row.algorithm === algorithm)
                      .map(point => ({x: point.measured, y: point.predicted, point}))
            };
          }),
          line("predicted = measured", 1, []), line("25 % more", 1.25, [3, 4]), line("25 % less", 0.75, [3, 4])
        ]
      },
      options: {
        interaction: {mode: "nearest", intersect: true},
        scales: {x: logAxis("time, measured", 10, timeText, 62), y: logAxis(`time, ${name}`, 10, timeText, 36)},
        plugins: {
          legend: {display: false},
          tooltip: {
            ...tooltip({
              label: item => pointText(item.raw.point),
            }),
            filter: item => Boolean(item.raw.point)
          }
        },
      },
    },
  };
}
