// A study or a bench as a page: {brand, title, lead, made, sources, sections}. A section has a title, paragraphs, charts, tables and
// pictures. Pictures are SVG that tutti has drawn itself, with its title.

function pictureOf({title, svg}) {
  const room = make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": title});
  room.innerHTML = svg;
  return make("figure", {}, room);
}

// The first `names` columns are words. A `folded` table is opened by who wants it.
function tableIn({caption, heads, lines, folded, names = 1}) {
  const table = make("div", {class: "scroll"}, tableOf(caption, heads, lines, names));
  return folded ? make("details", {}, make("summary", {}, caption), table) : table;
}

function sectionOf(section) {
  const charts = (section.charts ?? []).map(figureOfChart);
  const element = make("section", {}, make("h2", {}, section.title),
    (section.paragraphs ?? []).map(text => make("p", {class: "text"}, text)),
    charts.map(chart => chart.figure),
    (section.tables ?? []).map(tableIn),
    (section.pictures ?? []).map(pictureOf));
  return {element, charts};
}

const study = JSON.parse(byId("data").textContent);
document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
followTheme();
document.title = study.title;
byId("brand").textContent = study.brand ?? "study";
for (const name of ["title", "lead", "made", "sources"]) byId(name).textContent = study[name];
for (const section of study.sections) {
  const {element, charts} = sectionOf(section);
  byId("sections").append(element);
  charts.forEach(chart => chart.draw()); // a canvas has its size once it is in the page
}
document.documentElement.dataset.ready = "true";
