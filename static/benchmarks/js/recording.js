// The chart below the clip shows the clip's current time, and a click in it seeks.

const SVG = "http://www.w3.org/2000/svg";
const clip = document.querySelector("video.clip");
const chart = document.querySelector(".walk-chart");
const rows = [...chart.querySelectorAll("td.clock svg")];
const lengthS = Number(chart.dataset.lengthS);

const heads = rows.map((row) => {
  const head = document.createElementNS(SVG, "path");
  head.setAttribute("class", "playhead");
  row.append(head);
  row.addEventListener("click", (event) => {
    const box = row.getBoundingClientRect();
    clip.currentTime = ((event.clientX - box.left) / box.width) * lengthS;
  });
  return head;
});

function show() {
  const x = (100 * clip.currentTime) / lengthS;
  for (const head of heads) head.setAttribute("d", `M${x},-4 V14`);
  if (!clip.paused) requestAnimationFrame(show);
}

for (const name of ["play", "seeked", "timeupdate"]) clip.addEventListener(name, show);
show();
