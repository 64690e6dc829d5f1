// Logarithmic axes of all pages: their limits, and ticks that always have labels.

// Ticks of one unit between two limits, at most `most`: powers of two for bytes and ranks, of ten for the rest. Where
// there are few of these, what lies between them, down to any digits: an axis without two labels says nothing.
function ticksBetween(low, high, base, most) {
  const steps = base === 2 ? [1, 2, 3, 4, 5, 6, 8, 10, 20, 40] : [1, 2, 3, 6];
  const log = Math.log(base), round = 1e-9;
  const first = Math.ceil(Math.log(low) / log - round), last = Math.floor(Math.log(high) / log + round);
  const step = steps.find(width => (last - first) / width < most) ?? steps.at(-1);
  const ticks = [];
  for (let power = Math.ceil(first / step) * step; power <= last; power += step) ticks.push(base ** power);
  if (ticks.length > 2 || (base === 2 && ticks.length > 1)) return ticks;
  const lowest = Math.floor(Math.log10(low));
  const decades = Array.from({length: Math.ceil(Math.log10(high / low)) + 2}, (_, i) => lowest + i);
  const within = parts => decades.flatMap(power => parts.map(part => Number((part * 10 ** power).toPrecision(12))))
    .filter(tick => tick >= low * (1 - round) && tick <= high * (1 + round));
  const tenths = Array.from({length: 90}, (_, i) => 1 + i / 10);
  const finer = [[1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9], tenths].map(within);
  const found = finer.find(one => one.length > 1) ?? finer.at(-1), every = Math.ceil(found.length / most);
  return found.filter((_, i) => i % every === 0);
}

function logAxis(title, base, text, room) {
  return {
    type: "logarithmic",
    title: {display: true, text: title, color: css("--ink")},
    grid: {color: css("--grid"), drawTicks: false, drawBorder: false},
    ticks: {color: css("--quiet"), padding: 6, maxRotation: 0, autoSkip: false, callback: value => text(value)},
    afterBuildTicks: axis => {
      const length = axis.isHorizontal() ? axis.chart.width : axis.chart.height;
      const most = Math.max(3, Math.floor(length / room));
      axis.ticks = ticksBetween(axis.min, axis.max, base, most).map(value => ({value}));
    },
  };
}

// A little beyond the least and the most, so that no point stands on an edge.
function around(values, by = 1.25) {
  const positive = values.filter(value => value > 0);
  if (positive.length === 0) return [1, 10];
  const low = positive.reduce((a, b) => Math.min(a, b)), high = positive.reduce((a, b) => Math.max(a, b));
  return low === high ? [low / 2, high * 2] : [low / by, high * by];
}
