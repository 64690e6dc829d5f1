// The table of the algorithms: what each does, and what that costs in counts.

// An idea is told of an allreduce, where there is one: of another operation it would be wrong.
function ideaOf(algorithm) {
  const idea = raw.ideas[algorithm];
  return idea === undefined || (idea.of_allreduce && state.operation !== "allreduce") ? "" : idea.text;
}

function showAlgorithms() {
  const cell = cellOf(state.operation, state.ranks, state.bytes);
  const known = times.filter(time => cell.some(row => row[time.key] !== null));
  const heads = [
    "algorithm", "how it works", "depth", "rounds", "messages", "total bytes", "fan-in", ...known.map(time => time.name)
  ];
  const table = tableOf(`On ${ranksText(state.ranks)}, ${bytesText(state.bytes)}`, heads,
    cell.map(row => [
      `${spoken(row.algorithm)}${row.auto === "" ? "" : ` (${row.auto})`}`, ideaOf(row.algorithm), countCell(row.depth), countCell(row.rounds),
      countCell(row.messages), bytesCell(row.total_bytes), countCell(row.fan_in_max),
      ...known.map(time => timeCell(row[time.key], isEstimate(row, time.key)))
    ]), 2);
  table.querySelectorAll("tbody tr").forEach((line, i) => line.firstChild.prepend(sampleOf(lookOf(cell[i].algorithm))));
  byId("algorithms").querySelector(".scroll").replaceChildren(table);
  say("algorithms",
    "What a communicator with these parameters would choose is marked by auto: it prices calls in place, under LogGP by receivers full_duplex. "
      + "A ~ marks an estimate. The colour, dash and point of an algorithm are the same in all charts. "
      + "Messages and total bytes are of all ranks together.");
}
