// Names as the command takes them; in a lecture an algorithm has the lesson's title.
const titles = new Map(raw.lecture.lessons.map(({algorithm, title}) => [algorithm, title]));
const spoken = name => titles.get(name) ?? name;
const capital = text => text.charAt(0).toUpperCase() + text.slice(1);
const listText = parts => parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
const spanText = (values, text) =>
  values.length === 1 ? text(values[0]) : `${text(values[0])} to ${text(values.at(-1))}`;

// For the cells of the map: ring stays, double_binary_tree is DBT. Unlike names stay unlike.
const customary = {one_shot: "1-shot", butterfly: "Bfly"};
const shortNames = new Map();
for (const name of algorithms) {
  const words = name.split(/[_:]/).filter(Boolean);
  const plain = customary[name]
    ?? (words.length > 1 ? words.map(word => word[0].toUpperCase()).join("") : capital(name).slice(0, 6));
  const taken = text => [...shortNames.values()].includes(text);
  let text = plain;
  for (let i = 2; taken(text); ++i) text = `${plain}${i}`;
  shortNames.set(name, text);
}
