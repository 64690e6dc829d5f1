// Colours, dashes and points: a curve looks the same everywhere, and is told apart without colour too.

const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [14, 4]];
const points = ["circle", "rect", "triangle", "rectRot", "crossRot", "star", "cross"];
const hues = 10; // as many --series-N as page.css defines

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function lookAt(i) {
  const variable = `--series-${i % hues + 1}`;
  return {variable, color: css(variable), dash: dashes[i % dashes.length], point: points[i % points.length]};
}

// The outline of a point of radius 4 around the middle, as Chart.js draws it.
const outlines = {
  circle: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
  rect: "M-3.5 -3.5h7v7h-7z",
  triangle: "M0 -4.5L4 3.5H-4z",
  rectRot: "M0 -4.5L4.5 0L0 4.5L-4.5 0z",
  cross: "M-4.5 0h9M0 -4.5v9",
  crossRot: "M-3.5 -3.5l7 7M3.5 -3.5l-7 7",
  star: "M-4.5 0h9M0 -4.5v9M-3 -3l6 6M3 -3l-6 6",
};

// A piece of the curve; without a point, without a line, or a `bar`, as the chart has it.
function sampleOf({variable, dash = [], point = null, line = true, bar = false}) {
  const sample = draw("svg", {viewBox: "0 0 34 14", width: 34, height: 14, class: "sample", "aria-hidden": "true"},
    line && !bar ? draw("line",
      {x1: 1, x2: 33, y1: 7, y2: 7, "stroke-width": 2, "stroke-dasharray": dash.join(" ")}) : null,
    bar ? draw("rect", {x: 6, y: 1, width: 22, height: 12, stroke: "none"}) : null,
    point && !bar ? draw("path", {d: outlines[point], transform: "translate(17 7)", "stroke-width": 1.5}) : null);
  sample.style.cssText = `stroke: var(${variable}); fill: var(${variable})`;
  return sample;
}

function followTheme(size = 13) {
  Chart.defaults.color = css("--quiet");
  Chart.defaults.borderColor = css("--grid");
  Chart.defaults.font.family = css("--font");
  Chart.defaults.font.size = size;
}
