// Numbers as people read them: three digits that matter, and always a unit.

const gap = "\u00a0"; // between a number and its unit no line is broken

const digits = (value, count = 3) => value === 0 ? "0" : Number(value.toPrecision(count)).toLocaleString("en", {
  maximumFractionDigits: Math.max(0, count - 1 - Math.floor(Math.log10(Math.abs(value)))),
});
const grouped = value => value.toLocaleString("en");

function timeText(us) {
  if (us === null) return "–";
  if (us === 0) return `0${gap}µs`;
  const [factor, unit] = us < 1 ? [1e3, "ns"] : us < 1e3 ? [1, "µs"] : us < 1e6 ? [1e-3, "ms"] : [1e-6, "s"];
  return `${digits(us * factor)}${gap}${unit}`;
}

function bytesText(bytes, count = 3) {
  if (bytes === null) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  const power = Math.min(units.length - 1, bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value >= 1000 ? grouped(Math.round(value)) : digits(value, count)}${gap}${units[power]}`;
}

const countText = count => count === null ? "–" : grouped(count);

// Cells of tables that are also saved: see tableOf.
const timeCell = (us, isEstimate) => ({text: `${isEstimate === true ? "~" : ""}${timeText(us)}`, value: us ?? "", unit: "µs"});
const bytesCell = bytes => ({text: bytesText(bytes), value: bytes ?? "", unit: "bytes"});
const countCell = count => ({text: countText(count), value: count ?? ""});
const timesText = ratio => `${ratio < 9.95 ? digits(ratio, ratio < 1.095 ? 3 : 2) : grouped(Math.round(ratio))} times`;
const partText = part => `${digits(100 * part, 2)}${gap}%`;
const percentText = part => `${part > 0 ? "+" : part < 0 ? "−" : ""}${partText(Math.abs(part))}`;
const ranksText = ranks => `${grouped(ranks)}${gap}rank${ranks === 1 ? "" : "s"}`;
