/** The upload of videos: which recording each file is of, before anything is sent, and how far it is. */

const MB = 1 << 20;
// Chosen for a file that is of none of the recordings.
const LEFT_OUT = "-";

const lower = (text) => text.toLowerCase();
const lastName = (path) => path.split("/").pop();
const withoutEnding = (name) => name.replace(/\.[^.]*$/, "");

/** The recording that a file's name says, as the server finds it; "" without one, or with several. */
function recordingOf(name, options) {
  const isIts = ({ value, dataset }) =>
    lower(dataset.file) === lower(name) || lower(lastName(value)) === withoutEnding(lower(name));
  const found = options.filter(isIts);
  return found.length === 1 ? found[0].value : "";
}

/** A megabyte and more to a tenth, what is less in kilobytes: nothing has 0.0 MB. */
function sizeWords(bytes) {
  return bytes < MB ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / MB).toFixed(1)} MB`;
}

function row(file, choice, limitMb) {
  const item = document.createElement("li");
  const label = document.createElement("label");
  const name = document.createElement("span");
  name.className = "mono";
  name.textContent = file.name;
  const size = document.createElement("span");
  size.className = "small";
  size.textContent = sizeWords(file.size);
  const select = choice.cloneNode(true);
  select.removeAttribute("id");
  select.removeAttribute("aria-describedby");
  select.options[0].textContent = "Choose its recording";
  select.required = true;
  select.value = recordingOf(file.name, [...select.options].slice(1));
  select.add(new Option("None: leave this file out", LEFT_OUT), 1);
  label.append(name, " ", size, select);
  item.append(label);
  if (file.size > limitMb * MB) {
    select.setCustomValidity(`${file.name} is larger than an upload may be (${limitMb} MB).`);
    const note = document.createElement("p");
    note.className = "field-note";
    note.textContent = `larger than ${limitMb} MB`;
    item.append(note);
  }
  return item;
}

function showFiles(form, choice) {
  const list = form.querySelector(".upload-files");
  const { files } = form.elements.namedItem("files");
  list.replaceChildren(...[...files].map((file) => row(file, choice, Number(form.dataset.limitMb))));
  list.hidden = !files.length;
}

/** Send one file for one recording; resolve with the address to go to, or throw what to say. */
function sendFile(form, file, recording, watch) {
  const body = new FormData();
  for (const [name, value] of [
    ["csrfmiddlewaretoken", form.elements.namedItem("csrfmiddlewaretoken").value],
    ["recording", recording],
    ["files", file],
  ]) body.append(name, value);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", ({ loaded }) => watch(loaded));
    request.addEventListener("load", () => {
      if (request.status === 200) resolve(JSON.parse(request.responseText).address);
      else if (request.status === 413) reject(`The server in front of this site takes no file as large as ${file.name}: ask an administrator.`);
      else reject(`${file.name} was not taken (answer ${request.status}). Load the page again and send it once more.`);
    });
    request.addEventListener("error", () => reject(`The connection broke off; nothing of ${file.name} was kept. Send it again.`));
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.send(body);
  });
}

/** Send file by file, so that what was sent stays where a later one breaks off. */
async function sendAll(form) {
  const told = form.querySelector(".upload-progress");
  const button = form.querySelector("[type=submit]");
  const recordings = [...form.querySelectorAll("select")].map((select) => select.value);
  const files = [...form.elements.namedItem("files").files]
    .map((file, place) => ({ file, recording: recordings[place] }))
    .filter(({ recording }) => recording !== LEFT_OUT);
  const all = files.reduce((sum, { file }) => sum + file.size, 0);
  const bar = document.createElement("progress");
  const words = document.createElement("span");
  bar.max = all;
  bar.setAttribute("aria-label", "Sent");
  told.replaceChildren(bar, words);
  told.hidden = false;
  button.disabled = true;
  let before = 0;
  let address = form.action;
  try {
    for (const { file, recording } of files) {
      address = await sendFile(form, file, recording, (loaded) => {
        const sent = Math.min(before + loaded, all);
        bar.value = sent;
        const isWhole = loaded >= file.size;
        words.textContent = `${file.name}: ${isWhole ? "sent, being checked" : `${sizeWords(sent)} of ${sizeWords(all)} sent`}`;
      });
      before += file.size;
    }
  } catch (problem) {
    told.textContent = problem;
    button.disabled = false;
    return;
  }
  // The same page at another place of it would not be loaded anew.
  location.assign(address);
  location.reload();
}

const form = document.querySelector("form.upload");
if (form) {
  // Without this script one choice stands for one file; with it each file has its own.
  const one = form.querySelector("[data-one-file]");
  const choice = one.querySelector("select");
  one.remove();
  form.elements.namedItem("files").addEventListener("change", () => showFiles(form, choice));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sendAll(form);
  });
  // A browser that comes back to the page may remember the files.
  showFiles(form, choice);
}
