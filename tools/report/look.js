// Colours, dashes and points: an algorithm looks the same everywhere, and is told apart without colour too.

const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [14, 4]];
const points = ["circle", "rect", "triangle", "rectRot", "crossRot", "star", "cross"];
const hues = 10; // as many --series-N as page.css defines

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function lookOf(algorithm) {
  const i = algorithms.indexOf(algorithm);
  return {
    variable: `--series-${i % hues + 1}`,
    color: css(`--series-${i % hues + 1}`),
    dash: dashes[i % dashes.length],
    point: points[i % points.length],
  };
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

function sampleOf(algorithm) {
  const look = lookOf(algorithm);
  const paint = `stroke: var(${look.variable}); fill: var(${look.variable})`;
  const line = draw("line", {x1: 1, x2: 33, y1: 7, y2: 7, "stroke-width": 2, "stroke-dasharray": look.dash.join(" ")});
  const point = draw("path", {d: outlines[look.point], transform: "translate(17 7)", "stroke-width": 1.5});
  const sample =
    draw("svg", {viewBox: "0 0 34 14", width: 34, height: 14, class: "sample", "aria-hidden": "true"}, line, point);
  sample.style.cssText = paint;
  return sample;
}

function followTheme() {
  Chart.defaults.color = css("--quiet");
  Chart.defaults.borderColor = css("--grid");
  Chart.defaults.font.family = css("--font");
  Chart.defaults.font.size = isLecture ? 17 : 13; // legible on a projector
}
