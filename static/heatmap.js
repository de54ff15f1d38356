// Draws the capability heatmap with plotly, once a second at most while the tab is seen.
"use strict";
(() => {
  const box = document.getElementById("heat-plot");
  if (!box || !window.Plotly) return;
  const RAMP = ["#00224E", "#123570", "#3B496C", "#575D6D", "#707173", "#8A8678", "#A59C74", "#C3B369", "#E1CC55", "#FEE838"];
  const SCALE = RAMP.map((colour, i) => [i / 9, colour]);
  const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const ROW = 34;
  let drawing = false;

  // Missing cells get a hatch of their own, 45 degrees and 7 px apart, so that they never look like zero.
  function hatch(cells) {
    const columns = cells.x.length, wide = Math.max(1, (box.clientWidth - 158) / columns);
    const tall = ROW * 0.9, pitch = Math.max(7, wide / 24) / wide, slope = tall / wide, shapes = [];
    cells.missing.forEach((row, y) => row.forEach((missing, x) => {
      if (!missing || shapes.length > 4000) return;
      const half = 0.5 - 1 / wide, left = x - half, right = x + half;
      shapes.push({ type: "rect", layer: "below", x0: left, x1: right, y0: y - 0.45, y1: y + 0.45, fillcolor: token("--sunken"), line: { width: 0 } });
      for (let at = left - slope; at < right; at += pitch) {
        const from = Math.max(left, at), to = Math.min(right, at + slope);
        if (to - from < 0.02 / columns) continue;
        shapes.push({ type: "line", x0: from, y0: y + 0.45 - 0.9 * (from - at) / slope, x1: to, y1: y + 0.45 - 0.9 * (to - at) / slope, line: { color: token("--text3"), width: 1 } });
      }
    }));
    return shapes;
  }
  function proxies(cells) {
    const x = [], y = [];
    cells.proxy.forEach((row, j) => row.forEach((proxy, i) => { if (proxy) { x.push(cells.x[i]); y.push(cells.y[j]); } }));
    return { type: "scatter", mode: "markers", x, y, hoverinfo: "skip", showlegend: false, marker: { symbol: "circle-open", size: 6, color: token("--surface") } };
  }
  // A byte a cell: percent, 255 missing, 254 no such cell. Names come once and stay while the layout does.
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  let names = null;
  function decoded(answer) {
    if (answer.x) names = { stamp: answer.stamp, y: answer.y, x: answer.x.flatMap(([node, devices]) => devices.map((device) => `${node}<br>${device}`)) };
    const all = bytes(answer.cells), bits = bytes(answer.proxy), wide = names.x.length;
    const rows = (read) => names.y.map((_, y) => Array.from({ length: wide }, (_, x) => read(y * wide + x)));
    return { x: names.x, y: names.y, z: rows((at) => (all[at] > 100 ? null : all[at])), missing: rows((at) => all[at] === 255), proxy: rows((at) => (bits[at >> 3] & (128 >> (at & 7))) !== 0) };
  }
  // What is behind the cell under the pointer, asked for when the pointer rests there.
  const told = document.getElementById("heat-cell");
  let asked = 0;
  function tell(event) {
    const [row, column] = event.points[0].pointIndex;
    clearTimeout(asked);
    asked = setTimeout(async () => {
      const at = row * names.x.length + column, answer = await fetch(`${box.dataset.cell}?stamp=${names.stamp}&at=${at}`);
      if (answer.ok) told.textContent = (await answer.text()) || "\u00a0";
    }, 120);
  }
  async function draw() {
    if (drawing || document.hidden) return;
    drawing = true;
    try {
      const answer = await fetch(box.dataset.cells + (names ? `?stamp=${names.stamp}` : ""), { headers: { Accept: "application/json" } });
      if (!answer.ok) return;
      const cells = decoded(await answer.json());
      const font = { family: getComputedStyle(document.body).fontFamily, size: 12, color: token("--text2") };
      const map = { type: "heatmap", x: cells.x, y: cells.y, z: cells.z, hovertemplate: "<b>%{y}</b> %{z} %<extra>%{x}</extra>", colorscale: SCALE, zmin: 0, zmax: 100, xgap: 2, ygap: 2, showscale: false, hoverongaps: false };
      const layout = {
        font, margin: { l: 150, r: 8, t: 8, b: 48 }, height: 64 + ROW * cells.y.length, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
        xaxis: { type: "category", showgrid: false, zeroline: false, ticks: "", tickfont: { size: 11 }, fixedrange: true }, yaxis: { type: "category", autorange: "reversed", showgrid: false, zeroline: false, ticks: "", ticksuffix: "  ", fixedrange: true },
        hoverlabel: { bgcolor: token("--surface"), bordercolor: token("--edge"), font: { color: token("--text"), family: font.family, size: 12 }, align: "left" }, shapes: hatch(cells),
      };
      await window.Plotly.react(box, [map, proxies(cells)], layout, { displayModeBar: false, responsive: true });
      if (!box.dataset.drawn) box.on("plotly_hover", tell);
      box.dataset.drawn = "1";
    } finally { drawing = false; }
  }
  draw();
  setInterval(draw, 2000);
  document.addEventListener("alldata:theme", draw);
})();
