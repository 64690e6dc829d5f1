// The table of the algorithms: what each does, and what that costs in counts.

const ideas = {
  naive: "Everybody sends the whole vector to one root, which reduces and sends the result to everybody.",
  parameter_server: "Each rank serves one shard: all send it their part, it reduces and hands the result to all.",
  direct: "As the parameter server, but each rank reduces its shard in one pass once all parts are there.",
  all_to_all: "Everybody sends everything to everybody, and each reduces all of it: one message delay, the most bytes.",
  ring: "Shards travel around a ring twice, first to be reduced, then to be handed out: fewest bytes, most rounds.",
  butterfly: "Pairs at doubling distances exchange whole vectors: fewest rounds, but a whole vector in each.",
  halving_doubling: "Pairs exchange halves, quarters, eighths, then double back: few rounds and fewest bytes.",
  binomial_tree: "A tree reduces towards a root, and the same tree hands out the result.",
  double_binary_tree: "Two trees carry half of the vector each, so that a rank inside one is a leaf of the other.",
};
const nodes = "Within each node first, then between nodes with one shard a rank, then within each node again.";
const ideaOf = name => ideas[name] ?? (name.startsWith("hierarchical") ? nodes : "");

function showAlgorithms() {
  const cell = cellOf(state.operation, state.ranks, state.bytes);
  const known = times.filter(time => cell.some(row => row[time.key] !== null));
  const heads = [
    "algorithm", "how it works", "depth", "rounds", "messages", "total bytes", "fan-in", ...known.map(time => time.name)
  ];
  const table = tableOf(`On ${ranksText(state.ranks)}, ${bytesText(state.bytes)}`, heads,
    cell.map(row => [
      spoken(row.algorithm), ideaOf(row.algorithm), countText(row.depth), countText(row.rounds),
      countText(row.messages), bytesText(row.total_bytes), countText(row.fan_in_max),
      ...known.map(time => timeText(row[time.key]))
    ]), 2);
  table.querySelectorAll("tbody tr").forEach((line, i) => line.firstChild.prepend(sampleOf(cell[i].algorithm)));
  byId("algorithms").querySelector(".scroll").replaceChildren(table);
  say("algorithms",
    "The colour, dash and point of an algorithm are the same in all charts. "
      + "Messages and total bytes are of all ranks together.");
}
